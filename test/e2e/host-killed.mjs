// A host in a separate process that a test kills at any moment: the real store, claim, bell and queue, and agents that answer by
// themselves.

import { openHoldfast } from '../../dist/app/open.js';
import { openHostOf } from '../../dist/host/open.js';

const holdfast = await openHoldfast();
const log = (line) => console.error(line);
const soon = (work) => setTimeout(work, Math.random() * 8);

async function start(run) {
  let [closing, over, taken] = [false, false, []];
  let end = () => {};
  const exited = new Promise((resolve) => {
    end = (how) => {
      if (over) return;
      over = true;
      resolve({ how, code: 0, signal: null, untaken: [], unanswered: taken });
    };
  });
  const session = run.session ?? `s-${run.group}-${Math.random().toString(36).slice(2)}`;
  const answer = () => {
    if (over || taken.length === 0) return;
    const answers = taken;
    taken = [];
    run.events.result({ answers, ok: true, text: `to ${answers}`, session, at: `p${answers.at(-1)}` });
    if (closing || run.session === undefined ? Math.random() < 0.3 : false) soon(() => end('died'));
    else if (closing) soon(() => end('closed'));
  };
  soon(() => over || run.events.session(session));
  return {
    group: run.group,
    pid: process.pid,
    send({ id }) {
      if (closing || over) return false;
      taken.push(id);
      soon(answer);
      return true;
    },
    close() {
      closing = true;
      if (taken.length === 0) soon(() => end('closed'));
    },
    kill: () => end('killed'),
    exited,
  };
}

const opened = await openHostOf(holdfast.context, { log, warn: log, start });
if ('other' in opened) throw new Error('there is a host already');
console.log('here');

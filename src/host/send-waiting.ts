// Sends a group's waiting messages to its running agent.
import type { IncomingMessage } from '../schema/group-message.ts';
import { clearIn } from './clear.ts';
import type { Run } from './run.ts';
import { isClosing } from './run-state.ts';

/** Contract: call it in turn (`run.inTurn`), so that the state does not change while it decides. */
export async function sendWaiting(run: Run): Promise<void> {
  const { deps, group, agent } = run;
  if (isClosing(run.state) || agent === undefined || run.task !== undefined) return;
  // The group has been cleared or resumed, so the waiting messages belong to another session.
  if ((await deps.store.groups.pointer(group))?.epoch !== run.epoch) return run.on({ kind: 'close' });
  const all = await deps.store.messages.waiting(group);
  const cut = all.findIndex(({ text }) => clearIn(text) !== undefined);
  const waiting = cut < 0 ? all : all.slice(0, cut);
  const handed = new Set(
    await deps.store.messages.hand(
      run.id,
      waiting.map(({ id }) => id),
    ),
  );
  const mine = waiting.filter(({ id }) => handed.has(id)).map(({ id, ...said }) => ({ ...said, id: String(id) }));
  for (const [i, { id, ...said }] of mine.entries()) {
    // Note the message before sending it, in the same tick: its answer must find it.
    void run.on({ kind: 'sent', ids: [id] });
    if (!agent.send({ id, text: wordsOf(said) }))
      return run.on({ kind: 'refused', ids: mine.slice(i).map((one) => one.id) });
  }
  if (cut >= 0) await run.on({ kind: 'other-session' });
}

const wordsOf = ({ text, from }: Pick<IncomingMessage, 'text' | 'from'>): string =>
  from === undefined ? text : `${from}: ${text}`;

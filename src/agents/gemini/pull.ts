// Until 0.38: tmp/<hash of the folder, or its name>/chats/session-<time>-<id>.json, rewritten whole with each message.
import path from 'node:path';
import { asObject, asString, asTime } from '../json.ts';
import { type AgentPull, pulledKey } from '../pull.ts';
import { aboutSession } from '../pulled-lines.ts';
import { type WholeMessage, wholeMessages } from '../rewritten-json.ts';

const source = /(?:^|\/)chats\/session-[^/]+\.json$/;

export const geminiPull: AgentPull = {
  isSource: (key) => source.test(key),
  concerns: (key) => source.test(key),
  leadsTo: (key) => !/(?:^|\/)(?:bin|logs|checkpoints|shadow_git|node_modules|\.git)$/.test(key),
  beside: (key) => !key.includes('/'),
  *sessions(file, tools) {
    const id = asString(asObject(tools.json(file)).sessionId);
    if (id === undefined) return;
    yield {
      key: pulledKey(id),
      mark: tools.stamp(file),
      *records(_, seen) {
        const whole = asObject(tools.json(file));
        // Newer versions record the folder beside the chats; older ones only its hash.
        const cwd = tools.text(path.join(path.dirname(file), '..', '.project_root'))?.trim();
        const facts = { cwd: cwd === '' ? undefined : cwd, title: asString(whole.summary) };
        const messages = (Array.isArray(whole.messages) ? whole.messages : []).map((one): WholeMessage => {
          const message = asObject(one);
          const calls = Array.isArray(message.toolCalls) ? message.toolCalls : [];
          // A message is stored before its tools are done; with their results it becomes another line.
          const state = calls.map((call) => `${asString(asObject(call).id)} ${asString(asObject(call).status)}`);
          return { id: [asString(message.id) ?? '', ...state].join(' '), at: asTime(message.timestamp), message };
        });
        const about = aboutSession('gemini', id, facts, asTime(whole.startTime));
        if (messages.length > 0) yield* wholeMessages('gemini', id, about, messages, seen);
      },
    };
  },
};

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
        const messages = (Array.isArray(whole.messages) ? whole.messages : []).flatMap((one) => linesOf(asObject(one)));
        const about = aboutSession('gemini', id, facts, asTime(whole.startTime));
        if (messages.length > 0) yield* wholeMessages('gemini', id, about, messages, seen);
      },
    };
  },
};

/** What was said and each call are separate lines: one of them may be forgotten. A call is stored before it is done, and again with its result. */
function linesOf(message: Record<string, unknown>): WholeMessage[] {
  const { toolCalls, ...said } = message;
  const [id, at] = [asString(message.id) ?? '', asTime(message.timestamp)];
  const { content, displayContent, thoughts, tokens, ...rest } = said;
  const calls = (Array.isArray(toolCalls) ? toolCalls : []).map((one, i): WholeMessage => {
    const call = { id: `${id}#${i}`, ...asObject(one) };
    const state = [id, String(call.id), asString(asObject(one).status)].join(' ');
    return { id: state, at, message: { ...rest, content: '', toolCalls: [call] } };
  });
  // The words may come after the calls.
  const isEmpty = content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
  return [...(isEmpty ? [] : [{ id, at, message: said }]), ...calls];
}

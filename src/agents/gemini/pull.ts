// Until 0.38: tmp/<hash of the folder, or its name>/chats/session-<time>-<id>.json, rewritten whole with each message.
// Subagents are beside it, first in files of the same form with the id of their session, later in chats/<session>/<id>.json.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { filesOfArgs } from '../google-parts.ts';
import { asObject, asString, asTime } from '../json.ts';
import { type AgentPull, type PullTools, pulledKey } from '../pull.ts';
import { aboutSession, type SessionFacts } from '../pulled-lines.ts';
import { type WholeMessage, wholeMessages } from '../rewritten-json.ts';

const source = /(?:^|\/)chats\/(?:session-|([^/]+)\/)[^/]+\.json$/;

export const geminiPull: AgentPull = {
  ...wholeChats('gemini', pulledKey),
  beside: (key) => /^(?:[^/]+\/subagents\/)?[^/]+$/.test(key),
};

/** Qwen Code's first versions wrote the same. `keyOf` names the transcript of a session, or of a subagent of `root`. */
export function wholeChats(
  agent: 'gemini' | 'qwen',
  keyOf: (session: string, root?: string) => string,
): Omit<AgentPull, 'beside'> {
  return {
    isSource: (key) => source.test(key),
    concerns: (key) => source.test(key),
    leadsTo: (key) => !/(?:^|\/)(?:bin|logs|checkpoints|shadow_git|node_modules|\.git)$/.test(key),
    *sessions(file, tools) {
      const { sessionId, kind } = asObject(tools.json(file));
      const said = asString(sessionId);
      if (said === undefined) return;
      const folder = source.exec(file.split(path.sep).join('/'))?.[1];
      const isSubagent = folder !== undefined || kind === 'subagent';
      // Without a folder of its own, it has the id of the session that started it.
      const id = isSubagent && folder === undefined ? path.basename(file, '.json') : said;
      const started = isSubagent ? { parent: folder ?? said, subagent: 'subagent' } : {};
      yield {
        key: keyOf(id, isSubagent ? (folder ?? said) : undefined),
        mark: tools.stamp(file),
        *records(_, seen) {
          const whole = asObject(tools.json(file));
          const about = aboutSession(
            agent,
            id,
            { ...factsOf(file, whole, folder, tools), ...started },
            asTime(whole.startTime),
          );
          const messages = (Array.isArray(whole.messages) ? whole.messages : []).flatMap((one) =>
            linesOf(asObject(one)),
          );
          if (messages.length > 0) yield* wholeMessages(agent, id, about, messages, seen);
        },
      };
    },
  };
}

function factsOf(
  file: string,
  whole: Record<string, unknown>,
  folder: string | undefined,
  tools: PullTools,
): SessionFacts {
  // Newer versions record the folder beside the chats; older ones only its hash.
  const project = path.join(path.dirname(file), folder === undefined ? '..' : '../..');
  const cwd = tools.text(path.join(project, '.project_root'))?.trim();
  const [first] = Array.isArray(whole.directories) ? whole.directories : [];
  return {
    cwd: cwd || asString(first) || folderByHash(whole) || folderOfOthers(file, whole, tools),
    title: asString(whole.summary),
  };
}

const mostPaths = 200;

/** The folder is named by its hash; the paths in calls lead through it. */
function folderByHash({ projectHash, messages }: Record<string, unknown>): string | undefined {
  const seen = new Set<string>();
  for (const message of Array.isArray(messages) ? messages : []) {
    const calls = asObject(message).toolCalls;
    for (const call of Array.isArray(calls) ? calls : [])
      for (const file of filesOfArgs(asObject(call).args)) {
        for (let end = file.lastIndexOf('/'); end > 0 && seen.size < mostPaths; end = file.lastIndexOf('/', end - 1)) {
          const folder = file.slice(0, end);
          if (seen.has(folder)) break;
          seen.add(folder);
          if (createHash('sha256').update(folder).digest('hex') === projectHash) return folder;
        }
      }
  }
  return undefined;
}

const mostOthers = 20;

/** Sessions of the same folder are beside each other. */
function folderOfOthers(file: string, { projectHash }: Record<string, unknown>, tools: PullTools): string | undefined {
  const others = tools.names(path.dirname(file)).filter((name) => /^session-.*\.json$/.test(name));
  for (const name of others.slice(-mostOthers)) {
    const { messages } = asObject(tools.json(path.join(path.dirname(file), name)));
    const folder = folderByHash({ projectHash, messages });
    if (folder !== undefined) return folder;
  }
  return undefined;
}

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

// Clients that post to the API have no transcript: the worker writes one for them in this format, and ingest reads it
// like any other.
import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, ParsedItem } from '../agent.ts';
import { nothing } from '../agent.ts';
import { asObject, asString, asTime } from '../json.ts';
import { unknownKind } from '../unknown-kind.ts';

/** One line of our own transcript. Every line has an id and a time. */
export type ClientLine =
  | { kind: 'session'; id: string; at: string; session: string; cwd: string | undefined }
  | { kind: 'prompt' | 'answer'; id: string; at: string; text: string }
  | { kind: 'tool'; id: string; at: string; tool: string; input: string; output: string; files: string[] }
  | { kind: 'end'; id: string; at: string; reason: string | undefined };

const kinds: ReadonlySet<unknown> = new Set([
  'session',
  'prompt',
  'answer',
  'tool',
  'end',
] satisfies ClientLine['kind'][]);

export const client: Agent = {
  name: 'client',
  readerVersion: 1,
  title: agentTitles.client,
  idKey: 'id',
  root: (env, home) => path.join(env.HOLDFAST_HOME || path.join(home, '.holdfast'), 'transcripts'),
  isTranscript: (key) => key.endsWith('.jsonl'),
  recognises: ([first]) => asObject(first).kind === 'session' && asString(asObject(first).session) !== undefined,
  describe: (key) => ({ session: path.posix.basename(key, '.jsonl') }),
  cannotMatter: () => false,

  read(value) {
    const line = asObject(value);
    const at = asTime(line.at);
    const uuid = asString(line.id);
    if (line.kind === 'session') {
      const [session, cwd] = [asString(line.session), asString(line.cwd)];
      return { at, items: [{ kind: 'header', ...(session ? { session } : {}), ...(cwd ? { cwd } : {}) }] };
    }
    if (uuid === undefined) return { ...nothing, at };
    const said = { kind: 'entry', uuid, session: undefined, at, cwd: undefined } as const;
    if (line.kind === 'prompt' || line.kind === 'answer') {
      const text = asString(line.text);
      if (text === undefined) return { ...nothing, at };
      const who =
        line.kind === 'prompt'
          ? ({ role: 'user', author: 'person' } as const)
          : ({ role: 'assistant', author: 'model' } as const);
      return { at, items: [{ ...said, ...who, text, toolUses: [] }] };
    }
    const tool = asString(line.tool);
    if (line.kind !== 'tool' || tool === undefined) return { ...nothing, at, ...unknownKind(kinds, line.kind) };
    const files = Array.isArray(line.files) ? line.files.filter((file) => typeof file === 'string') : [];
    const use = { id: uuid, tool, input: line.input, files };
    const items: ParsedItem[] = [
      { ...said, role: 'assistant', author: 'model', text: '', toolUses: [use] },
      { kind: 'tool-result', id: uuid, failed: line.failed === true, output: asString(line.output) ?? '' },
    ];
    return { at, items };
  },

  // There is no program to resume: the client itself knows how.
  resume: () => [],
};

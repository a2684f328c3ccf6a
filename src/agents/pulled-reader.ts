// The part of a reader that is the same for all agents whose sessions are pulled into our transcripts.
import path from 'node:path';
import type { AgentName } from '../schema/agent-name.ts';
import type { Agent, ParsedLine, TranscriptFile } from './agent.ts';
import { asObject, asString, asTime } from './json.ts';
import { isPulledBy, readAbout } from './pulled-lines.ts';
import { unknownKind } from './unknown-kind.ts';

/** Where a line's entries belong. */
export interface PulledPlace {
  readonly uuid: string;
  readonly at: number | undefined;
  readonly file: TranscriptFile;
}

/** What the content of a line yields. Contract: never throws on any JSON value. */
export type ReadPulled = (message: Record<string, unknown>, place: PulledPlace) => Omit<ParsedLine, 'at'>;

/** `type` is the kind of line that holds what was said. */
export const pulledReader = (
  agent: AgentName,
  type: string,
  read: ReadPulled,
): Pick<Agent, 'idKey' | 'isTranscript' | 'recognises' | 'describe' | 'cannotMatter' | 'read'> => ({
  idKey: 'id',
  isTranscript: (key) => key.endsWith('.jsonl'),
  recognises: (lines) => isPulledBy(agent, lines),
  describe: describePulled,
  cannotMatter: () => false,
  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp);
    const about = readAbout(line);
    if (about !== undefined) return { at, items: about };
    const uuid = asString(line.id);
    if (line.type !== type || uuid === undefined) return { at, items: [], ...unknownKind(new Set([type]), line.type) };
    return { at, ...read(asObject(line.message), { uuid, at, file }) };
  },
});

/** Keys are made by `pulledKey`. */
export function describePulled(key: string): { session: string; subagent?: string } {
  const id = path.posix.basename(key, '.jsonl');
  const root = /([^/]+)\/subagents\/[^/]+$/.exec(key)?.[1];
  return root === undefined ? { session: id } : { session: root, subagent: id };
}

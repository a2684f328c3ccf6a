// ① Walks over the lines of a transcript, for the store and for the vault. What a line says about the session, its folder and the
// time applies to the lines after it. All of this is in the reader's state, so a walk can continue later.
import type { Agent, ParsedEntry, ParsedHeader, ParsedLine } from '../agents/agent.ts';
import type { ReaderState } from '../schema/reader-state.ts';
import { redact } from './redaction/redact.ts';
import { countUnknown } from './unknown-lines.ts';

export interface Walk {
  readonly state: ReaderState;
  /** Reads the next line. Contract: the caller calls `enter` for each header and entry of it, in order. */
  read(line: unknown): ParsedLine;
  /** From this item on, lines belong to its session. */
  enter(item: ParsedEntry | ParsedHeader): void;
  /** The session that lines belong to now, unless one names another. */
  session(named?: string): string;
  /** The folder of an entry, redacted. */
  folderOf(entry: ParsedEntry): string | undefined;
  /** The time of the last line that had one. */
  lineAt(): number | undefined;
}

/** Nearly all lines name the same folder. */
const rememberedFolders = 100;

/** Updates the state. */
export function openWalk(agent: Agent, key: string, state: ReaderState): Walk {
  const { session: described } = agent.describe(key);
  const { capture } = state;
  const folders = new Map<string, string>();
  const clean = (folder: string): string => {
    const known = folders.get(folder) ?? redact(folder);
    if (folders.size < rememberedFolders) folders.set(folder, known);
    return known;
  };
  return {
    state,
    read(line) {
      const read = agent.read(line, { key, state: state.agent });
      if (read.unknown !== undefined) countUnknown(read.unknown, capture);
      if (read.at !== undefined) capture.lineAt = read.at;
      return read;
    },
    enter(item) {
      if (item.session !== undefined) capture.session = item.session;
      if (item.kind === 'entry') return;
      if (item.cwd !== undefined) capture.cwd = clean(item.cwd);
      // Only a subagent's header names the session that the subagent works for.
      if (item.parent !== undefined && item.subagent !== undefined) capture.parent = item.parent;
    },
    session: (named) => named ?? capture.session ?? described,
    folderOf: ({ cwd }) => (cwd === undefined ? capture.cwd : clean(cwd)),
    lineAt: () => capture.lineAt,
  };
}

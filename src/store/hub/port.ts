// What the exchange with a hub reads and writes.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ExportedLine, ExportedRow } from '../../schema/exported.ts';
import type { SessionKey } from '../sessions/port.ts';

/** Transcripts that came from a hub lie under such keys: they are never pushed again, and distilled only where they came from. */
export const hubKeyPrefix = 'hub/';

/** The key that a transcript has on the machine that it came from: `hub/<machine>/<share>/<key>` → `<key>`. */
export const originalKey = (key: string): string => key.replace(/^hub\/\d+\/\d+\//, '');

/** The exchange with a hub. */
export interface HubPort {
  /** Small texts under a name, for where an exchange stands. */
  note(name: string): Promise<string | undefined>;
  setNote(name: string, value: string | undefined): Promise<void>;
  /** The transcripts, entries and derived rows of these sessions, of one moment; without what is kept of no session. */
  exportedSessions(sessions: readonly SessionKey[]): AsyncIterable<ExportedLine>;
  /** What was asked to remember, what people changed on pages, and what was merged there. */
  exportedMemory(): Promise<readonly ExportedRow[]>;
  /** Takes rows of sessions that came from a hub in place of older ones; an undefined row under a key is gone there. */
  replaceRows(rows: readonly ExportedRow[]): Promise<number>;
  /** Takes out what was derived from a session elsewhere and is there no more. */
  dropDerived(rows: readonly { kind: string; agent: string; session: string; prompt: number }[]): Promise<void>;
  /** The keys of the transcripts that hold something of a session. */
  transcriptKeys(session: SessionKey): Promise<readonly string[]>;
  /** The sessions that a transcript holds something of. */
  sessionsIn(agent: AgentName, key: string): Promise<readonly SessionKey[]>;
  /** Vectors of whole entries by the wanted model. */
  entryVectors(
    uuids: readonly string[],
  ): Promise<{ readonly model: string; readonly vectors: ReadonlyMap<string, Int8Array> }>;
}

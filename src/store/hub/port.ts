// Reads and writes for the exchange with a hub.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ExportedLine, ExportedRow } from '../../schema/exported.ts';
import type { SessionKey } from '../sessions/port.ts';

/**
 * The key prefix of transcripts that came from a hub. This machine never pushes them back, and only their machine of
 * origin distils them.
 */
export const hubKeyPrefix = 'hub/';

/** The key of a transcript on its machine of origin: `hub/<machine>/<share>/<key>` → `<key>`. */
export const originalKey = (key: string): string => key.replace(/^hub\/\d+\/\d+\//, '');

export interface HubPort {
  /** A small named text that records the state of an exchange. */
  note(name: string): Promise<string | undefined>;
  setNote(name: string, value: string | undefined): Promise<void>;
  /**
   * The transcripts, entries and derived rows of these sessions, from one
   * snapshot. Rows that belong to no session are left out.
   */
  exportedSessions(sessions: readonly SessionKey[]): AsyncIterable<ExportedLine>;
  /** Statements that someone asked to remember, people's edits of pages, and merges on pages. */
  exportedMemory(): Promise<readonly ExportedRow[]>;
  /** Stores derived rows of sessions that came from a hub, in place of older ones. */
  replaceRows(rows: readonly ExportedRow[]): Promise<number>;
  /** Deletes derived rows that another machine no longer has. */
  dropDerived(rows: readonly { kind: string; agent: string; session: string; prompt: number }[]): Promise<void>;
  /** The keys of the transcripts that contain part of a session. */
  transcriptKeys(session: SessionKey): Promise<readonly string[]>;
  /** The sessions that a transcript contains parts of. */
  sessionsIn(agent: AgentName, key: string): Promise<readonly SessionKey[]>;
  /** The wanted model's vectors of whole entries; with `final`, without those that a closer reading will replace. */
  entryVectors(
    uuids: readonly string[],
    options?: { readonly final?: boolean },
  ): Promise<{ readonly model: string; readonly vectors: ReadonlyMap<string, Int8Array> }>;
  /**
   * The wanted model's final vectors of entries from this machine's transcripts, with a number above `seq`, in the order of their numbers.
   * `upTo`: all up to this number were read.
   */
  finalVectorsAfter(
    seq: number,
    limit: number,
  ): Promise<{ readonly model: string; readonly rows: readonly PlacedVector[]; readonly upTo: number }>;
}

/** The vector of an entry, with the transcript and the project that the entry belongs to. */
export interface PlacedVector {
  readonly uuid: string;
  readonly agent: string;
  readonly key: string;
  readonly project: string;
  readonly vector: Int8Array;
}

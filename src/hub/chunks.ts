// A transcript from the hub → the chunks that bring a store up to it.
import path from 'node:path';
import { redactionVersion } from '../capture/redaction/redact.ts';
import { chunkOf, redactEntry } from '../capture/transfer/import-lines.ts';
import { AgentName } from '../schema/agent-name.ts';
import { ExportedEntry, ExportedFile } from '../schema/exported.ts';
import { emptyState } from '../schema/reader-state.ts';
import { hubKeyPrefix } from '../store/hub/port.ts';
import { isWithin } from '../store/projects/follow-links.ts';
import type { Store } from '../store/store.ts';
import type { Chunk } from '../store/transcripts/port.ts';
import type { FetchedEntry, TranscriptPage } from './fetch.ts';
import type { Share } from './local.ts';

/** The key of a transcript from another machine. No two machines or shares have the same key. */
export const hubKey = (machine: number, share: number, key: string): string =>
  `${hubKeyPrefix}${machine}/${share}/${key}`;

export const isOfShare = (key: string, share: number): boolean =>
  key.startsWith(hubKeyPrefix) && key.split('/')[2] === String(share);

/** What a machine tells others about a transcript. The reading position and the reader's state stay on the machine. */
export interface FileLine {
  readonly subagent: string | null;
  readonly bornAt: number | null;
  /** The version of the rules by which all its entries were redacted. */
  readonly redaction?: number | undefined;
}

interface Destination {
  readonly store: Pick<Store, 'transcripts'>;
  readonly share: Share;
  /** The folder of the share's repository on this machine. */
  readonly folder: string;
  /** Whether the share belongs to this person, whose other machines redact as this one does. */
  readonly isOwn: boolean;
}

/** Yields the transcript's new entries if it only grew; otherwise all entries, which replace the old ones. */
export async function* chunksOf(to: Destination, transcript: TranscriptPage): AsyncGenerator<Chunk> {
  const agent = AgentName.safeParse(transcript.agent).data;
  // This version does not know the agent: its transcripts wait until Holdfast is updated here.
  if (agent === undefined) return;
  const key = hubKey(transcript.machine, to.share.id, transcript.key);
  const state = await to.store.transcripts.state(agent, key);
  const line = JSON.parse(transcript.line) as FileLine;
  const file = fileOf(line, transcript, agent, key, to.folder);
  const clean = to.isOwn && (line.redaction ?? 0) >= redactionVersion ? (entry: ExportedEntry) => entry : redactEntry;
  const entryOf = to.isOwn ? ownEntry : anyEntry;
  const grown = transcript.entries.map(entryOf);
  const had = state?.state.capture.hubLines ?? 0;
  const from = state?.offset ?? 0;
  const onlyGrew = transcript.count === had + grown.length && grown.every(({ pos }) => pos >= from);
  if (onlyGrew) {
    const range = { from, to: end(grown, from), restart: false, last: true, count: transcript.count };
    yield chunk(file, key, grown, clean, range);
    return;
  }
  let [at, count, held] = [0, 0, undefined as readonly FetchedEntry[] | undefined];
  const piece = (entries: readonly FetchedEntry[], last: boolean): Chunk => {
    const read = entries.map(entryOf);
    const begin = at;
    at = end(read, at);
    count += read.length;
    const restart = begin === 0 && count === read.length;
    return chunk(file, key, read, clean, { from: begin, to: at, restart, last, count });
  };
  for await (const entries of transcript.whole()) {
    if (held !== undefined) yield piece(held, false);
    held = entries;
  }
  yield piece(held ?? [], true);
}

/** A chunk without anything: what the transcript had goes. */
export const emptied = (agent: AgentName, key: string): Chunk => ({
  ...{ agent, key, root: '', size: 0, subagent: undefined, from: 0, to: 0, restart: true, prune: true, last: true },
  ...{ lines: 0, malformed: 0, head: '', tail: '', state: emptyState(), bornAt: undefined, status: 'ok' },
  ...{ sessions: [], entries: [], results: [] },
});

const end = (entries: readonly ExportedEntry[], before: number): number =>
  entries.reduce((most, { pos }) => Math.max(most, pos + 1), before);

const chunk = (
  file: ExportedFile,
  key: string,
  entries: readonly ExportedEntry[],
  clean: (entry: ExportedEntry) => ExportedEntry,
  { from, to, restart, last, count }: Pick<Chunk, 'from' | 'to' | 'restart' | 'last'> & { count: number },
): Chunk => ({
  ...chunkOf(file, key, 0, entries, clean),
  ...{ from, to, restart, last, prune: true, root: '', size: to, reader: undefined },
  state: { ...emptyState(), capture: { hubLines: count } },
});

function fileOf(
  { subagent, bornAt }: FileLine,
  { sessions }: TranscriptPage,
  agent: AgentName,
  key: string,
  folder: string,
): ExportedFile {
  return ExportedFile.parse({
    ...{ is: 'file', agent, key, partial: false, subagent, offset: 0, lines: 0, head: '', tail: '', state: {} },
    ...{ bornAt, malformed: 0, status: 'ok', error: null, copies: [{ root: '', size: 0 }] },
    sessions: sessions.map((text) => {
      const said = JSON.parse(text) as ExportedFile['sessions'][number];
      return { ...said, cwd: moved(said, folder), project: folder };
    }),
  });
}

const anyEntry = ({ line }: FetchedEntry): ExportedEntry => ExportedEntry.parse(JSON.parse(line));

/** Another machine of this person made it: a look at its shape is enough, and many times faster than checking each field. */
function ownEntry(fetched: FetchedEntry): ExportedEntry {
  const entry = JSON.parse(fetched.line) as ExportedEntry;
  const texts = [entry.uuid, entry.session, entry.role, entry.author, entry.text];
  const isWhole =
    texts.every((text) => typeof text === 'string') &&
    Number.isSafeInteger(entry.pos) &&
    Array.isArray(entry.tools) &&
    Array.isArray(entry.uses) &&
    entry.form !== undefined &&
    entry.subagent !== undefined;
  return isWhole ? entry : anyEntry(fetched);
}

/** The folder that a session worked in, mapped into the project's folder here. What a teammate sent cannot name a folder outside of it. */
function moved({ cwd, project }: ExportedFile['sessions'][number], folder: string): string | null {
  if (cwd === null || project === null || !cwd.startsWith(project)) return folder;
  const inside = path.normalize(folder + cwd.slice(project.length));
  return isWithin(inside, folder) ? inside : folder;
}

// ① An export → store. Each transcript in it becomes one chunk, as if it had been read: ownership, sessions and conversations follow from that.
// If the transcript itself is found later, ingest continues from there.
import { createHash } from 'node:crypto';
import type { ExportedEntry, ExportedFile, ExportedLine, ExportedRow } from '../../schema/exported.ts';
import type { ReaderState } from '../../schema/reader-state.ts';
import { withoutToolNames } from '../../schema/tool-names.ts';
import type { ConversationRules } from '../../store/conversations/port.ts';
import type { PlanRules } from '../../store/jobs/port.ts';
import type { Tombstone } from '../../store/removal/port.ts';
import { tombstone } from '../../store/removal/tombstone.ts';
import type { Store } from '../../store/store.ts';
import type { Chunk, FileState } from '../../store/transcripts/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { redact, redactJson } from '../redaction/redact.ts';

export interface ImportDeps {
  readonly store: Pick<Store, 'jobs' | 'removal' | 'transcripts' | 'transfer'>;
  readonly rules: ConversationRules;
  readonly planning: PlanRules;
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Called after each transcript. */
  readonly progress?: ((lines: number) => void) | undefined;
}

export interface Imported {
  readonly transcripts: number;
  readonly entries: number;
  /** New rows, by kind. */
  readonly rows: Readonly<Record<string, number>>;
}

const rowsInAStep = 2000;
/** One transaction for each small transcript would mostly wait for the disk. */
const batchChars = 4 << 20;
const batchFiles = 256;
/** Fields with people's or models' words. They are redacted again, because the rules for secrets may be newer than the export. */
const said =
  'text title subtitle narrative facts request investigated learned completed outcome commits nextSteps notes lastUser lastAssistant before why prompt endReason reason cwd key filesRead filesModified files tools'.split(
    ' ',
  );

/** Contract: the lines are valid. After an interruption, the same import completes it; repeated, it changes nothing. */
export async function importLines(deps: ImportDeps, lines: AsyncIterable<ExportedLine>): Promise<Imported> {
  const { store, rules, planning, clock, signal } = deps;
  const done = { transcripts: 0, entries: 0, rows: {} as Record<string, number> };
  let read = 0;
  let file: ExportedFile | undefined;
  let entries: ExportedEntry[] = [];
  let batch: { chunk: Chunk; copies: ExportedFile['copies'] }[] = [];
  let held = 0;
  let rows: ExportedRow[] = [];
  const tombstones: Tombstone[] = [];
  const memories: string[] = [];
  const later: ExportedRow[] = [];

  const note = (taken: Readonly<Record<string, number>>) => {
    for (const [is, count] of Object.entries(taken)) done.rows[is] = (done.rows[is] ?? 0) + count;
  };
  async function endFile(): Promise<void> {
    if (file === undefined) return;
    const chunk = await toChunk(store, file, entries);
    if (chunk !== undefined) batch.push({ chunk, copies: file.copies });
    held += entries.reduce((sum, { text }) => sum + text.length, 0);
    file = undefined;
    entries = [];
  }
  async function commit(): Promise<void> {
    const outcomes =
      batch.length > 0
        ? await store.transcripts.commit(
            batch.map(({ chunk }) => chunk),
            rules,
          )
        : [];
    const stale = batch.find((_, i) => outcomes[i]?.stale);
    if (stale !== undefined)
      throw new HoldfastError('STORE_BUSY', `Another process imported ${stale.chunk.key} in the meantime`, {
        hint: 'Import again. Holdfast skips what it already has.',
      });
    done.transcripts += batch.length;
    for (const { added } of outcomes) done.entries += added;
    await store.transcripts.noteCopies(
      batch.flatMap(({ chunk: { agent, key }, copies }) =>
        copies.map(({ root, size }) => ({ agent, key, root, size })),
      ),
    );
    batch = [];
    held = 0;
  }
  /** In the order of the export, because rows refer to entries before them. */
  async function flush(): Promise<void> {
    signal?.throwIfAborted();
    if (tombstones.length + memories.length > 0) {
      const known = new Set((await store.removal.tombstones()).map(({ print }) => print));
      const fresh = tombstones.splice(0).filter(({ print }) => !known.has(print));
      await store.removal.takeTombstones(fresh, memories.splice(0), { rules, now: clock() });
    }
    await endFile();
    await commit();
    if (rows.length > 0) note(await store.transfer.takeRows(rows.map(redactRow)));
    rows = [];
    deps.progress?.(read);
    await new Promise(setImmediate);
  }

  for await (const line of lines) {
    read++;
    if (line.is === 'file') {
      await endFile();
      if (rows.length > 0 || tombstones.length + memories.length > 0 || held > batchChars || batch.length >= batchFiles)
        await flush();
      file = line;
    } else if (line.is === 'entry') entries.push(line);
    else if (line.is === 'tombstone') tombstones.push(line);
    else if (line.is === 'memory-tombstone') memories.push(line.print);
    else if (line.is === 'job' && line.version === null) later.push(line);
    else {
      if (file !== undefined || batch.length > 0 || rows.length >= rowsInAStep) await flush();
      rows.push(line);
    }
  }
  await flush();
  if (later.length > 0) {
    await store.jobs.plan(clock(), planning);
    note(await store.transfer.takeRows(later));
  }
  return done;
}

/** What the file adds; undefined if it adds nothing. */
async function toChunk(
  store: Pick<Store, 'removal' | 'transcripts' | 'transfer'>,
  file: ExportedFile,
  entries: readonly ExportedEntry[],
): Promise<Chunk | undefined> {
  const state = await store.transcripts.state(file.agent, file.key);
  if (state === undefined && !file.partial) return chunkOf(file, file.key, 0, entries);
  const known = await store.transfer.knownEntries(entries.map(({ uuid }) => uuid));
  if (entries.every(({ uuid }) => known.has(uuid)) && (state !== undefined || file.partial)) return undefined;
  // The same transcript, of which this store has read less.
  if (state !== undefined && !file.partial && goesOn(state, file))
    return chunkOf(
      file,
      file.key,
      state.offset,
      entries.filter(({ pos }) => pos >= state.offset),
    );
  // A different transcript with the same name, or a part of one: stored under its own key, so that the transcript itself is still read whole.
  const gone = new Set((await store.removal.tombstones()).map((one) => one.print));
  const fresh = entries.filter(
    ({ uuid, session }) =>
      !known.has(uuid) &&
      !gone.has(tombstone.entry(file.agent, uuid)) &&
      !gone.has(tombstone.session(file.agent, session)),
  );
  if (fresh.length === 0) return undefined;
  const hash = createHash('sha256')
    .update(fresh.map(({ uuid }) => uuid).join('\n'))
    .digest('hex');
  return chunkOf(file, `imported/${hash.slice(0, 12)}/${file.key}`, 0, fresh);
}

const goesOn = (state: FileState, file: ExportedFile): boolean =>
  state.offset < file.offset && state.head.split(' ')[0] === file.head.split(' ')[0];

/** `redacted` cleans an entry, unless its sender has done that by the same rules. */
export function chunkOf(
  file: ExportedFile,
  key: string,
  from: number,
  entries: readonly ExportedEntry[],
  redacted: (entry: ExportedEntry) => ExportedEntry = redactEntry,
): Chunk {
  const [copy = { root: '', size: file.offset }] = file.copies;
  const sessions = new Set(entries.map(({ session }) => session));
  // Exports and hubs of older versions have the names of tools in the texts.
  const clean = entries.map((entry) => {
    const text = withoutToolNames(entry.text, entry.tools);
    return redacted(text === entry.text ? entry : { ...entry, text });
  });
  return {
    agent: file.agent,
    key,
    ...copy,
    subagent: file.subagent ?? undefined,
    from,
    to: file.offset,
    restart: false,
    last: true,
    lines: file.lines,
    malformed: file.malformed,
    reader: from === 0 ? file.reader : undefined,
    head: file.head,
    tail: file.tail,
    state: redactState(file.state),
    bornAt: file.bornAt ?? undefined,
    status: file.status,
    error: file.error ?? undefined,
    sessions: file.sessions
      .filter(({ session }) => from === 0 || sessions.has(session))
      .map(redactSession)
      .map(({ cwd, project, title, titleBy, ...said }) => ({
        ...said,
        cwd: cwd ?? undefined,
        projectPath: project ?? undefined,
        title: title ?? undefined,
        titleBy: titleBy ?? undefined,
      })),
    titles: file.titles.map(({ leaf, title }) => ({ leaf, title: redact(title) })),
    // Field by field: a pull makes thousands of them a second.
    entries: clean.map((entry) => ({
      uuid: entry.uuid,
      session: entry.session,
      pos: entry.pos,
      at: entry.at,
      role: entry.role,
      author: entry.author,
      text: entry.text,
      tools: entry.tools,
      form: entry.form ?? undefined,
      joinsAt: entry.joinsAt ?? undefined,
      subagent: entry.subagent ?? undefined,
      toolUses: entry.uses.map(({ id, tool, input, files, outcome, output }) => ({
        ...{ id, tool, input, files },
        result: outcome === null ? undefined : { id, pos: entry.pos, outcome, output: output ?? '' },
      })),
    })),
    results: [],
  };
}

/** What the reader had kept, by the rules of today: texts alone, since folders decide what is ignored. */
function redactState(state: ReaderState): ReaderState {
  const { title, earlyFacts } = state.capture;
  return {
    ...state,
    capture: {
      ...state.capture,
      ...(title === undefined ? {} : { title: redact(title) }),
      ...(earlyFacts && { earlyFacts: earlyFacts.map((fact) => ({ ...fact, value: redact(fact.value) })) }),
    },
  };
}

type ExportedSession = ExportedFile['sessions'][number];

/** Redacts what a transcript says about a session, by the current rules. */
export const redactSession = (said: ExportedSession): ExportedSession => ({
  ...said,
  cwd: said.cwd === null ? null : redact(said.cwd),
  project: said.project === null ? null : redact(said.project),
  title: said.title === null ? null : redact(said.title),
  facts: said.facts.map((fact) => ({ ...fact, value: redact(fact.value) })),
});

/** Redacts an entry and its tool uses, by the current rules. */
export const redactEntry = (entry: ExportedEntry): ExportedEntry => ({
  ...entry,
  text: redact(entry.text),
  subagent: entry.subagent === null ? null : redact(entry.subagent),
  tools: entry.tools.map((tool) => redact(tool)),
  uses: entry.uses.map(({ id, tool, input, files, outcome, output }) => ({
    id,
    tool: redact(tool),
    input: redactJson(input),
    files: files.map((file) => redact(file)),
    outcome,
    output: output === null ? null : redact(output),
  })),
});

const cleanText = (value: unknown): unknown =>
  typeof value === 'string' ? redact(value) : Array.isArray(value) ? value.map(cleanText) : value;

/** Redacts a row other than an entry, by the current rules. */
export function redactRow(row: ExportedRow): ExportedRow {
  if (row.is === 'extraction') return { ...row, json: redactJson(row.json) };
  if (row.is === 'summary' && row.past !== undefined) return { ...cleanFields(row), past: row.past.map(cleanFields) };
  return cleanFields(row);
}

function cleanFields<T extends object>(row: T): T {
  const fields = row as Record<string, unknown>;
  const texts = said.filter((name) => name in fields).map((name) => [name, cleanText(fields[name])]);
  return { ...row, ...Object.fromEntries(texts) };
}

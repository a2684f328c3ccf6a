// What came from the hub → a store: the person's own for their other machines, a separate one for what teammates share.

import { conversationRules } from '../capture/conversation-rules.ts';
import { chunkOf, redactRow } from '../capture/transfer/import-lines.ts';
import { AgentName } from '../schema/agent-name.ts';
import { ExportedEntry, ExportedFile, ExportedRow } from '../schema/exported.ts';
import { emptyState } from '../schema/reader-state.ts';
import { hubKeyPrefix } from '../store/hub/port.ts';
import type { Store } from '../store/store.ts';
import type { Chunk } from '../store/transcripts/port.ts';
import { HoldfastError } from '../system/errors.ts';
import type { FetchedEntry, PageRow, PageTombstone, TranscriptPage } from './fetch.ts';
import type { HubDeps, HubSideStore, LocalProject, Share } from './local.ts';

export interface Target {
  /** Returns how many entries are new. */
  take(share: Share, transcripts: readonly TranscriptPage[]): Promise<number>;
  takeRows(share: Share, rows: readonly PageRow[]): Promise<void>;
}

/** The key of a transcript from another machine. No two machines or shares have the same key. */
export const hubKey = (machine: number, share: number, key: string): string =>
  `${hubKeyPrefix}${machine}/${share}/${key}`;

const isOfShare = (key: string, share: number): boolean =>
  key.startsWith(hubKeyPrefix) && key.split('/')[2] === String(share);

export function targetsOf(
  deps: HubDeps & { readonly team: () => Promise<HubSideStore> },
  local: ReadonlyMap<string, readonly LocalProject[]>,
  shares: readonly Share[],
) {
  const { store, membership, config, clock } = deps;
  const rules = conversationRules(config.settings);
  const isOwn = ({ person }: { readonly person: number }) => person === membership.personId;
  const storeOf = (share: Share): Promise<HubSideStore> => (isOwn(share) ? Promise.resolve(store) : deps.team());
  const folderOf = ({ project }: Share): string => local.get(project)?.[0]?.path ?? project;

  async function take(share: Share, transcripts: readonly TranscriptPage[]): Promise<number> {
    if (transcripts.length === 0) return 0;
    const into = await storeOf(share);
    let added = 0;
    let batch: Chunk[] = [];
    let held = 0;
    const commit = async () => {
      const outcomes = batch.length === 0 ? [] : await into.transcripts.commit(batch, rules);
      if (outcomes.some(({ stale }) => stale))
        throw new HoldfastError('STORE_BUSY', 'Another process takes in what the hub holds', {
          hint: 'Try again in a moment; nothing is lost.',
        });
      for (const outcome of outcomes) added += outcome.added;
      batch = [];
      held = 0;
    };
    for (const transcript of transcripts) {
      for await (const chunk of chunksOf(into, share, transcript)) {
        batch.push(chunk);
        held += chunk.entries.length;
        if (held >= 1000) await commit();
      }
    }
    await commit();
    return added;
  }

  /** Yields the transcript's new entries if it only grew; otherwise all entries, which replace the old ones. */
  async function* chunksOf(
    into: Pick<Store, 'transcripts'>,
    share: Share,
    transcript: TranscriptPage,
  ): AsyncGenerator<Chunk> {
    const agent = AgentName.safeParse(transcript.agent).data;
    // This version does not know the agent: its transcripts wait until Holdfast is updated here.
    if (agent === undefined) return;
    const key = hubKey(transcript.machine, share.id, transcript.key);
    const state = await into.transcripts.state(agent, key);
    const file = fileOf(share, transcript, agent, key);
    const grown = transcript.entries.map(entryOf);
    const had = state?.state.capture.hubLines ?? 0;
    const from = state?.offset ?? 0;
    const onlyGrew = transcript.count === had + grown.length && grown.every(({ pos }) => pos >= from);
    const end = (entries: readonly ExportedEntry[], before: number) =>
      entries.reduce((most, { pos }) => Math.max(most, pos + 1), before);
    if (onlyGrew) {
      const to = end(grown, from);
      yield chunk(file, key, grown, { from, to, restart: false, last: true, count: transcript.count });
      return;
    }
    let [at, count, held] = [0, 0, undefined as readonly FetchedEntry[] | undefined];
    const piece = (entries: readonly FetchedEntry[], last: boolean): Chunk => {
      const read = entries.map(entryOf);
      const begin = at;
      at = end(read, at);
      count += read.length;
      return chunk(file, key, read, {
        from: begin,
        to: at,
        restart: begin === 0 && count === read.length,
        last,
        count,
      });
    };
    for await (const entries of transcript.whole()) {
      if (held !== undefined) yield piece(held, false);
      held = entries;
    }
    yield piece(held ?? [], true);
  }

  const chunk = (
    file: ExportedFile,
    key: string,
    entries: readonly ExportedEntry[],
    { from, to, restart, last, count }: Pick<Chunk, 'from' | 'to' | 'restart' | 'last'> & { count: number },
  ): Chunk => ({
    ...chunkOf(file, key, 0, entries),
    ...{ from, to, restart, last, prune: true, root: '', size: to, reader: undefined },
    state: { ...emptyState(), capture: { hubLines: count } },
  });

  function fileOf(share: Share, { line, sessions }: TranscriptPage, agent: AgentName, key: string): ExportedFile {
    const { subagent, bornAt } = JSON.parse(line) as { subagent: string | null; bornAt: number | null };
    const folder = folderOf(share);
    return ExportedFile.parse({
      ...{ is: 'file', agent, key, partial: false, subagent, offset: 0, lines: 0, head: '', tail: '', state: {} },
      ...{ bornAt, malformed: 0, status: 'ok', error: null, copies: [{ root: '', size: 0 }] },
      sessions: sessions.map((text) => {
        const said = JSON.parse(text) as ExportedFile['sessions'][number];
        return { ...said, cwd: moved(said, folder), project: folder };
      }),
    });
  }

  /** Rows that this machine derived itself stay; rows of sessions that exist only in the hub follow the hub. */
  async function takeRows(share: Share, rows: readonly PageRow[]): Promise<void> {
    if (rows.length === 0) return;
    const into = await storeOf(share);
    const taken: ExportedRow[] = [];
    const added: ExportedRow[] = [];
    const gone: { kind: string; agent: string; session: string; prompt: number }[] = [];
    for (const { kind, key, line, machine } of rows) {
      if (line === null) {
        const [agent = '', session = '', prompt = '0'] = key.split(' ');
        if (await isOnlyOfHub(into, agent, session)) gone.push({ kind, agent, session, prompt: Number(prompt) });
        continue;
      }
      const row = ExportedRow.safeParse(JSON.parse(line)).data;
      if (row === undefined) continue;
      const clean = redactRow(row);
      if (clean.is === 'statement' || clean.is === 'edit' || clean.is === 'merge') {
        if (isOwn(share)) added.push(clean);
      } else if (clean.is === 'extraction') {
        if (isOwn(share)) taken.push({ ...clean, file: hubKey(machine, share.id, clean.file) });
      } else if (
        (clean.is === 'observation' || clean.is === 'summary') &&
        (await isOnlyOfHub(into, clean.agent, clean.session))
      )
        taken.push(clean);
    }
    if (gone.length > 0) await into.hub.dropDerived(gone);
    if (taken.length > 0) await into.hub.replaceRows(taken);
    if (added.length > 0) await into.transfer.takeRows(added);
  }

  return {
    of: (_share: Share): Target => ({ take, takeRows }),

    /** Forgets here what was forgotten elsewhere: in the person's own store if this person forgot it, in the team's store if a teammate did. */
    async forget(tombstones: readonly PageTombstone[]): Promise<number> {
      const own = tombstones.filter(isOwn);
      const others = tombstones.filter((one) => !isOwn(one));
      let fresh = 0;
      const forgetIn = async (into: Pick<Store, 'pages' | 'removal'>, list: readonly PageTombstone[]) => {
        const known = new Set((await into.removal.tombstones()).map(({ print }) => print));
        const memories = await into.pages.forgottenUpTo();
        const prints = list.filter(({ print, memory }) => memory === null && !known.has(print));
        const pages = list.flatMap(({ memory, at }) =>
          memory === null || at <= (memories.get(memory) ?? -1) ? [] : [{ print: memory, at }],
        );
        if (prints.length + pages.length > 0) {
          const names = pages.map(({ print }) => print);
          await into.removal.takeTombstones(prints, names, { rules, now: clock() });
          await into.pages.noteForgotten(pages);
        }
        fresh += prints.length + pages.length;
      };
      if (own.length > 0) await forgetIn(store, own);
      if (others.length > 0 && shares.some((share) => !isOwn(share))) await forgetIn(await deps.team(), others);
      return fresh;
    },

    /** Removes what came from a share that this person no longer sees. */
    async drop(share: number): Promise<void> {
      for (const into of [store, await deps.team()]) {
        const given = (await into.memory.extractions()).filter(({ file }) => isOfShare(file, share));
        if (given.length > 0) await into.memory.dropExtractions(given);
        const files = (await into.transcripts.states()).filter(({ key }) => isOfShare(key, share));
        for (const { agent, key } of files)
          await into.transcripts.commit(
            [
              {
                ...{
                  agent,
                  key,
                  root: '',
                  size: 0,
                  subagent: undefined,
                  from: 0,
                  to: 0,
                  restart: true,
                  prune: true,
                  last: true,
                },
                ...{ lines: 0, malformed: 0, head: '', tail: '', state: emptyState(), bornAt: undefined, status: 'ok' },
                ...{ sessions: [], entries: [], results: [] },
              },
            ],
            rules,
          );
      }
    },
  };
}

const entryOf = ({ line }: FetchedEntry): ExportedEntry => ExportedEntry.parse(JSON.parse(line));

/** The folder that a session worked in, mapped into the project's folder here. */
function moved({ cwd, project }: ExportedFile['sessions'][number], folder: string): string | null {
  if (cwd === null || project === null || !cwd.startsWith(project)) return folder;
  return folder + cwd.slice(project.length);
}

async function isOnlyOfHub(store: Pick<Store, 'hub'>, agent: string, session: string): Promise<boolean> {
  const keys = await store.hub.transcriptKeys({ agent: agent as AgentName, session });
  return keys.length > 0 && keys.every((key) => key.startsWith(hubKeyPrefix));
}

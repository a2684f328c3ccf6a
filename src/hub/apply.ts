// What came from the hub → a store: the person's own for their other machines, a separate one for what teammates share.
import { conversationRules } from '../capture/conversation-rules.ts';
import { redactRow } from '../capture/transfer/import-lines.ts';
import type { AgentName } from '../schema/agent-name.ts';
import { ExportedRow } from '../schema/exported.ts';
import type { ConversationRules } from '../store/conversations/port.ts';
import { hubKeyPrefix } from '../store/hub/port.ts';
import type { Store } from '../store/store.ts';
import type { Chunk } from '../store/transcripts/port.ts';
import { HoldfastError } from '../system/errors.ts';
import { chunksOf, emptied, hubKey, isOfShare } from './chunks.ts';
import type { PageRow, PageTombstone, TranscriptPage } from './fetch.ts';
import type { HubDeps, HubSideStore, LocalProject, Share } from './local.ts';

export interface Target {
  /** Returns how many entries are new. */
  take(share: Share, transcripts: readonly TranscriptPage[]): Promise<number>;
  takeRows(share: Share, rows: readonly PageRow[]): Promise<void>;
}

/** More entries than this are committed together. */
const entriesInACommit = 500;

export function targetsOf(
  deps: HubDeps & { readonly team: () => Promise<HubSideStore> },
  local: ReadonlyMap<string, readonly LocalProject[]>,
) {
  const { store, membership, config, clock } = deps;
  const rules = conversationRules(config.settings);
  const isOwn = ({ person }: { readonly person: number }) => person === membership.personId;
  const storeOf = (share: Share): Promise<HubSideStore> => (isOwn(share) ? Promise.resolve(store) : deps.team());
  const folderOf = ({ project }: Share): string => local.get(project)?.[0]?.path ?? project;

  async function take(share: Share, transcripts: readonly TranscriptPage[]): Promise<number> {
    if (transcripts.length === 0) return 0;
    const into = await storeOf(share);
    const committing = committer(into, rules);
    const to = { store: into, share, folder: folderOf(share), isOwn: isOwn(share) };
    for (const transcript of transcripts)
      for await (const chunk of chunksOf(to, transcript)) await committing.add(chunk);
    return committing.end();
  }

  const takeRows = async (share: Share, rows: readonly PageRow[]): Promise<void> => {
    if (rows.length > 0) await takeRowsInto(await storeOf(share), share, isOwn(share), rows);
  };

  return {
    of: (_share: Share): Target => ({ take, takeRows }),

    /**
     * Forgets here what this person forgot elsewhere. What a teammate forgot is no longer in that teammate's transcripts, which this machine
     * reads again; another person may share the same session, and keeps it.
     */
    async forget(tombstones: readonly PageTombstone[]): Promise<number> {
      return tombstones.length === 0 ? 0 : forgetIn(store, tombstones, { rules, now: clock() });
    },

    /** Removes what came from a share that this person no longer sees. */
    async drop(share: number): Promise<void> {
      for (const into of [store, await deps.team()]) {
        const given = (await into.memory.extractions()).filter(({ file }) => isOfShare(file, share));
        if (given.length > 0) await into.memory.dropExtractions(given);
        const files = (await into.transcripts.states()).filter(({ key }) => isOfShare(key, share));
        for (const { agent, key } of files) await into.transcripts.commit([emptied(agent, key)], rules);
      }
    },
  };
}

/** Commits chunks of many transcripts together: one transaction for each would mostly wait for the disk. */
function committer(into: Pick<Store, 'transcripts'>, rules: ConversationRules) {
  let [batch, held, added]: [Chunk[], number, number] = [[], 0, 0];
  async function commit(): Promise<void> {
    const outcomes = batch.length === 0 ? [] : await into.transcripts.commit(batch, rules);
    if (outcomes.some(({ stale }) => stale))
      throw new HoldfastError('STORE_BUSY', 'Another process is applying changes from the hub', {
        hint: 'Try again in a moment; nothing is lost.',
      });
    for (const outcome of outcomes) added += outcome.added;
    [batch, held] = [[], 0];
  }
  return {
    async add(chunk: Chunk): Promise<void> {
      batch.push(chunk);
      held += chunk.entries.length;
      if (held >= entriesInACommit) await commit();
    },
    /** Returns how many entries are new. */
    async end(): Promise<number> {
      await commit();
      return added;
    },
  };
}

/** Rows that this machine derived itself stay; rows of sessions that exist only in the hub follow the hub. */
async function takeRowsInto(into: HubSideStore, share: Share, isOwn: boolean, rows: readonly PageRow[]): Promise<void> {
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
      if (isOwn) added.push(clean);
    } else if (clean.is === 'extraction') {
      if (isOwn) taken.push({ ...clean, file: hubKey(machine, share.id, clean.file) });
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

/** Returns how many of the tombstones are new here. */
async function forgetIn(
  into: Pick<Store, 'pages' | 'removal'>,
  list: readonly PageTombstone[],
  at: { readonly rules: ConversationRules; readonly now: number },
): Promise<number> {
  const known = new Set((await into.removal.tombstones()).map(({ print }) => print));
  const memories = await into.pages.forgottenUpTo();
  const prints = list.filter(({ print, memory }) => memory === null && !known.has(print));
  const pages = list.flatMap(({ memory, at: moment }) =>
    memory === null || moment <= (memories.get(memory) ?? -1) ? [] : [{ print: memory, at: moment }],
  );
  if (prints.length + pages.length > 0) {
    const names = pages.map(({ print }) => print);
    await into.removal.takeTombstones(prints, names, at);
    await into.pages.noteForgotten(pages);
  }
  return prints.length + pages.length;
}

async function isOnlyOfHub(store: Pick<Store, 'hub'>, agent: string, session: string): Promise<boolean> {
  const keys = await store.hub.transcriptKeys({ agent: agent as AgentName, session });
  return keys.length > 0 && keys.every((key) => key.startsWith(hubKeyPrefix));
}

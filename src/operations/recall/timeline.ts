// What happened, in order of time: the latest, or around a moment.

import { z } from 'zod';
import { line, toolGist } from '../../language/gist.ts';
import { deedOf } from '../../schema/deed.ts';
import { saidOrUsed } from '../../schema/entry.ts';
import { TimelineItem } from '../../schema/timeline-item.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { TimelineEntry } from '../../store/entries/port.ts';
import type { Store } from '../../store/store.ts';
import { type Context, operation } from '../operation.ts';
import { filterFields, limitField, toFilter } from './filters.ts';
import { find } from './find.ts';

const longest = 240;

export const Timeline = z.object({
  focus: z.string().optional().describe('the entry in the middle'),
  items: z.array(TimelineItem),
});

export const timeline = operation({
  name: 'timeline',
  summary: 'Show what happened, in order of time: the latest, or around an entry or session',
  input: z.object({
    around: z.string().min(1).optional().describe('id of an entry or session; its beginning is enough'),
    ...filterFields,
    prompts: z.boolean().optional().describe('only prompts, without answers and tools'),
    limit: limitField.default(30).describe('at most this many'),
  }),
  output: Timeline,
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    without: ['group'],
    description:
      'What happened in order of time: around a search hit (around: its id), or the latest. One line per step; use get for the full text.',
    foremost: true,
  },
  hintForExtra: (words) => `For one day: holdfast day ${words}. From a day on: holdfast timeline --since ${words}`,
  examples: [
    'holdfast timeline --project .',
    'holdfast timeline --around 0f3c --limit 20',
    'holdfast timeline --since yesterday --prompts',
    'holdfast timeline --since yesterday --json',
  ],
  async run(context: Context<'entries' | 'groups' | 'projects' | 'sessions'>, input) {
    const { store } = context;
    const filter = { ...(await toFilter(context, input)), prompts: input.prompts };
    const { limit } = input;
    if (input.around === undefined) {
      // With a start date, show the oldest entries; otherwise the newest.
      const end = filter.since !== undefined && filter.until === undefined ? 'oldest' : 'newest';
      return { items: await toItems(store, await store.entries.timeline({ ...filter, end, limit })) };
    }
    const { session, entry } = await find(store, input.around.trim(), input.agent);
    // Around an entry of a group, show only that group.
    const group = filter.group ?? (await store.groups.of({ agent: session.agent, session: session.id }));
    const at = Date.parse(entry?.at ?? session.startedAt);
    const until = Math.min(at, filter.until ?? at);
    const since = Math.max(at, filter.since ?? at);
    const before = await store.entries.timeline({ ...filter, group, until, end: 'newest', limit: limit - 1 });
    const after = await store.entries.timeline({ ...filter, group, since, end: 'oldest', limit });
    // Half on each side, and more on one side if the other has less.
    const later = Math.max(limit - before.length, Math.ceil(limit / 2));
    const earlier = before.slice(-Math.max(0, limit - Math.min(later, after.length)));
    // Entries of subagents and abandoned branches are not on the timeline, but the focused entry is always shown.
    const apart = entry !== undefined && !after.some((one) => one.entry.id === entry.id);
    const own = apart ? [{ entry, project: session.project }] : [];
    const kept = [...earlier, ...own, ...after.slice(0, later - own.length)];
    const focus =
      entry?.id ?? kept.find((one) => one.entry.session === session.id && Date.parse(one.entry.at) >= at)?.entry.id;
    return { ...(focus === undefined ? {} : { focus }), items: await toItems(store, kept) };
  },
});

export async function toItems(store: Pick<Store, 'entries'>, found: readonly TimelineEntry[]): Promise<TimelineItem[]> {
  const uses = new Map<string, ToolUse[]>();
  const users = found.filter(({ entry }) => entry.tools.length > 0).map(({ entry }) => entry.id);
  for (const use of await store.entries.toolUses(users)) uses.set(use.entry, [...(uses.get(use.entry) ?? []), use]);
  return found.map(({ entry, project }) => {
    const own = uses.get(entry.id) ?? [];
    const said = line(entry.text, longest);
    const [first] = own;
    return {
      at: entry.at,
      kind: 'entry',
      id: entry.id,
      session: entry.session,
      project,
      agent: entry.agent,
      role: entry.role,
      ...(said === '' && entry.tools.length > 0 ? { did: first === undefined ? 'other' : deedOf(first).kind } : {}),
      text: said || deeds(own) || saidOrUsed(entry).slice(0, longest),
    };
  });
}

const deeds = (uses: readonly ToolUse[]): string =>
  uses
    .slice(0, 3)
    .map((use) => `${toolGist(use, 100)}${use.outcome === 'error' ? ' (failed)' : ''}`)
    .join('; ');

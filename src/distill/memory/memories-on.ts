// A page's blocks → the memories that search finds: one per fact, per episode, and per section of people's own text.
import { parse } from 'yaml';
import type { MemoryKind } from '../../schema/memory.ts';
import type { NewMemory, Statement } from '../../store/memory/port.ts';
import type { Edit, PageState } from '../../store/pages/port.ts';
import { isHeading, isItem } from './blocks.ts';
import { isOwn, standing } from './edits.ts';
import { ownerOf } from './group-pages.ts';
import { hash } from './names.ts';
import type { TargetBlock } from './page.ts';
import { versionsOf } from './versions.ts';

/** Longer sections of a person's own text are split between two blocks. */
const longest = 1200;
/** Targets whose text is already elsewhere, or says nothing by itself. */
const unsaid = /^(field|title|h|act|rev):?|\/(from|title)$/;

export interface Part {
  readonly target: string;
  /** The targets of all its blocks. */
  readonly targets: string[];
  readonly title: string;
  text: string;
  /** A person's own paragraph, which the next one may continue. */
  readonly prose: boolean;
}

export interface OnPage extends Pick<PageState, 'statements' | 'merged'> {
  readonly page: string;
  readonly blocks: readonly TargetBlock[];
  readonly edits: readonly Edit[];
  readonly changedAt: number;
  readonly timeZone: string;
  /** True for a file that a person made, whatever its folder. */
  readonly personal?: boolean;
}

export function memoriesOn({
  page,
  blocks,
  personal = false,
  statements,
  merged,
  edits,
  changedAt,
  timeZone,
}: OnPage): NewMemory[] {
  const fields = fieldsOf(blocks);
  const pageTitle = stripped(blocks.find(isHeading)?.text ?? '') || String(fields.title ?? page);
  const { group, own } = personal ? { group: '', own: page } : ownerOf(page);
  const day = dayOf(own, fields);
  const kind = kindOf(own, day);
  const said = new Map(versionsOf(statements, merged).map(({ target, current }) => [target, current]));
  const edited = new Map([...standing(edits)].map(([target, { at }]) => [groupOf(target), at]));
  const pageProject = typeof fields.project === 'string' ? fields.project : projectOf(own, statements);
  const noon = day === undefined ? 0 : noonOf(day, timeZone);
  const used = new Map<string, number>();
  return partsOf(blocks, pageTitle).map(({ target, title, text }) => {
    const statement = said.get(target);
    const editedAt = edited.get(target) ?? (isOwn(target) ? changedAt : undefined);
    const unedited = editedAt === undefined ? statement : undefined;
    const ofDay = kind === 'dated' && noon > 0 ? noon : undefined;
    const name = isOwn(target) ? text : target;
    const again = used.get(name) ?? 0;
    used.set(name, again + 1);
    return {
      id: memoryId(page, target, text, again),
      ...{ page, target, title, text, kind },
      source: unedited?.source ?? 'person',
      saidBy: unedited?.saidBy ?? 'person',
      choice: unedited?.choice,
      form: unedited?.form,
      group,
      at: (kind === 'dated' ? (statement?.at ?? ofDay) : editedAt) ?? editedAt ?? statement?.at ?? changedAt,
      project: statement?.project || pageProject,
      session: statement?.session ?? '',
    };
  });
}

/** The id of a person's own line comes from its text, since its place may change. `again` distinguishes repetitions of the line. */
export const memoryId = (page: string, target: string, text: string, again = 0): string =>
  `m${hash(page, isOwn(target) ? text : target, again === 0 ? '' : String(again)).slice(0, 12)}`;

/** The target of the whole memory, without the suffix for one of its blocks. */
export const groupOf = (target: string): string => target.replace(/\/(\d+|title|from)$/, '');

export function partsOf(blocks: readonly TargetBlock[], pageTitle: string): Part[] {
  const parts: Part[] = [];
  let title = pageTitle;
  let open: Part | undefined;
  for (const block of blocks) {
    const group = groupOf(block.target);
    if (isHeading(block)) {
      title = stripped(block.text).replace(/^\d\d:\d\d /, '') || pageTitle;
      open = undefined;
      continue;
    }
    if (block.front || unsaid.test(block.target)) continue;
    const own = isOwn(group);
    const goesOn = own
      ? open?.prose === true && !isItem(block) && open.text.length + block.text.length <= longest
      : open?.target === group;
    if (goesOn && open !== undefined) {
      open.text += (block.tight ? '\n' : '\n\n') + block.text;
      open.targets.push(block.target);
    } else {
      open = {
        target: group,
        targets: [block.target],
        title,
        text: stripped(block.text),
        prose: own && !isItem(block),
      };
      parts.push(open);
    }
  }
  return parts.filter(({ text }) => text.trim() !== '');
}

/** Removes the Markdown of a list item, a heading or a key. */
export const stripped = (text: string): string =>
  text
    .replace(/^ ?(#{1,6}|[-*+]|\d{1,9}[.)])\s+/, '')
    .replace(/^\*\*(.+?:?)\*\*/, '$1')
    .trim();

function fieldsOf(blocks: readonly TargetBlock[]): Record<string, unknown> {
  const text = blocks
    .filter(({ front }) => front)
    .map((block) => block.text)
    .join('\n');
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // People may write anything there. Ignore frontmatter that is not YAML.
    return {};
  }
}

const evergreenFolders = /^(core|projects|relationships|insights)\//;

const kindOf = (page: string, day: string | undefined): MemoryKind =>
  !evergreenFolders.test(page) && (day !== undefined || page === 'questions.md') ? 'dated' : 'evergreen';

/** The day of a page, from its fields or its name. */
function dayOf(page: string, fields: Record<string, unknown>): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}/;
  return day.exec(String(fields.date ?? ''))?.[0] ?? day.exec(page.split('/').at(-1) ?? '')?.[0];
}

/** Noon in the person's time zone, to the hour. That is exact enough for memories that fade over weeks. */
function noonOf(day: string, timeZone: string): number {
  const at = Date.parse(`${day}T12:00:00Z`);
  if (Number.isNaN(at)) return 0;
  const hour = Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(at));
  return at + (12 - hour) * 3_600_000;
}

const projectOf = (page: string, statements: readonly Statement[]): string => {
  if (!page.startsWith('projects/')) return '';
  return statements.find(({ project }) => project !== '')?.project ?? (page.split('/')[1] as string);
};

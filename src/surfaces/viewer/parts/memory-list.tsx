import type { MemoryPageRow } from '../answers.ts';
import { asDay, fullDate } from '../days.ts';
import { address } from '../router.ts';
import { plural } from '../time.ts';
import { Inline } from './inline.tsx';
import { Ago } from './moment.tsx';

const groups = [
  ['core', 'Facts and preferences'],
  ['projects', 'Projects'],
  ['relationships', 'People'],
  ['milestones', 'Milestones'],
  ['insights', 'Insights'],
  ['episodes', 'Day by day'],
] as const;

export function MemoryList({ pages, current }: { pages: readonly MemoryPageRow[]; current: string | undefined }) {
  const folderOf = ({ page, own }: MemoryPageRow) =>
    own ? 'own' : groups.some(([folder]) => page.startsWith(`${folder}/`)) ? (page.split('/')[0] ?? '') : 'other';
  const parts = [...groups, ['own', 'Your own files'], ['other', 'Open']] as const;
  return (
    <nav aria-label="Pages of memory" class="memory-list">
      {parts.map(([folder, title]) => {
        const inside = pages.filter((row) => folderOf(row) === folder);
        if (isDated(folder)) inside.sort((a, b) => (a.page < b.page ? 1 : -1));
        if (inside.length === 0) return null;
        return (
          <div key={folder}>
            <h2>{title}</h2>
            <ul>
              {inside.map((row) => (
                <li key={row.page}>
                  <a
                    href={address('memoryPage', { page: row.page })}
                    aria-current={row.page === current ? 'page' : undefined}
                  >
                    <span class={isTitled(folder) ? 'two-lines' : 'cut'}>
                      <Inline text={nameOf(row)} />
                    </span>
                    <span class="dim">
                      {folder === 'episodes' ? plural(row.memories, 'memory', 'memories') : <Ago at={row.at} />}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

/** Pages about one thing, named after it. Their file names begin with the date. */
const isTitled = (folder: string): boolean => folder === 'milestones' || folder === 'insights';
/** The newest comes first. */
const isDated = (folder: string): boolean => folder === 'episodes' || isTitled(folder);

/** The title of a page about one thing; otherwise its name without its folder. An overview is named after its project, a day by its date. */
function nameOf({ page, title }: MemoryPageRow): string {
  if (isTitled(page.split('/')[0] ?? '') && title !== '') return title;
  const parts = page.replace(/\.md$/, '').split('/');
  if (parts.at(-1) === 'overview') return parts.at(-2) ?? page;
  const name = parts.at(-1) ?? page;
  const day = asDay(name);
  return day === undefined ? name : fullDate(day);
}

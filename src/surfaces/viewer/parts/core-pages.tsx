import { useAnswer } from '../answer.ts';
import type { MemoryPageRow } from '../answers.ts';
import { read } from '../api.ts';
import { address } from '../router.ts';
import { Answered } from './answered.tsx';
import { Markdown } from './markdown.tsx';
import { withoutFront } from './memory-text.tsx';

/** The core pages at a glance. They load together, so that nothing jumps. */
export function CorePages({ rows }: { rows: readonly MemoryPageRow[] }) {
  const answer = useAnswer(
    `core ${rows.map(({ page }) => page).join(' ')}`,
    (signal) => Promise.all(rows.map(({ page }) => read('memory show', { name: page }, signal))),
    ({ kind }) => kind === 'memory',
  );
  return (
    <Answered answer={answer} rows={4}>
      {(shown) =>
        shown.map(({ page, text }) => (
          <article key={page} class="memory-core">
            <h2>
              <a href={address('memoryPage', { page })}>{rows.find((row) => row.page === page)?.title ?? page}</a>
            </h2>
            <Markdown text={whatHolds(withoutFront(text))} />
          </article>
        ))
      }
    </Answered>
  );
}

/** Removes the title, which is shown above as a link. */
const whatHolds = (text: string): string => text.replace(/^\s*# .*\n/, '');

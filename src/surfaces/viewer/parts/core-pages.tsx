import { useAnswer } from '../answer.ts';
import type { MemoryPageRow } from '../answers.ts';
import { read } from '../api.ts';
import { address } from '../router.ts';
import { Answered } from './answered.tsx';
import { Markdown } from './markdown.tsx';
import { withoutFront } from './memory-text.tsx';

/** What holds everywhere, to be read at a glance: all of it at once, so that nothing jumps. */
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

/** The title stands above already, as a link; what held before is read on the page itself. */
const whatHolds = (text: string): string => text.replace(/^\s*# .*\n/, '');

import { useAnswer } from '../answer.ts';
import type { MemoryPageRow } from '../answers.ts';
import { read } from '../api.ts';
import { address } from '../router.ts';
import { Answered } from './answered.tsx';
import { Markdown } from './markdown.tsx';
import { withoutFront } from './memory-text.tsx';

/** A page of what holds everywhere, to be read among the others of its kind. */
export function CorePage({ row: { page, title } }: { row: MemoryPageRow }) {
  const answer = useAnswer(
    `memory page ${page}`,
    (signal) => read('memory show', { name: page }, signal),
    ({ kind }) => kind === 'memory',
  );
  return (
    <article class="memory-core">
      <h2>
        <a href={address('memoryPage', { page })}>{title}</a>
      </h2>
      <Answered answer={answer} rows={2}>
        {({ text }) => <Markdown text={whatHolds(withoutFront(text))} />}
      </Answered>
    </article>
  );
}

/** The title stands above already, as a link; what held before is read on the page itself. */
const whatHolds = (text: string): string => text.replace(/^\s*# .*\n/, '').replace(/\n## Revisions\n[\s\S]*$/, '\n');

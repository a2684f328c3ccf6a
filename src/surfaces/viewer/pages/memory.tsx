// Long-term memory: the list of pages, one page with its statements and their history, and open questions.
import { useAnswer } from '../answer.ts';
import type { MemoryPageRow } from '../answers.ts';
import { read } from '../api.ts';
import { Answered } from '../parts/answered.tsx';
import { CorePages } from '../parts/core-pages.tsx';
import { Empty } from '../parts/empty.tsx';
import { MemoryList } from '../parts/memory-list.tsx';
import { MemoryText } from '../parts/memory-text.tsx';
import { Questions } from '../parts/questions.tsx';
import { Remember } from '../parts/remember.tsx';
import { Statements } from '../parts/statements.tsx';
import { address, here } from '../router.ts';
import { useTitle } from '../title.ts';

const questionsPage = 'questions.md';

export function MemoryPage({ name }: { name: string | undefined }) {
  const list = useAnswer(
    'memory list',
    (signal) => read('memory list', {}, signal),
    ({ kind }) => kind === 'memory',
  );
  return (
    <section class={`page memory${name === undefined ? ' overview' : ''}`}>
      <div class="memory-side">
        <h1>Memory</h1>
        <Answered answer={list} rows={8}>
          {({ pages, folder }) => (
            <>
              <MemoryList pages={pages} current={name} />
              {pages.length > 0 && (
                <p class="dim memory-folder">
                  Markdown files in <span class="path">{folder}</span>. What you change there shows here, and vice
                  versa.
                </p>
              )}
            </>
          )}
        </Answered>
      </div>
      <div class="memory-main">
        {name === undefined ? (
          // Wait for the list: on a small screen it is above, and would push this down.
          (list.data || list.failure) && <Overview pages={list.data?.pages} />
        ) : (
          <OnePage key={name} name={name} />
        )}
      </div>
    </section>
  );
}

function Overview({ pages = [] }: { pages: readonly MemoryPageRow[] | undefined }) {
  const core = pages.filter(({ page, own }) => page.startsWith('core/') && !own);
  return (
    <>
      <Remember />
      {pages.some(({ page }) => page === questionsPage) && <Questions />}
      {pages.length === 0 && (
        <Empty title="There are no memories yet">
          <p>
            Holdfast writes pages some time after a conversation ends. You can also add a statement above, or with{' '}
            <code>holdfast remember</code>
          </p>
        </Empty>
      )}
      {core.length > 0 && <CorePages rows={core} />}
    </>
  );
}

function OnePage({ name }: { name: string }) {
  useTitle(name.replace(/\.md$/, ''));
  const page = useAnswer(
    `memory page ${name}`,
    async (signal) => {
      const shown = await read('memory show', { name }, signal);
      // The name is that of a single memory: show the page that contains it.
      return shown.page === withEnding(name) ? shown : read('memory show', { name: shown.page }, signal);
    },
    ({ kind }) => kind === 'memory',
  );
  const view = here.value.searchParams.get('view') ?? 'page';
  return (
    <>
      <p class="back">
        <a href={address('memory')}>All pages</a>
      </p>
      <Answered answer={page} rows={6}>
        {(shown) => {
          const to = (which?: string) => address('memoryPage', { page: shown.page }, { view: which });
          const focus = shown.page === withEnding(name) ? here.value.hash.slice(1) : name;
          return (
            <>
              <nav class="tabs" aria-label="Views of this page">
                <a href={to()} aria-current={view === 'page' ? 'page' : undefined}>
                  Page
                </a>
                <a href={to('statements')} aria-current={view === 'statements' ? 'page' : undefined}>
                  Facts and history
                </a>
              </nav>
              {view === 'statements' ? (
                <Statements shown={shown} focus={focus} again={page.again} />
              ) : shown.page === questionsPage ? (
                <Questions />
              ) : (
                <MemoryText shown={shown} again={page.again} />
              )}
            </>
          );
        }}
      </Answered>
    </>
  );
}

const withEnding = (name: string): string => (name.endsWith('.md') ? name : `${name}.md`);

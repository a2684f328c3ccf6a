// Search as one types. The field keeps the focus: arrows choose, Enter opens, Escape clears.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { agentTitles } from '../../schema/agent-titles.ts';
import { hasWords, onlySimilar } from '../../schema/hit.ts';
import { useAnswer } from '../answer.ts';
import type { Hit } from '../answers.ts';
import { read } from '../api.ts';
import { Answered } from '../parts/answered.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field, kinds, outcomes, ProjectField, times } from '../parts/filters.tsx';
import { HitRow, hitAddress } from '../parts/hit-row.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { go, here, setQuery } from '../router.ts';
import { plural } from '../time.ts';
import { useTitle } from '../title.ts';

const pauseMs = 150;
const pageSize = 50;
/** As many as the operation gives at all. */
const mostHits = 1000;
/** What a hit probably takes. */
const usualHeight = 116;
/** The field and the list below it are one thing to a screen reader; no list of the browser's own. */
const combobox = (open: boolean, active: number) =>
  ({
    role: 'combobox',
    list: undefined,
    'aria-expanded': open,
    'aria-controls': 'hits',
    'aria-autocomplete': 'list',
    'aria-activedescendant': active < 0 ? undefined : `hit-${active}`,
  }) as const;

/** Another question begins with few hits again. */
const narrow = (query: Readonly<Record<string, string>>): void => setQuery({ ...query, limit: '' });

export function Search() {
  const { searchParams: query } = here.value;
  const asked = query.get('q') ?? '';
  useTitle(asked === '' ? 'Search' : `${asked} · Search`);
  const [text, setText] = useState(asked);
  const field = useRef<HTMLInputElement>(null);
  // Before the next key comes: what is typed right after `/` belongs here.
  useLayoutEffect(() => field.current?.focus(), []);
  // The address follows the field after a pause. The field follows the address when somebody else changed it: back, forward, a link.
  const put = useRef(asked);
  useEffect(() => {
    if (asked !== put.current) setText(asked);
    put.current = asked;
  }, [asked]);
  useEffect(() => {
    const next = text.trim();
    if (next === asked) return;
    const timer = setTimeout(() => {
      put.current = next;
      narrow({ q: next });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);

  const filters = {
    kind: query.get('kind') ?? 'entry',
    tool: query.get('tool') ?? undefined,
    outcome: query.get('outcome') ?? undefined,
    project: query.get('project') ?? undefined,
    agent: query.get('agent') ?? undefined,
    since: query.get('since') ?? undefined,
    until: query.get('until') ?? undefined,
  };
  const limit = Math.max(pageSize, Math.min(mostHits, Math.trunc(Number(query.get('limit'))) || pageSize));
  const key = asked === '' ? undefined : JSON.stringify(['search', asked, filters, limit]);
  const answer = useAnswer(
    key,
    (signal) => read('search', { q: asked, ...filters, limit }, signal),
    ({ kind }) => kind === 'gone',
  );
  const projects = useAnswer('projects', (signal) => read('projects', {}, signal));
  const hits = (asked === '' ? undefined : answer.data?.hits) ?? [];

  const [active, setActive] = useState(-1);
  /** Where to scroll to a hit that is not in the document. */
  const [far, setFar] = useState<number>();
  useEffect(() => setActive(-1), [asked, JSON.stringify(filters)]);
  const choose = (next: number) => {
    const index = Math.max(-1, Math.min(next, hits.length - 1));
    setActive(index);
    const row = document.getElementById(`hit-${index}`);
    row?.scrollIntoView({ block: 'nearest' });
    setFar(row === null && index >= 0 ? index : undefined);
  };
  const open = () => {
    const chosen = hits[Math.max(0, active)];
    // What stands below may still be the answer to what was typed before.
    if (text.trim() !== asked) narrow({ q: text.trim() });
    else if (chosen !== undefined && !answer.waiting) go(hitAddress(chosen));
  };
  const onKey = (event: KeyboardEvent) => {
    // These keys choose the signs of a word then.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') choose(active + 1);
    else if (event.key === 'ArrowUp') choose(active - 1);
    else if (event.key === 'Enter') open();
    else if (event.key === 'Escape') setText('');
    else return;
    event.preventDefault();
  };

  return (
    <section class="page search">
      <h1 class="unseen">Search</h1>
      <search>
        <div class="search-line">
          <input
            ref={field}
            id="search-field"
            type="search"
            {...combobox(hits.length > 0, active)}
            aria-label="Search everything that was said and done"
            placeholder="Search everything that was said and done"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKey}
          />
          <kbd>/</kbd>
        </div>
        <div class="filters">
          <Field label="What" value={filters.kind} options={kinds} onChange={(kind) => narrow({ kind })} />
          <ProjectField
            projects={projects.data?.projects}
            value={filters.project}
            onChange={(project) => narrow({ project })}
          />
          <Field
            label="Agent"
            value={filters.agent ?? ''}
            options={[['', 'all agents'], ...Object.entries(agentTitles)]}
            onChange={(agent) => narrow({ agent })}
          />
          <Field
            label="Outcome"
            value={filters.outcome ?? ''}
            options={outcomes}
            onChange={(outcome) => narrow({ outcome })}
          />
          <Field label="When" value={filters.since ?? ''} options={times} onChange={(since) => narrow({ since })} />
        </div>
      </search>
      {asked === '' ? (
        <Empty title="Ask in your own words">
          <p>
            <code>flaky login test</code>, <code>"race condition"</code>, <code>what broke the deploy last week</code>
          </p>
          <p class="dim">
            <kbd>/</kbd> focuses, <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> clears.
          </p>
        </Empty>
      ) : (
        <Answered answer={answer} rows={10}>
          {({ hits: found, note }) => (
            <>
              <p class="dim count" role="status">
                {found.length === 0
                  ? ''
                  : `${found.length === limit ? 'More than ' : ''}${plural(found.length, 'hit')}`}
              </p>
              {found.length > 0 && !found.some(hasWords) && <p class="similar">{onlySimilar}</p>}
              {found.length === 0 && <Nothing note={note} isEmpty={projects.data?.projects.length === 0} />}
              {found.length > 0 && (
                <div class="hits">
                  <VirtualList
                    count={found.length}
                    label="Hits"
                    choices="hits"
                    estimate={() => usualHeight}
                    showIndex={far}
                    render={(i) => <HitRow hit={found[i] as Hit} index={i} of={found.length} active={i === active} />}
                  />
                </div>
              )}
              {found.length === limit && limit < mostHits && (
                <button type="button" onClick={() => setQuery({ limit: String(Math.min(mostHits, limit * 4)) })}>
                  Show more
                </button>
              )}
            </>
          )}
        </Answered>
      )}
    </section>
  );
}

/** `isEmpty`: no words would find anything. */
function Nothing({ note, isEmpty }: { note: string | undefined; isEmpty: boolean }) {
  return isEmpty ? (
    <Empty title="Nothing is remembered yet">
      <p>
        What your coding agents write is found here as soon as it is taken in. To take it in now:{' '}
        <code>holdfast ingest</code>
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing was found">
      <p>Fewer or other words may find it. Filters above may hide it.</p>
      {note && <p>{note}</p>}
    </Empty>
  );
}

// Search as you type. The field keeps the focus: arrows choose, Enter opens, Escape clears.
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hasWords, onlySimilar } from '../../../schema/hit-text.ts';
import { useAnswer } from '../answer.ts';
import type { Hit } from '../answers.ts';
import { read } from '../api.ts';
import { groupedHits, type HitRow as Row, sessionsIn } from '../grouped-hits.ts';
import { Answered } from '../parts/answered.tsx';
import { Empty } from '../parts/empty.tsx';
import { HitGroup, HitRow, hitAddress, RestRow } from '../parts/hit-row.tsx';
import { KeptSearches, SaveSearch } from '../parts/kept-searches.tsx';
import { filtersIn, SearchFilters } from '../parts/search-filters.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { go, here, setQuery } from '../router.ts';
import { noteSearch, searchOf } from '../searches.ts';
import { plural } from '../time.ts';
import { useTitle } from '../title.ts';

type HitRows = readonly Row[];

const none: ReadonlySet<string> = new Set();
/** The sessions whose hits are all shown. Kept for when the person returns from a hit. */
const unfolded = signal({ search: '', sessions: none });

const pauseMs = 150;
const pageSize = 50;
/** The limit of the operation. */
const mostHits = 1000;
/** One session gets this share of the hits at most, as long as other sessions have hits. */
const shareOfSession = 1 / 5;
/** The estimated height of a hit. */
const usualHeight = 116;
/** Presents the field and the list below as one control to screen readers, and turns off the browser's own list. */
const combobox = (open: boolean, active: number) =>
  ({
    role: 'combobox',
    list: undefined,
    'aria-expanded': open,
    'aria-controls': 'hits',
    'aria-autocomplete': 'list',
    'aria-activedescendant': active < 0 ? undefined : `hit-${active}`,
  }) as const;

/** A changed search starts with one page of hits again. */
const narrow = (query: Readonly<Record<string, string>>): void => setQuery({ ...query, limit: '' });

/** The text of the field. The address follows it after a pause; it follows the address after back, forward or a link. */
function useTyped(asked: string): [string, (text: string) => void] {
  const [text, setText] = useState(asked);
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
  return [text, setText];
}

type Wanted = NonNullable<Parameters<typeof read>[1]> & { readonly scope: string | undefined };

const useSearch = (wanted: Wanted, isAsking: boolean) =>
  useAnswer(
    isAsking ? JSON.stringify(['search', wanted]) : undefined,
    (signal) => read('search', wanted, signal),
    ({ kind }) => kind === 'gone',
  );

/** The hub may take seconds: until it answers, this shows what is on this machine. */
function useSearchInScope(wanted: Wanted, isAsking: boolean) {
  const isOfTeam = wanted.scope !== undefined;
  const all = useSearch(wanted, isAsking);
  const here = useSearch({ ...wanted, scope: undefined }, isAsking && isOfTeam);
  if (!isOfTeam || all.isCurrent || all.failure !== undefined || !here.isCurrent || here.data === undefined) return all;
  return { ...here, data: { ...here.data, note: 'The hub has not answered yet.' } };
}

/** What the address asks for, and the answer in rows. */
function useHits() {
  const { searchParams: query } = here.value;
  const asked = query.get('q') ?? '';
  const filters = filtersIn(query);
  const isAsking = asked !== '' || filters.file !== undefined;
  const limit = Math.max(pageSize, Math.min(mostHits, Math.trunc(Number(query.get('limit'))) || pageSize));
  const isFlat = query.has('flat');
  const wanted = { q: asked, ...filters, limit, perSession: isFlat ? undefined : Math.round(limit * shareOfSession) };
  const answer = useSearchInScope(wanted, isAsking);
  const hits = (isAsking ? answer.data?.hits : undefined) ?? [];
  const search = searchOf(query);
  const open = unfolded.value.search === search ? unfolded.value.sessions : none;
  const rows = useMemo(
    (): HitRows => (isFlat ? hits.map((hit) => ({ kind: 'hit', hit })) : groupedHits(hits, open)),
    [answer.data, isAsking, isFlat, open],
  );
  const unfold = (session: string) => {
    unfolded.value = { search, sessions: new Set([...open, session]) };
  };
  return { asked, filters, isAsking, limit, answer, isFlat, search, rows, unfold };
}
type Hits = ReturnType<typeof useHits>;

/** The row that the arrows have chosen; `far` is its index if it is not in the document. */
function useChosen({ rows, asked, filters }: Hits) {
  const [active, setActive] = useState(-1);
  const [far, setFar] = useState<number>();
  useEffect(() => setActive(-1), [asked, JSON.stringify(filters)]);
  const choose = (next: number) => {
    const index = Math.max(-1, Math.min(next, rows.length - 1));
    setActive(index);
    const row = document.getElementById(`hit-${index}`);
    row?.scrollIntoView({ block: 'nearest' });
    setFar(row === null && index >= 0 ? index : undefined);
  };
  return { active, far, choose };
}

export function Search() {
  const hits = useHits();
  // Asked for after the hits, which the person waits for.
  const projects = useAnswer('projects', (signal) => read('projects', {}, signal));
  const { asked, filters, rows, search } = hits;
  useTitle(asked === '' ? 'Search' : `${asked} · Search`);
  const [text, setText] = useTyped(asked);
  const field = useRef<HTMLInputElement>(null);
  // Focus before the next key press: text typed right after `/` belongs here.
  useLayoutEffect(() => field.current?.focus(), []);
  const { active, far, choose } = useChosen(hits);
  const enter = () => {
    const chosen = rows[Math.max(0, active)];
    // The hits may still belong to the earlier text.
    if (text.trim() !== asked) narrow({ q: text.trim() });
    else if (chosen === undefined || hits.answer.waiting) return;
    else if (chosen.kind === 'rest') hits.unfold(chosen.session);
    else {
      noteSearch(search);
      go(hitAddress(chosen.hit));
    }
  };
  const onKey = (event: KeyboardEvent) => {
    // During input of composed characters, these keys belong to the input method.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') choose(active + 1);
    else if (event.key === 'ArrowUp') choose(active - 1);
    else if (event.key === 'Enter') enter();
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
            {...combobox(rows.length > 0, active)}
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
        <SearchFilters filters={filters} narrow={narrow} projects={projects.data?.projects} />
      </search>
      {hits.isAsking ? <Found hits={hits} active={active} far={far} /> : <Unasked />}
    </section>
  );
}

function Found({ hits, active, far }: { hits: Hits; active: number; far: number | undefined }) {
  const { asked, filters, limit, answer, isFlat, search, rows, unfold } = hits;
  return (
    <Answered answer={answer} rows={10}>
      {({ hits: found, note }) => (
        <>
          <div class="count">
            <p class="dim" role="status">
              {countOf(found, limit)}
            </p>
            {search !== '' && <SaveSearch search={search} />}
            {found.length > 0 && (
              <label class="check">
                <input
                  type="checkbox"
                  checked={!isFlat}
                  onChange={(event) => setQuery({ flat: event.currentTarget.checked ? '' : '1' })}
                />
                Group by session
              </label>
            )}
          </div>
          {found.length > 0 && asked !== '' && !found.some(hasWords) && <p class="similar">{onlySimilar}</p>}
          {found.length > 0 && filters.scope !== undefined && note && <p class="dim">{note}</p>}
          {found.length === 0 && <Nothing note={note} />}
          {found.length > 0 && (
            <HitList rows={rows} active={active} far={far} unfold={unfold} opened={() => noteSearch(search)} />
          )}
          {found.length === limit && limit < mostHits && (
            <button type="button" onClick={() => setQuery({ limit: String(Math.min(mostHits, limit * 4)) })}>
              Show more
            </button>
          )}
        </>
      )}
    </Answered>
  );
}

const Unasked = () => (
  <>
    <Empty title="Ask in your own words">
      <p>
        <code>flaky login test</code>, <code>"race condition"</code>, <code>what broke the deploy last week</code>
      </p>
      <p class="dim">
        <kbd>/</kbd> focuses, <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> clears.
      </p>
    </Empty>
    <KeptSearches />
  </>
);

/** `More than 50 hits in 12 sessions`. */
function countOf(found: readonly Hit[], limit: number): string {
  if (found.length === 0) return '';
  const sessions = sessionsIn(found);
  const hits = `${found.length === limit ? 'More than ' : ''}${plural(found.length, 'hit')}`;
  return sessions === 0 ? hits : `${hits} in ${plural(sessions, 'session')}`;
}

function HitList({
  rows,
  active,
  far,
  unfold,
  opened,
}: {
  rows: HitRows;
  active: number;
  /** The index of a row to scroll to that is not in the document. */
  far: number | undefined;
  unfold: (session: string) => void;
  opened: () => void;
}) {
  const isGrouped = rows.some((row) => row.kind === 'rest' || row.head !== undefined);
  return (
    <div class="hits">
      <VirtualList
        count={rows.length}
        label="Hits"
        choices="hits"
        estimate={() => usualHeight}
        showIndex={far}
        render={(i) => {
          const row = rows[i];
          const place = { index: i, of: rows.length, active: i === active };
          if (row === undefined) return null;
          if (row.kind === 'rest') return <RestRow {...place} count={row.count} open={() => unfold(row.session)} />;
          return (
            <>
              {row.head && <HitGroup head={row.head} />}
              <HitRow {...place} hit={row.hit} grouped={isGrouped && row.hit.session !== ''} opened={opened} />
            </>
          );
        }}
      />
    </div>
  );
}

function Nothing({ note }: { note: string | undefined }) {
  const projects = useAnswer('projects', (signal) => read('projects', {}, signal));
  // Without projects, no search can find anything.
  return projects.data?.projects.length === 0 ? (
    <Empty title="Nothing is stored yet">
      <p>
        Search finds what your coding agents write as soon as it is imported. To import now:{' '}
        <code>holdfast ingest</code>
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing was found">
      <p>Try fewer or other words, or remove filters.</p>
      {note && <p>{note}</p>}
    </Empty>
  );
}

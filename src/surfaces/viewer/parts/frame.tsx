// The frame around every page: navigation, connection state, light or dark.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ViewerPage } from '../../../schema/viewer-page.ts';
import { connection, work } from '../live.ts';
import { address, here } from '../router.ts';
import { nextTheme, theme } from '../theme.ts';
import { Icon, type IconName } from './icon.tsx';
import { Spinner } from './work.tsx';

interface Way {
  readonly page: ViewerPage;
  readonly title: string;
  readonly icon: IconName;
  /** Other pages that belong to it. */
  readonly also?: readonly ViewerPage[];
}

export const ways: readonly Way[] = [
  { page: 'now', title: 'Now', icon: 'now' },
  { page: 'search', title: 'Search', icon: 'search' },
  { page: 'sessions', title: 'Sessions', icon: 'sessions', also: ['session'] },
  { page: 'timeline', title: 'Timeline', icon: 'timeline' },
  { page: 'memory', title: 'Memory', icon: 'memory', also: ['memoryPage'] },
  { page: 'projects', title: 'Projects', icon: 'projects', also: ['project', 'compare'] },
  { page: 'groups', title: 'Groups', icon: 'groups', also: ['group'] },
  { page: 'costs', title: 'Costs', icon: 'costs' },
  { page: 'health', title: 'Health', icon: 'health' },
];

const isAt = (way: Way, page: ViewerPage | undefined): boolean =>
  page !== undefined && (way.page === page || way.also?.includes(page) === true);

export function Frame({ page, children }: { page: ViewerPage | undefined; children: ComponentChildren }) {
  const bar = useRef<HTMLElement>(null);
  const content = useRef<HTMLElement>(null);
  const opened = useRef(page);
  const place = here.value.pathname;
  // Runs before the page, which may set a better title.
  useLayoutEffect(() => {
    const title = ways.find((way) => isAt(way, page))?.title;
    document.title = title === undefined ? 'Holdfast' : `${title} · Holdfast`;
  }, [place]);
  // In a narrow window the bar is wider than the screen.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
    // The focused element went away with the last page.
    if (page !== opened.current && document.activeElement === document.body)
      content.current?.focus({ preventScroll: true });
    opened.current = page;
  }, [page]);
  useEffect(() => (bar.current === null ? undefined : tellMore(bar.current)), []);
  return (
    <>
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        Skip to content
      </button>
      <header class="side">
        <a class="brand" href={address('now')} aria-label="Holdfast: what happens now">
          <Icon name="holdfast" />
          <span>Holdfast</span>
        </a>
        <nav aria-label="Pages" ref={bar}>
          {ways.map((way) => {
            const current = isAt(way, page);
            return (
              <a key={way.page} href={address(way.page)} aria-current={current ? 'page' : undefined}>
                <Icon name={way.icon} />
                <span>{way.title}</span>
                {way.page === 'now' && work.value.length > 0 && (
                  <span class="at-work">
                    <Spinner />
                    <span class="unseen">Holdfast is processing</span>
                  </span>
                )}
              </a>
            );
          })}
        </nav>
        <div class="side-foot">
          <Connection />
          <button
            type="button"
            class="quiet"
            onClick={nextTheme}
            title="Switch between light, dark and the system's theme"
          >
            <Icon name={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'half'} />
            <span>{{ system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' }[theme.value]}</span>
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1} ref={content}>
        {children}
      </main>
    </>
  );
}

/** Marks at which ends the bar goes on, so that no page is hidden without a sign. */
function tellMore(bar: HTMLElement): () => void {
  const look = () => {
    const { scrollLeft, clientWidth, scrollWidth } = bar;
    bar.classList.toggle('more-before', scrollLeft > 4);
    bar.classList.toggle('more-after', scrollLeft + clientWidth < scrollWidth - 4);
  };
  const sizes = new ResizeObserver(look);
  sizes.observe(bar);
  bar.addEventListener('scroll', look, { passive: true });
  return () => {
    sizes.disconnect();
    bar.removeEventListener('scroll', look);
  };
}

const says = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'The worker does not answer. The page comes back by itself.',
} as const;

function Connection() {
  const state = connection.value;
  return (
    <p class={`connection ${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span>{says[state]}</span>
    </p>
  );
}

// Real addresses without reloading the page: the router follows links, and uses the browser's own history.
import { signal } from '@preact/signals';
import { type ViewerPage, viewerPages } from '../../schema/viewer-page.ts';

export const here = signal(new URL(location.href));

export interface Place {
  readonly page: ViewerPage | undefined;
  /** The values in the path where the page's address has braces. */
  readonly params: Readonly<Record<string, string>>;
}

export function placeOf(path: string): Place {
  for (const [page, template] of Object.entries(viewerPages)) {
    const params = matched(template, path);
    if (params !== undefined) return { page: page as ViewerPage, params };
  }
  return { page: undefined, params: {} };
}

function matched(template: string, path: string): Record<string, string> | undefined {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of expected.entries()) {
    const text = given[i] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? text !== part : text === '') return undefined;
    if (name !== undefined) params[name] = decoded(text);
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No id contains a broken escape, so a lookup of the raw text finds nothing.
    return text;
  }
}

type Query = Readonly<Record<string, string | undefined>>;

/** The address of a page. */
export function address(page: ViewerPage, params: Record<string, string> = {}, query: Query = {}): string {
  const path = viewerPages[page].replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const stated = Object.entries(query).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '');
  const text = new URLSearchParams(stated).toString();
  return text === '' ? path : `${path}?${text}`;
}

export const sessionAddress = (id: string, entry?: string): string =>
  address('session', { id }) + (entry === undefined ? '' : `#${encodeURIComponent(entry)}`);

export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const next = new URL(to, location.href);
  if (replace) history.replaceState(history.state, '', next);
  else {
    keepTop();
    history.pushState(null, '', next);
  }
  const samePage = next.pathname === here.value.pathname;
  here.value = next;
  if (samePage) return;
  stopReturning?.();
  scrollTo(0, 0);
}

/** Changes the query of this page. Replaces the address, so that going back does not undo letter by letter. */
export function setQuery(query: Query): void {
  const next = new URL(here.value);
  for (const [name, value] of Object.entries(query)) {
    if ((value ?? '') === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value as string);
  }
  go(next.href, { replace: true });
}

const settledMs = 150;
const patienceMs = 3000;
let stopReturning: (() => void) | undefined;

/** The scroll position when the person left this entry of the history. */
const keptTop = (): number => {
  const { top } = (history.state ?? {}) as { top?: unknown };
  return typeof top === 'number' ? top : 0;
};

/** Scrolls back to where the person was, as soon as the page is long enough, unless the person moves first. */
function returnTo(top: number): void {
  stopReturning?.();
  const leaving = new AbortController();
  const { signal } = leaving;
  const stop = () => leaving.abort();
  const look = () => {
    if (document.documentElement.scrollHeight - innerHeight < top) return;
    scrollTo(0, top);
    stop();
  };
  const observer = new ResizeObserver(look);
  const timer = setTimeout(stop, patienceMs);
  for (const kind of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(kind, stop, { signal, passive: true });
  signal.addEventListener('abort', () => {
    observer.disconnect();
    clearTimeout(timer);
    stopReturning = undefined;
  });
  stopReturning = stop;
  // The observer also fires once at the start, after the page is drawn.
  observer.observe(document.body);
}

/** Does nothing while a page fills: it is shorter then, and its position is not where the person went. */
function keepTop(): void {
  if (stopReturning === undefined) history.replaceState({ top: scrollY }, '');
}

function keepTops(): void {
  history.scrollRestoration = 'manual';
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(keepTop, settledMs);
  });
  returnTo(keptTop());
}

export function followLinks(): void {
  keepTops();
  addEventListener('popstate', () => {
    here.value = new URL(location.href);
    returnTo(keptTop());
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null;
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target !== '') return;
    const to = new URL(link.href);
    if (to.origin !== location.origin || placeOf(to.pathname).page === undefined) return;
    event.preventDefault();
    go(to.href);
  });
}

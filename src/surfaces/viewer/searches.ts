// Saved searches, and recent searches that led to a hit. They stay in this browser.
import { signal } from '@preact/signals';
import { agentTitles } from '../../schema/agent-titles.ts';

/** Each search is the query of its address, such as `q=flaky+test&kind=command`. */
export interface Searches {
  readonly saved: readonly string[];
  readonly recent: readonly string[];
}

const key = 'holdfast-searches';
const mostRecent = 8;
const mostSaved = 50;
/** Longer searches are not kept. */
const longest = 2000;
const nothing: Searches = { saved: [], recent: [] };

export const searches = signal<Searches>(stored());

function stored(): Searches {
  try {
    return readSearches(localStorage.getItem(key));
  } catch {
    // This browser stores nothing.
    return nothing;
  }
}

/** Contract: never throws. An older version or another program may have written anything: only lists of texts count. */
export function readSearches(text: string | null): Searches {
  const { saved, recent } = fieldsOf(text);
  return { saved: texts(saved, mostSaved), recent: texts(recent, mostRecent) };
}

function fieldsOf(text: string | null): Partial<Record<keyof Searches, unknown>> {
  try {
    return JSON.parse(text ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function texts(value: unknown, most: number): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [];
  return all
    .filter((one): one is string => typeof one === 'string' && one !== '' && one.length <= longest)
    .slice(0, most);
}

function put(next: Searches): void {
  searches.value = next;
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    // The searches then last as long as the page.
  }
}

/** Equal searches give equal texts: without `limit` and `flat`, names sorted. */
export function searchOf(query: URLSearchParams): string {
  const own = [...query].filter(([name, value]) => value !== '' && name !== 'limit' && name !== 'flat');
  return new URLSearchParams(own.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

const first = (all: readonly string[], one: string, most: number): string[] =>
  one === '' || one.length > longest ? [...all] : [one, ...all.filter((other) => other !== one)].slice(0, most);

export const noteSearch = (search: string): void =>
  put({ ...searches.value, recent: first(searches.value.recent, search, mostRecent) });
export const saveSearch = (search: string): void =>
  put({ ...searches.value, saved: first(searches.value.saved, search, mostSaved) });
export const dropSaved = (search: string): void =>
  put({ ...searches.value, saved: searches.value.saved.filter((one) => one !== search) });
export const dropRecent = (): void => put({ ...searches.value, recent: [] });

/** `flaky test · command · holdfast`: the words, then the filters. */
export function nameOfSearch(search: string): string {
  const query = new URLSearchParams(search);
  const words = query.get('q') ?? '';
  const others = [...query].filter(([name]) => name !== 'q').map(([name, value]) => nameOfFilter(name, value));
  return [words, ...others].filter((part) => part !== '').join(' · ');
}

function nameOfFilter(name: string, value: string): string {
  if (name === 'project') return value.split(/[/\\]/).findLast((part) => part !== '') ?? value;
  if (name === 'agent') return (agentTitles as Readonly<Record<string, string>>)[value] ?? value;
  if (name === 'role') return value === 'user' ? 'prompts' : 'answers';
  if (name === 'since') return `since ${value}`;
  if (name === 'until') return `until ${value}`;
  if (name === 'subagents') return 'without subagents';
  if (name === 'outcome') return value === 'error' ? 'tool failed' : 'tool succeeded';
  return value;
}

// Ctrl+K: pages, projects, sessions and actions by a few letters. The field keeps the focus; arrows choose, Enter goes.
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import { read } from '../api.ts';
import { today } from '../days.ts';
import { fitting, type PaletteItem } from '../palette-items.ts';
import { address, go, here, sessionAddress } from '../router.ts';
import { nameOfSearch, searches } from '../searches.ts';
import { nextTheme } from '../theme.ts';
import { dateOf } from '../time.ts';
import { Dialog } from './dialog.tsx';
import { ways } from './frame.tsx';
import { showKeys } from './keys.tsx';

/** The same limit as on the page of all sessions, so that one answer serves both. */
const mostSessions = 5000;

export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      // The person must answer an open dialog first.
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isOpen ? <Open close={() => setOpen(false)} /> : null;
}

function Open({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const items = useItems();
  const found = useMemo(() => [...fitting(items, typed), ...searchFor(typed)], [items, typed]);
  const run = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    close();
    item.run();
  };
  const choose = (next: number) => {
    const index = (next + found.length) % found.length;
    setActive(index);
    document.getElementById(`${list}-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') choose(active + 1);
    else if (event.key === 'ArrowUp') choose(active - 1);
    else if (event.key === 'Enter') run(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={close} kind="palette">
      <input
        ref={field}
        type="search"
        {...combobox(list, found.length === 0 ? undefined : `${list}-${active}`)}
        aria-label="Page, project, session or action"
        placeholder="Page, project, session or action"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKey}
      />
      <div id={list} role="listbox" aria-label="Places and actions" class="palette-list">
        {found.map((item, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and Enter there chooses
          <div
            key={`${item.kind} ${item.title} ${item.about ?? ''} ${i}`}
            id={`${list}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            class={`row${i === active ? ' active' : ''}`}
            onClick={() => run(item)}
          >
            <span class="kind">{item.kind}</span> <span class="palette-title">{item.title}</span>
            {item.about && <span class="dim palette-about">{item.about}</span>}
          </div>
        ))}
      </div>
    </Dialog>
  );
}

/** Presents the field and the list below as one control to screen readers, and turns off the browser's own list. */
const combobox = (list: string, active: string | undefined) =>
  ({
    role: 'combobox',
    list: undefined,
    'aria-expanded': true,
    'aria-controls': list,
    'aria-autocomplete': 'list',
    'aria-activedescendant': active,
  }) as const;

function searchFor(typed: string): PaletteItem[] {
  const words = typed.trim();
  if (words === '') return [];
  return [{ kind: 'search', title: `Search for “${words}”`, run: () => go(address('search', {}, { q: words })) }];
}

function useItems(): readonly PaletteItem[] {
  const projects = useAnswer('projects', (signal) => read('projects', {}, signal));
  const sessions = useAnswer('all sessions', (signal) => read('sessions', { limit: mostSessions }, signal));
  return useMemo(() => {
    return [
      ...ways.map(({ page, title }): PaletteItem => ({ kind: 'page', title, run: () => go(address(page)) })),
      ...actions(),
      ...searches.value.saved.map(
        (search): PaletteItem => ({
          kind: 'search',
          title: nameOfSearch(search),
          about: 'saved',
          run: () => go(address('search', {}, Object.fromEntries(new URLSearchParams(search)))),
        }),
      ),
      ...(projects.data?.projects ?? []).map(
        ({ path, label }): PaletteItem => ({
          kind: 'project',
          title: label,
          about: path,
          run: () => go(address('project', { path })),
        }),
      ),
      ...(sessions.data?.sessions ?? []).map(
        ({ id, title, project, endedAt }): PaletteItem => ({
          kind: 'session',
          title: title || 'Untitled session',
          about: `${project || 'no project'} · ${dateOf(endedAt)}`,
          run: () => go(sessionAddress(id)),
        }),
      ),
    ];
  }, [projects.data, sessions.data]);
}

function actions(): PaletteItem[] {
  const action = (title: string, run: () => void): PaletteItem => ({ kind: 'action', title, run });
  return [
    action('Change the theme', nextTheme),
    action('Show the keys', showKeys),
    action('Copy the link to this page', () => void navigator.clipboard.writeText(here.value.href)),
    action('Show today', () => go(address('timeline', {}, { day: today() }))),
  ];
}

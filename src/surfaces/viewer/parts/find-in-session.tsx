// Find in a session: searches all entries, whether they are in the document or not.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Session } from '../answers.ts';
import { read } from '../api.ts';
import { placeInSight } from '../in-sight.ts';
import { useMarked } from '../marked-words.ts';
import { firstFrom, turned } from '../prompts.ts';
import { go, sessionAddress } from '../router.ts';

const pauseMs = 120;

export function FindInSession({ session, subagents }: { session: Session; subagents: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const [index, setIndex] = useState(0);
  const { id, agent } = session;
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const answer = useAnswer(query === '' ? undefined : `find ${id} ${subagents} ${query}`, (signal) =>
    read('sessions find', { id, agent, query, subagents }, signal),
  );
  const matches = query === '' ? [] : (answer.data?.matches ?? []);
  useMarked(query);
  const show = (next: number) => {
    const match = matches[next];
    setIndex(next);
    if (match !== undefined) go(sessionAddress(id, match.id), { replace: true });
  };
  // Show the first match from where the reader is.
  useEffect(() => {
    if (matches.length > 0) show(firstFrom(matches, placeInSight()));
  }, [answer.data]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && !event.shiftKey;
      // In the field, the same keys open the browser's own search.
      if (!isFind || document.activeElement === field.current) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const count =
    query === '' || answer.data === undefined
      ? ''
      : matches.length === 0
        ? 'Not in this session'
        : `${index + 1} of ${matches.length}${answer.data.more ? '+' : ''}`;
  return (
    <search class="find">
      <input
        ref={field}
        type="search"
        aria-label="Find in this session"
        placeholder="Find in this session"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') show(turned(index, event.shiftKey ? -1 : 1, matches.length));
          else if (event.key === 'Escape') {
            setTyped('');
            setQuery('');
          } else return;
          event.preventDefault();
        }}
      />
      <span class="dim" role="status">
        {count}
      </span>
      {matches.length > 1 && (
        <>
          <button
            type="button"
            class="quiet"
            aria-label="Previous match"
            onClick={() => show(turned(index, -1, matches.length))}
          >
            ↑
          </button>
          <button
            type="button"
            class="quiet"
            aria-label="Next match"
            onClick={() => show(turned(index, 1, matches.length))}
          >
            ↓
          </button>
        </>
      )}
    </search>
  );
}

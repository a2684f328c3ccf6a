// Shows an answer, or that it is loading, or why it failed.
import type { ComponentChildren } from 'preact';
import type { Answer } from '../answer.ts';
import type { Failure } from '../api.ts';
import { address } from '../router.ts';
import { Inline } from './inline.tsx';

/** `rows`: how many lines to keep free while the first answer is on its way. */
export function Answered<T>({
  answer,
  rows = 6,
  children,
}: {
  answer: Answer<T>;
  rows?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, failure, waiting } = answer;
  return (
    <>
      {failure && <Trouble failure={failure} again={answer.again} />}
      {data === undefined ? waiting && <Skeleton rows={rows} /> : children(data)}
    </>
  );
}

/** For content that has the same size without data: shows it immediately, and fills it when the answer comes. */
export function Filled<T>({
  answer,
  empty,
  children,
}: {
  answer: Answer<T>;
  empty: T;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <>
      {answer.failure && <Trouble failure={answer.failure} again={answer.again} />}
      <div aria-busy={answer.data === undefined && answer.waiting ? true : undefined}>
        {children(answer.data ?? empty)}
      </div>
    </>
  );
}

export function Trouble({ failure, again }: { failure: Failure; again?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{failure.message}.</strong> {failure.hint && <Inline text={failure.hint} />}
      </p>
      {again && failure.code === 'NOT_FOUND' && <a href={address('search')}>Search for it</a>}
      {again && failure.code !== 'NOT_FOUND' && failure.code !== 'BAD_INPUT' && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="skeleton" aria-busy="true" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="bar" />
      ))}
    </div>
  );
}

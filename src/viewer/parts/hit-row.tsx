import type { Hit } from '../answers.ts';
import { address, sessionAddress } from '../router.ts';
import { Ago } from './moment.tsx';
import { Snippet } from './snippet.tsx';

/** Where a hit can be read. */
export function hitAddress({ kind, id, session }: Hit): string {
  if (kind === 'memory') return address('memoryPage', { page: id });
  return kind === 'entry' ? sessionAddress(session, id) : sessionAddress(session);
}

const says = { user: 'prompt', assistant: 'answer' } as const;

export function HitRow({ hit, index, of, active }: { hit: Hit; index: number; of: number; active: boolean }) {
  return (
    <a
      id={`hit-${index}`}
      role="option"
      aria-selected={active}
      aria-setsize={of}
      aria-posinset={index + 1}
      class={`row hit${active ? ' active' : ''}`}
      href={hitAddress(hit)}
      tabIndex={-1}
    >
      <span class="row-meta">
        <span class="kind">{hit.role ? says[hit.role] : hit.kind}</span>
        <span>{hit.project || 'no project'}</span>
        {hit.title && (
          <span>
            <span class="cut">{hit.title}</span>
          </span>
        )}
        {hit.abandoned && <span>on a branch that was left</span>}
        {hit.gone && <span>no longer in the transcript</span>}
        <Ago at={hit.at} />
      </span>
      {hit.turn && <span class="why">asked: {hit.turn.asked}</span>}
      {hit.snippet !== '' && <Snippet text={hit.snippet} />}
      {hit.use && (
        <span class="use">
          <code>
            {hit.use.tool}: {hit.use.did}
          </code>
          {hit.use.outcome === 'error' && <span class="failed"> failed</span>}
          {hit.use.line && <span class="dim"> → {hit.use.line}</span>}
        </span>
      )}
      {hit.why && hit.why.length > 0 && <span class="why">found by: {hit.why.join(' · ')}</span>}
    </a>
  );
}

import type { Hit } from '../answers.ts';
import type { GroupHead } from '../grouped-hits.ts';
import { address, here, sessionAddress } from '../router.ts';
import { plural } from '../time.ts';
import { Inline } from './inline.tsx';
import { Ago } from './moment.tsx';
import { Snippet } from './snippet.tsx';

/** The address of a hit. A hit that only the hub holds has no page here, so its link stays on the search. */
export function hitAddress({ kind, id, session, by }: Hit): string {
  if (by !== undefined) return `${here.value.pathname}${here.value.search}`;
  if (kind === 'memory') return address('memoryPage', { page: id });
  return kind === 'entry' ? sessionAddress(session, id) : sessionAddress(session);
}

const says = { user: 'prompt', assistant: 'answer' } as const;

/** An answer that says nothing and only uses a tool is named by the tool. */
const isUseAlone = ({ role, snippet, use }: Hit): boolean =>
  role === 'assistant' && snippet === '' && use !== undefined;

const kindOf = (hit: Hit): string => (isUseAlone(hit) ? hit.use?.tool : hit.role && says[hit.role]) ?? hit.kind;

/** A subagent's orders are not a person's prompt. */
const ofSubagent = (hit: Hit): string => (hit.role === 'user' ? 'told to a subagent' : `subagent: ${kindOf(hit)}`);

/** `grouped`: project and title are shown above the group. Screen readers get them with each hit. */
export function HitRow({
  hit,
  index,
  of,
  active,
  grouped = false,
  opened,
}: {
  hit: Hit;
  index: number;
  of: number;
  active: boolean;
  grouped?: boolean;
  opened?: () => void;
}) {
  return (
    <a
      id={`hit-${index}`}
      role="option"
      aria-selected={active}
      aria-setsize={of}
      aria-posinset={index + 1}
      class={`row hit${active ? ' active' : ''}`}
      href={hitAddress(hit)}
      onClick={opened}
      tabIndex={-1}
    >
      <span class="row-meta">
        <span class="kind">
          {hit.subagent === undefined ? kindOf(hit) : ofSubagent(hit)}
          {grouped && (
            <span class="unseen">
              {' '}
              in {hit.project || 'no project'}, {hit.title}
            </span>
          )}
        </span>
        {!grouped && <span>{hit.project || 'no project'}</span>}
        {!grouped && hit.title && (
          <span>
            <span class="cut">{hit.title}</span>
          </span>
        )}
        {hit.abandoned && <span>on an abandoned branch</span>}
        {hit.gone && <span>no longer in the transcript</span>}
        {hit.by && (
          <span>
            {hit.by}
            {hit.machine ? ` on ${hit.machine}` : ''}
          </span>
        )}
        <Ago at={hit.at} />
      </span>
      {hit.turn && <span class="why">asked: {hit.turn.asked}</span>}
      {hit.snippet !== '' && <Snippet text={hit.snippet} />}
      {hit.use && (
        <span class="use">
          <code>{isUseAlone(hit) ? hit.use.did : `${hit.use.tool}: ${hit.use.did}`}</code>
          {hit.use.outcome === 'error' && <span class="failed"> failed</span>}
          {hit.use.line && <span class="dim"> → {hit.use.line}</span>}
        </span>
      )}
      {hit.by && hit.kind !== 'memory' && (
        <span class="why">
          continue on this machine: <code>holdfast resume {hit.session}</code>
        </span>
      )}
      {hit.why && hit.why.length > 0 && <span class="why">found by: {hit.why.join(' · ')}</span>}
    </a>
  );
}

/** The session that the hits below come from. */
export function HitGroup({ head: { title, project, count } }: { head: GroupHead }) {
  return (
    <p class="hit-group" aria-hidden="true">
      <strong>
        <Inline text={title || 'Untitled session'} />
      </strong>
      <span class="dim">
        {project || 'no project'} · {plural(count, 'hit')}
      </span>
    </p>
  );
}

/** A row among the hits that opens the other hits of a session. */
export function RestRow({
  count,
  index,
  of,
  active,
  open,
}: {
  count: number;
  index: number;
  of: number;
  active: boolean;
  open: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and Enter there opens it
    <div
      id={`hit-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      aria-setsize={of}
      aria-posinset={index + 1}
      class={`row rest${active ? ' active' : ''}`}
      onClick={open}
    >
      {plural(count, 'more hit')} in this session
    </div>
  );
}

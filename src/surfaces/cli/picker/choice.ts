// One line of the picker: a session, or a hit of a search.
import type { Hit } from '../../../schema/hit.ts';
import type { Session } from '../../../schema/session.ts';
import { titleOf } from '../session-title.ts';

export interface Choice {
  /** Differs between any two choices of a list. */
  readonly key: string;
  readonly id: string;
  readonly at: string;
  readonly project: string;
  readonly title: string;
  /** Where the words were found, with marks; empty if the title matched. */
  readonly snippet: string;
  /** Shown in one line below the list when it is chosen. */
  readonly facts: readonly string[];
}

/** A line of the text that belongs to a choice. */
export interface Said {
  readonly by: 'person' | 'other';
  readonly text: string;
}

export const keyOf = ({ agent, id }: Pick<Session, 'agent' | 'id'>): string => `${agent} ${id}`;

export const ofSession = (session: Session, snippet = ''): Choice => ({
  key: keyOf(session),
  id: session.id,
  at: session.endedAt,
  project: session.project,
  title: titleOf(session),
  snippet,
  facts: [session.project, session.cwd, session.agent],
});

export function ofHit({ kind, id, agent, at, project, title = '', snippet, role, use }: Hit): Choice {
  const text = use === undefined ? snippet : `${use.tool}: ${use.did}`;
  const who = role === 'user' ? 'you' : (role ?? kind);
  return {
    key: `${kind} ${agent ?? ''} ${id}`,
    id,
    at,
    project,
    title: text || title,
    snippet: '',
    facts: [title, project, who, ...(agent === undefined ? [] : [agent])],
  };
}

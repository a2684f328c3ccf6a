// Which session a person means by an id or by words. Never guesses between several.

import { search } from '../../recall/search.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Hit } from '../../schema/hit.ts';
import type { Session } from '../../schema/session.ts';
import { HoldfastError } from '../../system/errors.ts';
import type { Context } from '../operation.ts';
import { find } from './find.ts';

/** Compare at most this many sessions. */
const mostCompared = 12;
const mostNamed = 6;
/** How far the best must be ahead of the next to be the only one meant. */
const clearLead = 1.4;

/**
 * By id; otherwise by words, if one session clearly matches best. If several match, the person chooses, starting with
 * these words.
 * Contract: throws if no session matches, or if several match and there is no terminal to ask in.
 */
export async function sessionMeant(
  context: Context<'conversations' | 'distilled' | 'entries' | 'search' | 'sessions' | 'vectors'>,
  words: string,
  agent: AgentName | undefined,
): Promise<Session | undefined> {
  try {
    return (await find(context.store, words, agent)).session;
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'NOT_FOUND' || isIdLike(words)) throw error;
  }
  const meant = await byWords(context, words, agent);
  if (meant.length === 0)
    throw new HoldfastError(
      'NOT_FOUND',
      `No session has the id ${JSON.stringify(words)}, and no session has these words`,
      {
        hint: 'Search by meaning with: holdfast search <words> --kind session. List sessions with: holdfast sessions',
      },
    );
  if (meant.length === 1) return meant[0];
  const chosen = await context.person?.chooseSession?.(agent, words);
  if (chosen !== undefined) return chosen;
  const named = meant.slice(0, mostNamed).map(({ id, project, title }) => `${id.slice(0, 13)}  ${project}: ${title}`);
  const more = meant.length > mostNamed ? `\n  … and ${meant.length - mostNamed} more` : '';
  throw new HoldfastError('AMBIGUOUS', `${JSON.stringify(words)} could mean ${meant.length} sessions`, {
    hint: `Give more words, or the id:\n  ${named.join('\n  ')}${more}`,
  });
}

/** One word of hexadecimal digits, long enough or with a digit in it: people do not search for such words. */
export const isIdLike = (words: string): boolean =>
  /^[0-9a-f]{8}[0-9a-f-]*$/i.test(words) || (/^[0-9a-f-]{4,}$/i.test(words) && /\d/.test(words));

/** The session that clearly matches best, or all that could be meant. Sessions with none of the words are excluded. */
async function byWords(
  context: Context<'conversations' | 'distilled' | 'entries' | 'search' | 'sessions' | 'vectors'>,
  words: string,
  agent: AgentName | undefined,
): Promise<Session[]> {
  const { store } = context;
  const wanted = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const titled = (await store.sessions.list(agent === undefined ? {} : { agent })).filter(
    ({ title, resume }) => resume !== undefined && wanted.length > 0 && hasAll(title, wanted),
  );
  if (titled.length === 1) return titled;
  const filter = agent === undefined ? {} : { agent };
  const { hits } = await search(context, { query: words, kind: 'session', limit: mostCompared, filter });
  const having = hits.filter(({ why = [] }) => why.some((one) => /^(?:words: |has )/.test(one)));
  const [first, second] = having;
  const isClear = first !== undefined && (second === undefined || first.score >= clearLead * second.score);
  const found = await Promise.all((isClear ? [first] : having).map((hit) => sessionOf(context, hit)));
  const known = found.filter((one) => one !== undefined);
  const others = isClear && titled.length === 0 ? [] : titled.filter(({ id }) => !known.some((one) => one.id === id));
  return [...known, ...others];
}

const hasAll = (title: string, words: readonly string[]): boolean => {
  const text = title.toLowerCase();
  return words.every((word) => text.includes(word));
};

const sessionOf = async ({ store }: Context<'sessions'>, hit: Hit): Promise<Session | undefined> =>
  (await store.sessions.find(hit.session)).find((one) => one.id === hit.session && one.agent === hit.agent);

// `holdfast search` without words at a terminal: the person types, sees hits and chooses one, and that is shown.

import type { Context, Operation } from '../../operations/operation.ts';
import { toFilter } from '../../operations/recall/filters.ts';
import { get } from '../../operations/recall/get.ts';
import { search } from '../../operations/recall/search.ts';
import { show } from '../../operations/recall/show.ts';
import { canSearchLive, chooseHit } from './picker/choose.ts';
import type { SearchInput } from './picker/search-answer.ts';
import { nextOf } from './render/search.ts';

export interface Next {
  readonly operation: Operation;
  readonly input: Record<string, unknown>;
}

/** Whether this call leaves the words to a person who can type them now. */
export function isLiveSearch({ name }: Operation, input: Record<string, unknown>): boolean {
  if (name !== search.name) return false;
  const { query, file, scope } = input as SearchInput;
  // A hub far away cannot answer each key.
  return query.trim() === '' && file === undefined && scope !== 'team' && canSearchLive();
}

/** What shows the chosen hit. Undefined if nothing is stored. Throws `Left` if the person chooses nothing. */
export async function searchLive(
  context: Context & { readonly signal: AbortSignal },
  input: Record<string, unknown>,
): Promise<Next | undefined> {
  const { store } = context;
  if ((await store.sessions.list({ limit: 1 })).length === 0) return undefined;
  // Wrong filters are refused before the person types.
  await toFilter(context, input, { anyProject: (input as SearchInput).scope === 'team' });
  const hit = await chooseHit(context, input as SearchInput);
  if (hit === undefined) return undefined;
  const { command, id } = nextOf(hit);
  const { agent } = hit;
  return command === 'get'
    ? { operation: get, input: get.input.parse({ ids: [id] }) }
    : { operation: show, input: show.input.parse({ id, ...(agent === undefined ? {} : { agent }) }) };
}

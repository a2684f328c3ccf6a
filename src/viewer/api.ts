// The worker's operations over HTTP. The cookie opens them; whoever has none is told how to get one.
import { signal } from '@preact/signals';
import type { ApiError } from '../schema/api-error.ts';
import type { Changes, Reads } from './answers.ts';

/** Set when the worker does not let this browser in. */
export const locked = signal(false);

/** What went wrong, and what to do. */
export class Failure extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

type Params = Readonly<Record<string, string | number | boolean | undefined>>;

const pathOf = (name: string): string => `/api/${name.replaceAll(' ', '/')}`;

export function read<Name extends keyof Reads>(
  name: Name,
  params: Params = {},
  signal?: AbortSignal,
): Promise<Reads[Name]> {
  const { id, ...rest } = params;
  const path = name === 'show' ? `/api/sessions/${encodeURIComponent(String(id))}` : pathOf(name);
  const stated = Object.entries(name === 'show' ? rest : params).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(stated.map(([key, value]) => [key, String(value)])).toString();
  return call(query === '' ? path : `${path}?${query}`, signal ? { signal } : {});
}

export const change = <Name extends keyof Changes>(name: Name, input: object): Promise<Changes[Name]> =>
  call(pathOf(name), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });

async function call<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Failure('UNREACHABLE', 'The worker does not answer', 'It may be starting anew. Otherwise: holdfast open');
  }
  if (response.status === 401) locked.value = true;
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const { error } = (answer ?? {}) as Partial<ApiError>;
  throw new Failure(
    error?.code ?? 'INTERNAL',
    error?.message ?? `The worker answered with ${response.status}`,
    error?.hint ?? 'See: holdfast logs',
  );
}

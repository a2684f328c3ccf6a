// The worker's operations over HTTP. If the worker does not know this browser, the page tells the person how to get access.
import { signal } from '@preact/signals';
import type { ApiError } from '../../schema/api-error.ts';
import { asked } from './admission.ts';
import type { Changes, Reads } from './answers.ts';
import { dropKept } from './kept.ts';

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

/** Operations with a path of their own. A name in braces is a field of the input. */
const paths: Readonly<Record<string, string>> = {
  show: '/api/sessions/{id}',
  'sessions outline': '/api/outline',
  'sessions find': '/api/find',
  'sessions changes': '/api/changes',
  'sessions commits': '/api/commits',
  'sessions original': '/api/original',
  'sessions usage': '/api/usage',
  'projects compare': '/api/compare',
  'groups show': '/api/groups/{group}',
  'groups send': '/api/groups/{group}/messages',
};

function placed(name: string, input: object): { path: string; rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...input };
  const path = (paths[name] ?? `/api/${name.replaceAll(' ', '/')}`).replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = encodeURIComponent(String(rest[field]));
    delete rest[field];
    return value;
  });
  return { path, rest };
}

export function read<Name extends keyof Reads>(
  name: Name,
  params: Params = {},
  signal?: AbortSignal,
): Promise<Reads[Name]> {
  const { path, rest } = placed(name, params);
  const stated = Object.entries(rest).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(stated.map(([key, value]) => [key, String(value)])).toString();
  return call(query === '' ? path : `${path}?${query}`, signal ? { signal } : {});
}

export function change<Name extends keyof Changes>(name: Name, input: object): Promise<Changes[Name]> {
  const { path, rest } = placed(name, input);
  dropKept();
  return call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rest),
  });
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response | undefined;
  try {
    response = await asked(path, init);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Failure('UNREACHABLE', 'The worker does not answer', 'It may be starting. Otherwise: holdfast open');
  }
  if (response === undefined) {
    locked.value = true;
    throw new Failure('NO_TOKEN', 'The worker does not know this browser', 'In a terminal: holdfast open');
  }
  // An answer that is no JSON comes from something between, such as a proxy: the status below tells of it.
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const { error } = (answer ?? {}) as Partial<ApiError>;
  throw new Failure(
    error?.code ?? 'INTERNAL',
    error?.message ?? `The worker answered with ${response.status}`,
    error?.hint ?? 'See: holdfast logs',
  );
}

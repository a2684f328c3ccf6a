// A route, declared once: the server runs it and the OpenAPI document describes it, both from this alone.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { isTooLong } from '../../operations/recall/filters.ts';
import type { Access } from '../../processes/access/tokens.ts';
import { HoldfastError } from '../../system/errors.ts';

export type Method = 'GET' | 'POST';

export interface Route {
  readonly method: Method;
  /** `/api/sessions/{id}`: names in braces are input fields. */
  readonly path: string;
  readonly summary: string;
  /**
   * `open`: no token; `report`: either token; `full`: the full token; `group`: the full token, or that of the group in
   * the path.
   */
  readonly access: 'open' | 'report' | 'full' | 'group';
  /** From path and query string for a GET, from path and body for a POST. */
  readonly input: z.ZodObject;
  /** Other names of query fields. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Names that fields of the body had in earlier versions, and still may have. */
  readonly formerNames?: Readonly<Record<string, string>>;
  /** The largest accepted body, in bytes. */
  readonly limit?: number;
  /** `page`: a file of the viewer, which sets its own type and takes no query. */
  readonly type: 'application/json' | 'text/markdown' | 'text/event-stream' | 'page';
  /** Status of the answer, if not 200. */
  readonly status?: number | undefined;
  /** Type of the answer, or of each event. */
  readonly output: z.ZodType;
  /** Resolves with the answer. A stream of events or a page writes to the response itself and resolves with nothing. */
  run(input: Record<string, unknown>, caller: Caller): Promise<unknown>;
  /**
   * For a route with its own protocol, which checks the body and writes the answer itself; only the path and access
   * above apply.
   */
  speak?(body: string, caller: Caller): Promise<void>;
}

export interface Caller {
  readonly access: Access | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Keeps the type of the input where a route is declared. */
export const route = <Input extends z.ZodObject>(
  declared: Omit<Route, 'input' | 'run'> & {
    input: Input;
    run(input: z.output<Input>, caller: Caller): Promise<unknown>;
  },
): Route => declared;

export interface Match {
  readonly route: Route;
  /** The values at the braces of the path. */
  readonly inPath: Readonly<Record<string, string>>;
}

/** Finds the route; a literal path goes before one with braces. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match {
  const matches = routes
    .map((candidate) => ({ route: candidate, inPath: matchPath(candidate.path, path) }))
    .filter((match): match is Match => match.inPath !== undefined)
    .sort((a, b) => Object.keys(a.inPath).length - Object.keys(b.inPath).length);
  const found = matches.find((match) => match.route.method === method);
  if (found) return found;
  if (matches.length > 0)
    throw new HoldfastError('BAD_METHOD', `This address takes ${matches.map((m) => m.route.method).join(' or ')}`);
  throw new HoldfastError('NOT_FOUND', 'There is nothing at this address', { hint: 'See /api/openapi.json' });
}

/** Whether the requested route needs no token. Nothing is decoded yet. */
export const isOpenTo = (routes: readonly Route[], method: string, path: string): boolean =>
  routes.some((one) => one.access === 'open' && one.method === method && leadsTo(one, path));

/** Whether the path leads to this route, for any method. Nothing is decoded yet. */
export function leadsTo({ path: template }: Route, path: string): boolean {
  const [expected, given] = [template.split('/'), path.split('/')];
  return expected.length === given.length && expected.every((part, i) => part === given[i] || isBraced(part, given[i]));
}

const isBraced = (part: string, given: string | undefined): boolean => part.startsWith('{') && given !== '';

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const inPath: Record<string, string> = {};
  for (const [i, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const text = given[i] as string;
    if (name === undefined ? text !== part : text === '') return undefined;
    if (name !== undefined) inPath[name] = decode(text);
  }
  return inPath;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HoldfastError('BAD_INPUT', 'The address has a broken %-escape');
  }
}

/** A query string → input fields: each at most once, no unknown ones, texts converted to their types. */
export function fromQuery({ input, aliases = {} }: Route, query: string): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [given, text] of new URLSearchParams(query)) {
    const name = Object.hasOwn(aliases, given) ? (aliases[given] as string) : given;
    const field = Object.hasOwn(input.shape, name) ? (input.shape[name] as z.ZodType) : undefined;
    if (field === undefined)
      throw new HoldfastError('BAD_INPUT', `There is no parameter ${JSON.stringify(given)}`, {
        hint: `Parameters: ${[...Object.keys(input.shape), ...Object.keys(aliases)].join(', ') || 'none'}.`,
      });
    if (values.has(name)) throw new HoldfastError('BAD_INPUT', `The parameter ${given} is given twice`);
    // A form sends an empty parameter for a field that was left open.
    if (text !== '') values.set(name, fromText(field, text));
  }
  return Object.fromEntries(values);
}

function fromText(field: z.ZodType, text: string): unknown {
  let inner = field;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault)
    inner = inner.unwrap() as z.ZodType;
  if (inner instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (inner instanceof z.ZodBoolean && /^(true|1)$/.test(text)) return true;
  if (inner instanceof z.ZodBoolean && /^(false|0)$/.test(text)) return false;
  if (inner instanceof z.ZodArray) return text.split(',').map((part) => fromText(inner.element as z.ZodType, part));
  return text;
}

/** Some operations would look for a file of this name, others for a row; no name is this long. */
function notTooLong(input: Record<string, unknown>): Record<string, unknown> {
  for (const name of ['project', 'id']) {
    const value = input[name];
    if (typeof value === 'string' && isTooLong(value))
      throw new HoldfastError('BAD_INPUT', `${name}: the text is longer than any name or path`, {
        hint: 'A name has at most 255 bytes, a path 4,096.',
      });
  }
  return input;
}

/** A body with today's names. */
function renamed(body: unknown, formerNames: Readonly<Record<string, string>>): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const given = new Map(Object.entries(body));
  for (const [former, name] of Object.entries(formerNames)) {
    if (!given.has(former)) continue;
    if (given.has(name))
      throw new HoldfastError('BAD_INPUT', `${former} is an older name of ${name}, and both are given`, {
        hint: `Send ${name} alone.`,
      });
    given.set(name, given.get(former));
    given.delete(former);
  }
  return Object.fromEntries(given);
}

export function checkInput({ input, formerNames }: Route, given: unknown): Record<string, unknown> {
  const values = formerNames === undefined ? given : renamed(given, formerNames);
  const parsed = input.safeParse(values);
  if (parsed.success) return notTooLong(parsed.data as Record<string, unknown>);
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'the input';
  const missing = issue?.path.length === 1 && (values as Record<string, unknown> | null)?.[field] === undefined;
  const wrong = missing ? `${field} is missing` : `${field}: ${issue?.message}`;
  throw new HoldfastError('BAD_INPUT', wrong, { hint: 'Every field is described at GET /api/openapi.json' });
}

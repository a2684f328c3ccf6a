// The table of operations → routes. This file knows no particular operation.
import type { ServerResponse } from 'node:http';
import { refuseUnasked } from '../../operations/consent.ts';
import { operations } from '../../operations/index.ts';
import type { Context, Operation } from '../../operations/operation.ts';
import type { Route } from './route.ts';

export function operationRoutes(context: Context): Route[] {
  const asked: Context = { ...context, remote: true };
  return operations
    .filter((operation) => operation.surfaces.includes('http'))
    .map((operation) => ({
      method: operation.http?.method ?? 'GET',
      path: operation.http?.path ?? `/api/${operation.name.replaceAll(' ', '/')}`,
      summary: operation.summary,
      access: operation.http?.ofGroup ? 'group' : 'full',
      input: operation.input,
      ...(operation.http?.aliases ? { aliases: operation.http.aliases } : {}),
      type: 'application/json',
      status: operation.http?.status,
      output: operation.output,
      run:
        operation.http?.apart && context.apart
          ? onceAtATime(context.apart, operation)
          : async (input, { request, response }) => {
              refuseUnasked(operation, input, 'send "yes": true');
              return operation.run(request.method === 'GET' ? endingWith(response, asked) : asked, input);
            },
    }));
}

/** Reading stops when its caller has left: a long answer that is no longer wanted would delay the others. */
function endingWith(response: ServerResponse, context: Context): Context {
  const left = new AbortController();
  response.once('close', () => left.abort());
  // A worker that stops closes its connections, so this covers its own signal too.
  return { ...context, signal: left.signal };
}

/** Callers that ask the same question while it runs share one answer, so no caller can start a hundred processes. */
function onceAtATime(apart: NonNullable<Context['apart']>, { name }: Operation): Route['run'] {
  const running = new Map<string, Promise<unknown>>();
  return (input) => {
    const flags = Object.entries(input).flatMap(([field, value]) => (value === true ? [`--${field}`] : []));
    const words = [...name.split(' '), ...flags];
    const key = words.join(' ');
    const asked = running.get(key) ?? apart(words).finally(() => running.delete(key));
    running.set(key, asked);
    return asked;
  };
}

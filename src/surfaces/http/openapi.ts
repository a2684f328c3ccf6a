// Routes → the OpenAPI document. Every schema in it is derived.
import { jsonSchema } from '../../operations/json-schema.ts';
import { ApiError } from '../../schema/api-error.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

export function openApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    (paths[route.path] as Json)[route.method.toLowerCase()] = describe(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Holdfast', version, description: 'The memory of AI coding agents, on this machine only.' },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'the file `token` in the data folder' },
        groupToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'from `holdfast groups token`: for that group only',
        },
        hookToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'the file `hook-token` of older versions: it can only report',
        },
      },
      schemas: { Error: jsonSchema(ApiError, 'output') },
    },
  };
}

function describe(route: Route): Json {
  const fields = jsonSchema(route.input, 'input');
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const body = withoutFields(fields, inPath);
  const inQuery = route.method === 'GET' ? Object.keys(body.properties as Json) : [];
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/^\/api|[{}]/g, '').replace(/[/.-](\w)/g, (_, c) => c.toUpperCase())}`,
    summary: route.summary,
    security: securityOf(route),
    parameters: [
      ...inPath.map((name) => parameter(fields, name, 'path')),
      ...inQuery.map((name) => parameter(fields, name, 'query', aliasOf(route, name))),
    ],
    ...(route.method === 'POST' ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      [route.status ?? 200]: {
        description: 'The answer',
        content: { [route.type]: { schema: jsonSchema(route.output, 'output') } },
      },
      default: { description: 'What went wrong', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

const json = (schema: Json): Json => ({ 'application/json': { schema } });

const securityOf = ({ access }: Route): Json[] =>
  ({
    open: [],
    full: [{ token: [] }],
    report: [{ token: [] }, { hookToken: [] }],
    group: [{ token: [] }, { groupToken: [] }],
  })[access];

const aliasOf = ({ aliases = {} }: Route, name: string): string | undefined =>
  Object.keys(aliases).find((alias) => aliases[alias] === name);

/** A field with a short name is documented under it; both names work. */
function parameter(fields: Json, name: string, place: 'path' | 'query', alias?: string): Json {
  const { description, ...schema } = (fields.properties as Record<string, Json>)[name] ?? {};
  const also = alias === undefined ? '' : ` (also: ${name})`;
  return {
    name: alias ?? name,
    in: place,
    required: place === 'path' || ((fields.required as string[] | undefined) ?? []).includes(name),
    ...(description === undefined ? {} : { description: `${description}${also}` }),
    schema,
  };
}

function withoutFields({ required: all, ...schema }: Json, names: readonly string[]): Json {
  const properties = Object.entries(schema.properties as Json).filter(([name]) => !names.includes(name));
  const required = ((all as string[] | undefined) ?? []).filter((name) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) };
}

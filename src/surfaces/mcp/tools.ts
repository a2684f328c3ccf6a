// The table of operations → MCP tools. This file knows no particular operation.
import { z } from 'zod';
import { operations } from '../../operations/index.ts';
import { jsonSchema } from '../../operations/json-schema.ts';
import type { Operation } from '../../operations/operation.ts';
import { HoldfastError } from '../../system/errors.ts';

type Json = Record<string, unknown>;

export interface Tool {
  readonly operation: Operation;
  readonly name: string;
  readonly input: z.ZodObject;
  /** Whether a call changes nothing. */
  readonly readOnly: boolean;
}

export const toolsOf = (table: readonly Operation[] = operations): Tool[] =>
  table
    .filter((operation) => operation.surfaces.includes('mcp'))
    .map((operation) => ({
      operation,
      name: operation.name.replace(/[^a-z0-9]+/gi, '_'),
      input: inputOf(operation),
      readOnly: (operation.http?.method ?? 'GET') === 'GET',
    }));

/** The fields that a model may use. An unknown field is refused: if ignored, the model would believe in a filter. */
function inputOf({ input, mcp }: Operation): z.ZodObject {
  const shape = Object.entries(input.shape as Record<string, z.ZodType>)
    .filter(([name]) => !mcp?.without?.includes(name))
    .map(([name, field]): [string, z.ZodType] => {
      const value = mcp?.defaults?.[name];
      return [name, value === undefined ? field : field.default(value).describe(field.description ?? '')];
    });
  return z.strictObject(Object.fromEntries(shape));
}

/**
 * The tool as `tools/list` shows it. Clients that show their model the structured answer instead of the text are not
 * told of one.
 */
export function describeTool({ operation, name, input, readOnly }: Tool, structured: boolean): Json & { name: string } {
  const { mcp, summary } = operation;
  return {
    name,
    title: summary,
    description: mcp?.description ?? summary,
    inputSchema: jsonSchema(input, 'input'),
    ...(structured ? { outputSchema: jsonSchema(operation.output, 'output') } : {}),
    annotations: {
      readOnlyHint: readOnly,
      // Only people can call operations that destroy something.
      ...(readOnly ? {} : { destructiveHint: false }),
      openWorldHint: false,
    },
    // Claude Code hides tools until the model searches for them; the model should always see the common ones.
    ...(mcp?.foremost ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}

export function checkArguments({ name, input }: Tool, given: unknown): Json {
  const parsed = input.safeParse(given ?? {});
  if (parsed.success) return parsed.data as Json;
  const wrong = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw new HoldfastError('BAD_INPUT', wrong.join('; '), {
    hint: `Fields of ${name}: ${Object.keys(input.shape).join(', ') || 'none'}.`,
  });
}

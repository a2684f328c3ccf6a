import { z } from 'zod';

type Json = Record<string, unknown>;

/** The JSON Schema of an operation's or route's fields, for programs and models. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...derived } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // `rest` only concerns the command line.
    override: ({ jsonSchema: made }) => delete (made as Json).rest,
  }) as Json;
  return derived;
}

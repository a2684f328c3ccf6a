import { z } from 'zod';

type Json = Record<string, unknown>;

/** The fields of an operation or route as programs and models are told of them. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...derived } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // `rest` is a word of the command line.
    override: ({ jsonSchema: made }) => delete (made as Json).rest,
  }) as Json;
  return derived;
}

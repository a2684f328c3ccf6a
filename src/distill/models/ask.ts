// A question → an answer of the right shape. zod checks the answer. A model that answers badly gets one chance to correct it.
import { z } from 'zod';
import type { Usage } from '../../schema/job.ts';
import { addUsage, type Model, ModelError, type Question, type Reply } from './model.ts';

export interface Asked<T> {
  readonly value: T;
  readonly usage: Usage;
}

/** `check` may find a value of the right shape wrong: it returns the reason, or undefined. */
export async function ask<T>(
  model: Model,
  question: Pick<Question, 'system' | 'maxOutputTokens'> & { readonly material: string; readonly schema: z.ZodType<T> },
  signal: AbortSignal,
  check: (value: T) => string | undefined = () => undefined,
): Promise<Asked<T>> {
  const { system, material, schema, maxOutputTokens } = question;
  const shape = shapeOf(schema);
  const messages: Question['messages'][number][] = [{ role: 'user', text: material }];
  const reply = await model.ask({ system, messages, shape, maxOutputTokens }, signal);
  const first = read(reply, schema, check);
  if ('value' in first) return { value: first.value, usage: reply.usage };
  if (reply.end === 'refused') throw new ModelError('refused', first.wrong, { usage: reply.usage });
  messages.push(
    { role: 'assistant', text: reply.text.slice(0, 20_000) || '(nothing)' },
    {
      role: 'user',
      text: `That is not a valid answer: ${first.wrong}. Answer again, with the whole JSON object and nothing else.`,
    },
  );
  const again = await model.ask({ system, messages, shape, maxOutputTokens }, signal).catch((error: unknown) => {
    // The first answer cost tokens even if the second one fails.
    if (error instanceof ModelError) {
      const { kind, message, retryAfterMs, hint } = error;
      const usage = addUsage(reply.usage, error.usage);
      throw new ModelError(kind, message, {
        retryAfterMs,
        usage,
        cause: error,
        ...(hint === undefined ? {} : { hint }),
      });
    }
    throw error;
  });
  const usage = addUsage(reply.usage, again.usage);
  const second = read(again, schema, check);
  if ('value' in second) return { value: second.value, usage };
  throw new ModelError(again.end === 'refused' ? 'refused' : 'invalid', second.wrong, { usage });
}

function read<T>(
  reply: Reply,
  schema: z.ZodType<T>,
  check: (value: T) => string | undefined,
): { value: T } | { wrong: string } {
  const json = jsonIn(reply.text);
  if (json === undefined) {
    const said = reply.text.trim().replace(/\s+/g, ' ').slice(0, 120);
    if (reply.end === 'refused') return { wrong: `the model refused${said === '' ? '' : `: ${said}`}` };
    if (reply.end === 'cut') return { wrong: 'the answer was cut off before its end' };
    return { wrong: said === '' ? 'the answer is empty' : `the answer is not JSON: ${said}` };
  }
  const parsed = schema.safeParse(withoutNull(json));
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`);
    return { wrong: issues.join('; ').slice(0, 600) };
  }
  const wrong = check(parsed.data);
  return wrong === undefined ? { value: parsed.data } : { wrong };
}

/** Finds the JSON object in a text, also in a code block or between sentences. */
export function jsonIn(text: string): unknown {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from < 0 || to < from) return undefined;
  try {
    return JSON.parse(text.slice(from, to + 1));
  } catch {
    // Not JSON: the caller reports it.
    return undefined;
  }
}

/** Some services do not support optional fields, so the model sends null for a missing one. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNull(item)]])),
  );
}

/** A JSON Schema that every service accepts: no limits (zod checks them), no additional properties, and nullable fields instead of optional ones. */
export function shapeOf(schema: z.ZodType): Record<string, unknown> {
  return simple(z.toJSONSchema(schema, { io: 'input' })) as Record<string, unknown>;
}

const limits = new Set(
  '$schema minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum pattern format default'.split(
    ' ',
  ),
);

function simple(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(simple);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => !(limits.has(key) && typeof value !== 'object'));
  const plain = Object.fromEntries(kept.map(([key, value]) => [key, simple(value)])) as Record<string, unknown>;
  if (plain.type !== 'object' || typeof plain.properties !== 'object') return plain;
  const required = new Set((plain.required as string[] | undefined) ?? []);
  const properties = Object.fromEntries(
    Object.entries(plain.properties as Record<string, object>).map(([name, field]) => [
      name,
      required.has(name) ? field : { anyOf: [field, { type: 'null' }] },
    ]),
  );
  return { ...plain, properties, required: Object.keys(properties), additionalProperties: false };
}

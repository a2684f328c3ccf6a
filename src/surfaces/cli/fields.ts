// zod input → options of the command line; typed text → validated input.
import { z } from 'zod';
import type { Operation } from '../../operations/operation.ts';
import { HoldfastError } from '../../system/errors.ts';

export interface Field {
  readonly name: string;
  /** As typed: `--min-size`, `--no-subagents` for a flag that is on without it, or `<id>` for an argument. */
  readonly label: string;
  /** One letter, as in other programs: `-n` for `--limit`. */
  readonly short?: string;
  readonly kind: 'flag' | 'number' | 'text' | 'choice' | 'list';
  readonly choices: readonly string[];
  readonly positional: boolean;
  readonly required: boolean;
  /** An argument that takes all remaining words. */
  readonly rest: boolean;
  readonly fallback: unknown;
  readonly description: string;
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function fieldsOf(operation: Operation): Field[] {
  const positional = operation.positional ?? [];
  const fields = Object.entries(operation.input.shape as Record<string, z.ZodType>).map(([name, schema]) =>
    toField(name, schema, positional.includes(name)),
  );
  const order = (field: Field) => (field.positional ? positional.indexOf(field.name) : positional.length);
  return fields.sort((a, b) => order(a) - order(b));
}

function toField(name: string, schema: z.ZodType, positional: boolean): Field {
  let inner = schema;
  let fallback: unknown;
  let required = true;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) {
    if (inner instanceof z.ZodDefault) fallback = inner.def.defaultValue;
    required = false;
    inner = inner.unwrap() as z.ZodType;
  }
  const choices = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  const kind =
    inner instanceof z.ZodBoolean
      ? 'flag'
      : inner instanceof z.ZodNumber
        ? 'number'
        : choices.length > 0
          ? 'choice'
          : inner instanceof z.ZodArray
            ? 'list'
            : 'text';
  const meta = schema.meta() ?? inner.meta();
  const isOn = kind === 'flag' && fallback === true;
  return {
    name,
    label: positional ? `<${name}>` : `--${isOn ? 'no-' : ''}${kebab(name)}`,
    ...(name === 'limit' && !positional ? { short: '-n' } : {}),
    kind,
    choices,
    positional,
    required,
    rest: meta?.rest === true,
    fallback,
    description: `${isOn ? 'without ' : ''}${meta?.description ?? ''}`,
  };
}

/** Validates what was typed. Errors use the names of the command line. */
export function toInput(operation: Operation, typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = fieldsOf(operation);
  const values: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const value = typed[name];
    if (value === undefined) continue;
    values[name] = typeof value === 'string' ? fromText(kind, value) : value;
  }
  const parsed = operation.input.safeParse(values);
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const issue = parsed.error.issues[0];
  const field = fields.find((candidate) => candidate.name === issue?.path[0]);
  if (!issue || !field) throw new HoldfastError('BAD_INPUT', parsed.error.message);
  throw new HoldfastError('BAD_INPUT', `${field.label} ${complaint(issue, field)}`, {
    hint: `See: holdfast ${operation.name} --help`,
  });
}

/** Converts typed text to the field's type; text that does not convert stays as it is, and the schema refuses it. */
function fromText(kind: Field['kind'], text: string): unknown {
  if (kind === 'number' && /^\s*-?\d+(\.\d+)?\s*$/.test(text)) return Number(text);
  if (kind === 'list') return text.split(/[\s,]+/).filter((part) => part !== '');
  return text;
}

function complaint(issue: z.core.$ZodIssue, field: Field): string {
  if (field.kind === 'choice') return `must be one of: ${field.choices.join(', ')}`;
  if (field.kind === 'list' && issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (field.kind === 'list' && issue.code === 'too_small' && Number(issue.minimum) > 1)
    return `must be at least ${issue.minimum}`;
  if (field.kind === 'text' && issue.code === 'too_big') return `must be at most ${issue.maximum} characters`;
  // A pattern or a check of our own always brings a message, which continues after the name of the option.
  if (field.kind === 'text' && (issue.code === 'invalid_format' || issue.code === 'custom')) return issue.message;
  if (field.kind === 'text' || field.kind === 'list') return 'must not be empty';
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  return 'must be a whole number';
}

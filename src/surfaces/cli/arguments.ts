// A query may begin with a dash, which commander would take for an option. Such words move behind `--`.
import type { Operation } from '../../operations/operation.ts';
import { fieldsOf } from './fields.ts';
import { operationNamed } from './names.ts';

/** `argv` without node and script. Only changes commands that take free words. */
export function protectQuery(argv: readonly string[], operations: readonly Operation[]): string[] {
  const named = operationNamed(argv, operations);
  const fields = named ? fieldsOf(named.operation) : [];
  if (!fields.some((field) => field.rest)) return [...argv];
  const taking = fields.filter((field) => !field.positional && field.kind !== 'flag');
  const valued = new Set(taking.map(({ label }) => label));
  const known = new Set([...fields.map((field) => field.label), '--json', '--help']);
  const shorts = new Set(fields.flatMap(({ short }) => short ?? []));
  const kept: string[] = [];
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    if (word === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    const isOption = /^--[a-z-]+(=|$)/.test(word) && (known.has(word.split('=')[0] as string) || !/\s/.test(word));
    const next = argv[i + 1] ?? '';
    // A letter is an option only if a number follows: a word that begins with a dash may be a search word.
    const short = shorts.has(word) ? /^\d+$/.test(next) : shorts.has(word.slice(0, 2)) && /^-\w\d+$/.test(word);
    if (i < (named?.words ?? 1) || isOption || short || word === '-h') {
      kept.push(word);
      if (shorts.has(word) && short) kept.push(argv[++i] as string);
      else if (valued.has(word) && i + 1 < argv.length) kept.push(argv[++i] as string);
    } else words.push(word);
  }
  return words.length === 0 ? kept : [...kept, '--', ...words];
}

// Commands that this machine or a program does not know, as its error says. Agents try them again in each session.

import { shell } from '../../agents/tools/shell-tools.ts';
import { commandLine, cut } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import type { Turn } from '../material.ts';
import { usesOf } from './deeds.ts';
import { code } from './say.ts';

const longestOutput = 2000;
const longestLine = 400;
const word = String.raw`['"\`‘]?(-{0,2}[\w][\w:.-]{0,40})['"\`’]?`;
/** A program does not know its first argument. */
const unknown = new RegExp(
  `^(?:error: |fatal: )?(?:unrecognized|unknown|unexpected|invalid) (?:sub-?)?(command|option|flag|argument):? ${word}`,
  'im',
);
/** The shell does not know the program. */
const missing = new RegExp(
  String.raw`^(?:(?:\/\S+\/)?(?:ba|z|da|k)?sh:(?:\d+:)? )?(?:line \d+: |\(eval\):\d+: |\d+: )?(?:command not found: ${word}|${word}: (?:command not found|not found))\s*$`,
  'im',
);
const simple = /^(?:cd \S+ && )?(?:[A-Z_]+=\S+ )*([\w][\w.-]*)((?: +[^\s|&;<>]+)*)(?: *(?:2>&1|\|).*)?$/s;

/** Each once. The librarian counts them over sessions, so that a typing error is not told. */
export function unfitCommands(turns: readonly Turn[]): KeyedStatement[] {
  const found = new Map<string, KeyedStatement>();
  const ran = new Set<string>();
  for (const use of turns.flatMap(usesOf)) {
    const line = shell.test(use.tool) ? commandLine(use.input, longestLine)?.trim() : undefined;
    if (line === undefined) continue;
    const [, program = '', rest = ''] = simple.exec(line) ?? [];
    if (use.outcome === 'ok') ran.add(program).add(`${program} ${rest.trim().split(/\s+/)[0] ?? ''}`);
    const told =
      use.outcome === 'error' ? toldBy(program, rest, (use.output ?? '').slice(0, longestOutput)) : undefined;
    if (told !== undefined) found.set(told.what, told.statement);
  }
  for (const what of found.keys()) if (ran.has(what)) found.delete(what);
  return [...found.values()];
}

interface Told {
  /** The program, or the program with what it does not know. */
  readonly what: string;
  readonly statement: KeyedStatement;
}

function toldBy(program: string, rest: string, output: string): Told | undefined {
  const none = missing.exec(output);
  const absent = none?.[1] ?? none?.[2];
  if (absent !== undefined) return told(absent, `The command ${code(absent)} is not found`);
  const [, kind = '', given = ''] = unknown.exec(output) ?? [];
  if (program === '' || given === '' || !rest.split(/[\s=]+/).includes(given)) return undefined;
  const what = given.startsWith('-') ? 'option' : /argument/i.test(kind) ? 'argument' : 'command';
  return told(`${program} ${given}`, `The program ${code(program)} knows no ${what} ${code(given)}`);
}

const told = (what: string, text: string): Told => ({
  what,
  statement: { key: cut(`unfit: ${what}`, 80), text: `${text}.`, saidBy: 'runs' },
});

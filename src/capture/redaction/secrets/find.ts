// Finds the secrets in a text. One pass looks for the first characters of all rules at once and runs a rule only where its first characters match.
import { findInAddress } from './addresses.ts';
import { commands, findCommand } from './commands.ts';
import { findKubernetesSecrets, mayHoldKubernetesSecret } from './kubernetes.ts';
import { findByLint } from './lint.ts';
import { findNamed, nameWords } from './names.ts';
import { hidesWords, plainView } from './plain-view.ts';
import { findPrivateKeys, mayHoldPrivateKey } from './private-keys.ts';
import type { Command } from './programs.ts';
import { apartFrom, merged, type Span } from './span.ts';
import { vendorShapes } from './vendors.ts';

/** Runs where its word begins. Undefined: no secret here. */
type Matcher = (text: string, at: number) => Span | undefined;

interface Rule {
  /** In lower case: the pass ignores case, the matcher does not. */
  readonly word: string;
  readonly find: Matcher;
  /** Only these exact characters justify a call to secretlint, whose rules scan the whole text. */
  readonly lint: string | undefined;
}

/** In text that was escaped once more, the last character of `\\n`, `\\u003d` or `%3D` is not part of the word that follows. */
const escaped = '(?<=\\\\(?:[nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|%[0-9a-fA-F]{2}|\\u001b\\[[0-9;]{0,9}m)';
/** Where a secret may begin: not inside a word, and not within the bytes of a picture. */
const start = `(?:(?<![A-Za-z0-9])(?<![A-Za-z0-9+/]{32}[+/])|${escaped})`;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** First characters of the kinds that secretlint knows. */
const lintWords =
  /^(?:A[A-Z]{3}$|npm_|_authToken|xox|xapp-|hooks\.slack|SG\.|shp|gh[pousr]_|github_pat_|sk-|lin_|ops_)/;

const vendorRules: readonly Rule[] = vendorShapes.flatMap(({ name, begins, shape, keepsBeginning }) =>
  begins.map((word): Rule => {
    const isMiddle = shape.includes('(?<before>');
    const whole = new RegExp(`${/^[A-Za-z0-9]/.test(word) && !isMiddle ? start : ''}${literal(word)}${shape}`, 'y');
    return {
      word: word.toLowerCase(),
      lint: lintWords.test(word) ? word : undefined,
      find(text, at) {
        if (!text.startsWith(word, at)) return undefined;
        whole.lastIndex = at;
        const found = whole.exec(text);
        if (found === null) return undefined;
        const before = found.groups?.before?.length ?? 0;
        return { from: keepsBeginning ? at + word.length : at - before, to: at + found[0].length, name };
      },
    };
  }),
);

/** A web token has three parts, or five if it is encrypted. */
const webToken = new RegExp(
  `${start}eyJ[\\w-]{10,4000}\\.(?:eyJ[\\w-]{10,8000}\\.[\\w-]{0,2000}|[\\w-]{0,1000}\\.[\\w-]{8,200}\\.[\\w-]{8,16000}\\.[\\w-]{16,200})`,
  'y',
);
const findWebToken: Matcher = (text, at) => {
  webToken.lastIndex = at;
  const found = webToken.exec(text);
  return found === null ? undefined : { from: at, to: at + found[0].length, name: 'JSON web token' };
};

/** The class of each character, without its case. */
const other = 63;
const classes = new Uint8Array(65_536).fill(other);
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789_-./:=~+@<>?&%"\' $*{};,';
for (let i = 0; i < letters.length; i++) {
  classes[letters.charCodeAt(i)] = i;
  classes[letters.charAt(i).toUpperCase().charCodeAt(0)] = i;
}

/** Checks the whole word before the shape: many shapes first look behind it, which takes long. */
function commandAfterWord(command: Command): Matcher {
  // A shape may accept another blank than the one at the end of its word.
  const word = Uint8Array.from(command.word.trimEnd(), (letter) => classes[letter.charCodeAt(0)] ?? other);
  return (text, at) => {
    for (let i = 3; i < word.length; i++) if (classes[text.charCodeAt(at + i)] !== word[i]) return undefined;
    return findCommand(text, at, command);
  };
}

const rules: readonly Rule[] = [
  ...vendorRules,
  { word: '://', lint: undefined, find: findInAddress },
  ...commands.map(
    (command): Rule => ({
      word: command.word,
      lint: undefined,
      find: commandAfterWord(command),
    }),
  ),
  ...nameWords.map((word): Rule => ({ word, lint: undefined, find: findNamed })),
];

// Three characters become one number of eighteen bits.
const gram = (word: string): number =>
  ((classes[word.charCodeAt(0)] ?? other) << 12) |
  ((classes[word.charCodeAt(1)] ?? other) << 6) |
  (classes[word.charCodeAt(2)] ?? other);

/** All sequences of three characters that a word can begin with: one, unless the word is shorter. */
const gramsOf = (word: string): number[] =>
  word.length >= 3 ? [gram(word)] : Array.from(letters, (next) => gram(word + next));

const webTokenWord = 'eyj';
const keyWords = ['private key', 'vpn static key', 'vpn tls-crypt'];
const kindWord = 'kind';
const flags = { rule: 1, key: 2, webToken: 4, kind: 8 } as const;
const marks = new Uint8Array(1 << 18);
/** A rule, and the class of the fourth character of its word: it spares most calls. -1: the word has three characters or fewer. */
interface RuleAt {
  readonly rule: Rule;
  readonly fourth: number;
}
const byGram = new Map<number, RuleAt[]>();
/** The two characters that marked sequences begin with: a table that fits into the processor's first cache. */
const begins = new Uint8Array(1 << 12);
const mark = (one: number, flag: number): void => {
  marks[one] = (marks[one] ?? 0) | flag;
  begins[one >> 6] = 1;
};
for (const rule of rules)
  for (const one of gramsOf(rule.word)) {
    mark(one, flags.rule);
    const fourth = rule.word.length > 3 ? (classes[rule.word.charCodeAt(3)] ?? other) : -1;
    byGram.set(one, [...(byGram.get(one) ?? []), { rule, fourth }]);
  }
for (const [word, flag] of [
  ...keyWords.map((word) => [word, flags.key] as const),
  [webTokenWord, flags.webToken],
  [kindWord, flags.kind],
] as const)
  mark(gram(word), flag);

/** No secret is shorter, neither one with known first characters nor one with a name. */
const shortest = 8;

/** Contract: never throws; the spans are in order and do not overlap; time is linear in the length of the text. */
export function find(text: string): Span[] {
  if (text.length < shortest) return [];
  const { spans, candidates } = walk(text);
  const hidden = hidesWords(text);
  if (!hidden && !(candidates && text.includes('\\'))) return spans.length > 1 ? merged(spans) : spans;
  const view = plainView(text);
  const inView = walk(view.text).spans.map(({ from, to, name }) => ({
    from: view.begin(from),
    to: view.end(to),
    name,
  }));
  return merged([...spans, ...inView]);
}

const runOfToken = /[\w-]*/y;

/**
 * The units of a text, a window at a time. Strings have many forms, and asking one for a unit takes several times as long as asking a
 * typed array.
 */
const windowUnits = 1 << 14;
const windowBytes = Buffer.alloc(2 * (windowUnits + 1));
const units = new Uint16Array(windowBytes.buffer, windowBytes.byteOffset, windowUnits + 1);

/** Loads a window, and the first unit of the next one. */
function loadWindow(text: string, from: number): void {
  const part = text.length <= windowUnits ? text : text.slice(from, from + windowUnits + 1);
  windowBytes.write(part, 0, 'utf16le');
}

/** What a pass over a text knows so far. */
interface Pass {
  readonly text: string;
  /** No web token begins before this place. */
  noWebTokenBefore: number;
  /** Whether the text has characters that justify a call to secretlint. */
  asksLint: boolean;
  /** Whether the text has the word of a rule, as far as its first four characters tell. */
  hasWord: boolean;
}

function walk(text: string): { spans: Span[]; candidates: boolean } {
  const spans: Span[] = [];
  const pass: Pass = { text, noWebTokenBefore: 0, asksLint: false, hasWord: false };
  let seen = 0;
  let pair = other;
  let next = 0;
  const end = text.length - 1;
  for (let i = 0; i < end; i++) {
    const place = i % windowUnits;
    if (place === 0) loadWindow(text, i);
    // The tables cover every index, so that these lines need no other check.
    pair = ((pair << 6) | (classes[units[place] as number] as number)) & 0xfff;
    if (begins[pair] === 0) continue;
    const last = (pair << 6) | (classes[units[place + 1] as number] as number);
    const mark = marks[last] as number;
    if (mark === 0) continue;
    seen |= mark;
    if (i - 1 < next) continue;
    const span = secretAt(pass, i - 1, mark, last);
    if (span === undefined) continue;
    spans.push(span);
    next = span.to;
  }
  if ((seen & flags.key) !== 0 && mayHoldPrivateKey(text)) spans.push(...findPrivateKeys(text));
  if ((seen & flags.kind) !== 0 && mayHoldKubernetesSecret(text)) spans.push(...findKubernetesSecrets(text));
  // Last: some of secretlint's shapes match only the start of a longer secret, which the rules above have found whole.
  if (pass.asksLint) spans.push(...apartFrom(findByLint(text), merged(spans)));
  return { spans, candidates: pass.hasWord || (seen & (flags.key | flags.webToken)) !== 0 };
}

/** The secret that begins here, if one of the rules for these three characters finds one. */
function secretAt(pass: Pass, at: number, mark: number, threeCharacters: number): Span | undefined {
  const token = (mark & flags.webToken) === 0 ? undefined : webTokenAt(pass, at);
  if (token !== undefined || (mark & flags.rule) === 0) return token;
  const next = classes[pass.text.charCodeAt(at + 3)] ?? other;
  for (const { rule, fourth } of byGram.get(threeCharacters) ?? []) {
    if (fourth >= 0 && fourth !== next) continue;
    pass.hasWord = true;
    if (!pass.asksLint && rule.lint !== undefined) pass.asksLint = pass.text.startsWith(rule.lint, at);
    const span = rule.find(pass.text, at);
    if (span !== undefined) return span;
  }
  return undefined;
}

function webTokenAt(pass: Pass, at: number): Span | undefined {
  if (at < pass.noWebTokenBefore || !pass.text.startsWith('eyJ', at)) return undefined;
  const span = findWebToken(pass.text, at);
  if (span !== undefined) return span;
  // Search such a run once, not again from each `eyJ` in it.
  runOfToken.lastIndex = at;
  pass.noWebTokenBefore = at + (runOfToken.exec(pass.text)?.[0].length ?? 0);
  return undefined;
}

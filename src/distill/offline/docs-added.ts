// Sentences that an edit added to the documentation of a project: which modes there are, what they guarantee and where they end.

import { cut, inOneLine, inputField, type Sentence, sentencesOf } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { Turn } from '../material.ts';
import { namesIn } from './claim.ts';
import { isContract } from './contracts.ts';
import { code, ended, fileName } from './say.ts';
import { keyOf } from './wishes.ts';

const documents = /\.(?:mdx?|markdown|rst|adoc)$/i;
/** Instructions are read elsewhere. A changelog tells of changes, and agents keep notes and plans of their own. */
const otherTexts =
  /(?:^|\/)(?:(?:CLAUDE|AGENTS|GEMINI|QWEN|MEMORY|SKILL)(?:\.local)?\.md$|(?:changelog|changes|history|releases?|news|todo|roadmap|plans?|notes?)\b[^/]*$)|\/\.(?:claude|codex|gemini|cursor|copilot|qwen)\/|(?:^|\/)(?:tests?|fixtures?|plans?|node_modules)\//i;

const longest = 2000;
const mostOfFile = 4;
const mostOfAll = 8;

/** The sentences of a text, without code, in one line each. */
const sentencesIn = (text: string): Sentence[] =>
  sentencesOf(text).map(({ text: sentence, heading }) => ({ text: inOneLine(sentence), heading }));

/** `…, see the next chapter.` leads nowhere outside of the document. */
const withoutReference = (text: string): string => text.replace(/\s*(?:[—–-]|,|\()\s*see [^.]{2,60}\.$/, '.');

/** A text that begins in the middle of a sentence, or ends there, has no whole first or last one. */
const isWhole = (text: string): boolean => /^[\p{Lu}`]/u.test(text) && /[.!)`]$/.test(text);

function addedBy({ input }: ToolUse): Sentence[] {
  const before = inputField(input, 'old_string', longest);
  const after = inputField(input, 'new_string', longest);
  if (before === undefined || after === undefined) return [];
  const old = inOneLine(before.replaceAll('**', ''));
  return sentencesIn(after).filter(({ text }) => isWhole(text) && !old.includes(text));
}

const isDocument = ({ files, outcome }: ToolUse): boolean =>
  outcome === 'ok' && files.some((file) => documents.test(file) && !otherTexts.test(file));

/** Whether a later edit of the conversation takes the sentence out again, or writes it in another way. */
const takesBack = ({ input }: ToolUse, sentence: string): boolean => {
  const plain = (field: string) => inOneLine((inputField(input, field, longest) ?? '').replaceAll('**', ''));
  const begins = sentence.slice(0, 60);
  return plain('old_string').includes(begins) && !plain('new_string').includes(sentence);
};

/** Two sentences of one document about the same names tell one thing. */
function repeats(text: string, other: string): boolean {
  const [names, others] = [namesIn(text), namesIn(other)];
  const shared = names.filter((name) => others.includes(name)).length;
  return shared >= 2 && shared * 3 >= 2 * Math.min(names.length, others.length);
}

/** What the edits of a conversation added to documents that says how something behaves. Whole new files do not count. */
export function docsAdded(turns: readonly Turn[]): KeyedStatement[] {
  const edits = turns.flatMap(({ toolUses }) => toolUses).filter(isDocument);
  const told = new Map<string, string[]>();
  for (const [i, use] of edits.entries()) {
    const name = fileName(use.files[0] ?? '');
    const texts = told.get(name) ?? [];
    for (const sentence of addedBy(use)) {
      if (namesIn(sentence.text).length === 0 || !isContract(sentence)) continue;
      if (texts.length >= mostOfFile || texts.some((text) => repeats(sentence.text, text))) continue;
      if (!edits.slice(i + 1).some((later) => takesBack(later, sentence.text))) texts.push(sentence.text);
    }
    told.set(name, texts);
  }
  const found = [...told].flatMap(([name, texts]) => texts.map((text) => ({ name, text: withoutReference(text) })));
  return found.slice(-mostOfAll).map(({ name, text }) => ({
    ...{ key: cut(`doc: ${keyOf(text)}`, 80), saidBy: 'agent' },
    text: `${ended(text)} (Added to ${code(name)}.)`,
  }));
}

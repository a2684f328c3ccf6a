// Decisions in the titles of commits: what replaced what, what is the default, what is refused, and which names are gone.

import { cut } from '../../language/gist.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import type { Command } from './deeds.ts';
import { identifier } from './request.ts';
import { ended } from './say.ts';
import { keyOf } from './wishes.ts';

const mostInAll = 5;

/** Each form says how things are after the commit. `Add`, `Fix` and `Improve` only say that something was done. */
const decides =
  /^(?:(?:replace|swap) .{4,} (?:with|by) .{3,}|split .{3,} into .{3,}|rename .{3,} to .{2,}|move .{3,} (?:to|into|under) .{3,}|(?:switch|migrate) .{3,} to .{3,}|change (?:the )?default .{3,} to .{2,}|default .{3,} to .{2,}|make .{3,} the default\b.*|use .{3,} (?:instead of|rather than|not) .{3,}|(?:reject|refuse|forbid|disallow|require|defer|enforce|disable|stop) .{12,})$/i;

/** Not about how the program works: tests, texts, looks, leftovers. */
const aside =
  /\b(?:tests?|testing|specs?|fixtures?|lint\w*|(?:re)?formatt?(?:ing|er)|gofmt|prettier|typos?|comments?|docs?|documentation|readme|changelog|wording|logos?|icons?|buttons?|colou?rs?|styles?|layout|imports?|unused|dead|redundant|leftovers?|review|ci|workflows?|bump|wip|exporting)\b/i;
const smallKinds = /^(?:docs?|tests?|style|chore|ci|build|release)(?:\([^)]*\))?!?: /i;
const scope =
  /^(?:(?:feat|fix|refactor|perf)(?:\(([^)]{2,30})\))?|([a-z][\w/.-]{1,30}))!?: (?:[a-z]+\/[\w/]+, )?(?=\S)/;

const tellingIn = (text: string): number =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{2,}/gu) ?? []).filter(isTellingWord).length;

/** The name of something in the code right after the verb, with nothing behind it that would be the real object. */
const removal = new RegExp(
  String.raw`^(?:drop|remove|delete|retire)s? (?:the )?(?:now-unused |unused |legacy |old |deprecated )?(${identifier.source})(?: (?:flag|option|type|function|struct|class|interface|setting|command|mode|wrapper|helper|module|package|file|field|column|table)s?)?(?=$|[,;.:]| (?:per|in favou?r|and|because|now that|as|since|after)\b)`,
  'i',
);

function parts(message: string): { readonly about: string; readonly said: readonly string[] } {
  const found = scope.exec(message);
  const plain = found === null ? message : message.slice(found[0].length);
  return { about: found?.[1] ?? found?.[2] ?? '', said: plain.split('; ') };
}

/** Contract: the commands succeeded and were not taken back. */
export function designChanges(commits: readonly Command[]): KeyedStatement[] {
  const kept: KeyedStatement[] = [];
  for (const { message = '' } of commits) {
    if (message.endsWith('…') || smallKinds.test(message)) continue;
    const { about, said } = parts(message);
    for (const part of said) {
      const gone = removal.exec(part)?.[1];
      if (gone !== undefined) {
        const name = gone.replaceAll('`', '').trim();
        const text = `The commit “${cut(message, 100)}” removed ${name}.`;
        kept.push({ key: cut(`removed: ${name}`, 80), text, saidBy: 'agent', change: 'retire' });
      }
      if (
        !decides.test(part) ||
        aside.test(message) ||
        !(identifier.test(part) ? tellingIn(part) >= 2 : tellingIn(part) >= 4)
      )
        continue;
      const text = `Decided in a commit: ${lowered(part)}${about === '' ? '' : ` (${about})`}`;
      kept.push({ key: cut(`change: ${keyOf(part)}`, 80), text: ended(text), saidBy: 'agent' });
    }
  }
  const decided = kept.filter(({ change }) => change === undefined).slice(-mostInAll);
  return kept.filter((one) => one.change !== undefined || decided.includes(one));
}

const lowered = (text: string): string => text.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());

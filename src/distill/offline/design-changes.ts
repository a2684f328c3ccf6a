// Decisions in the titles of commits: what replaced what, what is the default, what is refused, and which names are gone.

import { cut } from '../../language/gist.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { endingKey } from '../../schema/statement-form.ts';
import { isWellKnown } from './outside.ts';
import { identifier } from './request.ts';

/** Each form says how things are after the commit. `Add`, `Fix` and `Improve` only say that something was done. */
const decides =
  /^(?:(?:replace|swap) .{4,} (?:with|by) .{3,}|split .{3,} into .{3,}|rename .{3,} to .{2,}|move .{3,} (?:to|into|under) .{3,}|(?:switch|migrate) .{3,} to .{3,}|change (?:the )?default .{3,} to .{2,}|default .{3,} to .{2,}|make .{3,} the default\b.*|use .{3,} (?:instead of|rather than|not) .{3,}|(?:reject|refuse|forbid|disallow|require|defer|enforce|disable|stop) .{12,})$/i;

/** A move or a new name counts for what others build on. Where one file lies, the repository says. */
const moves = /^(?:move|rename)\b/i;
const builtUpon =
  /\b(?:packages?|modules?|repo|repository|crates?|librar(?:y|ies)|binary|(?:sub)?commands?|flags?|options?|settings?|namespaces?|services?|tables?|columns?|fields?|endpoints?|api|variables?|workers?|servers?|clients?|process(?:es)?|database|store)\b|(?:^|\s)--[a-z]/i;
const oneFile = /^(?:move|rename) (?:the )?`?[\w./-]+\.[a-z]{1,5}`?(?=\s)/i;

/** Not about how the program works: tests, texts, looks, leftovers. */
const aside =
  /(?<![\w-])(?:(?:unit-|e2e-)?tests?|testing|specs?|fixtures?|lint\w*|(?:re)?formatt?(?:ing|er)|gofmt|prettier|typos?|comments?|docs?|documentation|readme(?:\.md)?|changelog|wording|logos?|icons?|buttons?|colou?rs?|badges?|labels?|styles?|layout|imports?|(?:now-)?unused|dead|redundant|leftovers?|(?:post-)?review|cleanup|ci|workflows?|bump|wip|exporting)(?![\w-])/i;
/** A title that begins so is about checks, texts or looks. */
const smallDeeds =
  /^(?:[\w/.-]+: )?(?:cover|pin|document|polish|sharpen|simplify|trim|clean|address|show|display|surface|highlight|hint|reword|bump|update|upgrade)\b/i;
const smallKinds = /^(?:docs?|tests?|style|chore|ci|build|release)(?:\([^)]*\))?!?: /i;
const scope =
  /^(?:(?:feat|fix|refactor|perf)(?:\(([^)]{2,30})\))?|([a-z][\w/.-]{1,30}))!?: (?:[a-z]+\/[\w/]+, )?(?=\S)/;

const tellingIn = (text: string): number =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{2,}/gu) ?? []).filter(isTellingWord).length;

/** An identifier also counts right behind a verb. */
const name = String.raw`(?:${identifier.source}|--[a-z][\w-]+)`;

/** The name of something in the code right after the verb, with nothing behind it that would be the real object. */
const removal = new RegExp(
  String.raw`^(?:[Dd]rop|[Rr]emove|[Dd]elete|[Rr]etire)s? (?:the )?(?:now-unused |unused |legacy |old |deprecated )?(${name})(?: (?:flag|option|type|function|struct|class|interface|setting|command|mode|wrapper|helper|module|package|file|field|column|table)s?)?(?=$|[,;.:]| (?:per|in favou?r|and|because|now that|as|since|after)\b)`,
);

/** A new name or several parts take the place of a name. `replace X with Y` may be about a single call, unless nothing else is said. */
const replacement = new RegExp(
  String.raw`^(?:(?:[Rr]ename|[Ss]plit)s? (?:the )?(?:(?!from )[a-z]+ ){0,2}?(?:from )?(${name})(?: [a-z]+){0,2}? (?:to|into) \S|(?:[Rr]eplace|[Ss]wap)s? (?:the )?(${name})(?: (?:flag|option|type|setting|command|module|package|field|column|table)s?)? (?:with|by) (?:the )?${name}$)`,
);

function parts(message: string): { readonly about: string; readonly said: readonly string[] } {
  const found = scope.exec(message);
  const plain = found === null ? message : message.slice(found[0].length);
  return { about: found?.[1] ?? found?.[2] ?? '', said: plain.split('; ') };
}

/** Whether a title is about how the program works. Titles about tests, texts, looks and leftovers are not. */
export const isDecided = (title: string): boolean =>
  !title.endsWith('…') &&
  !smallKinds.test(title) &&
  !smallDeeds.test(title) &&
  !aside.test(title) &&
  tellingIn(title) >= 2;

/** By its convention, or its first word, about tests, texts and chores alone. */
export const isMinor = (title: string): boolean =>
  smallKinds.test(title) || /^(?:[\w/.-]+: )?(?:tests?|docs?|document|typos?)\b/i.test(title);

const lowered = (text: string): string => text.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
const told = (part: string, about: string): string => `${lowered(part)}${about === '' ? '' : ` (${about})`}`;

/** The title with the part of the code that it names at the end. */
export function withScope(title: string): string {
  const { about, said } = parts(title);
  return told(said.join('; '), about);
}

/** The part of a title that says by itself how things are after the commit. Undefined if it only says that something was done. */
export function designChange(title: string): string | undefined {
  const { about, said } = parts(title);
  const part = said.find(
    (one) =>
      decides.test(one) &&
      (!moves.test(one) || ((builtUpon.test(one) || /\b[A-Z\d]+_[A-Z_\d]+\b/.test(one)) && !oneFile.test(one))) &&
      (identifier.test(one) ? tellingIn(one) >= 2 : tellingIn(one) >= 4),
  );
  return part === undefined ? undefined : told(part, about);
}

/** What is known about a name ends with the commit that removes it. */
export function removedBy(message: string): KeyedStatement[] {
  if (message.endsWith('…') || smallKinds.test(message)) return [];
  return parts(message).said.flatMap((part) => {
    const [, renamed, replaced] = replacement.exec(part) ?? [];
    const gone = (removal.exec(part)?.[1] ?? renamed ?? replaced)?.replaceAll('`', '').trim();
    const text = `The commit “${cut(message, 100)}” removed ${gone}.`;
    return gone === undefined || isWellKnown(gone)
      ? []
      : [
          {
            ...{
              key: cut(endingKey({ by: 'removal', of: gone }), 80),
              text,
              ends: { by: 'removal' as const, of: cut(gone, 300) },
            },
            ...{ saidBy: 'agent' as const, change: 'retire' as const },
          },
        ];
  });
}

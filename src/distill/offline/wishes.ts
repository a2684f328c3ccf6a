// What a person states outright about themselves, about the project, and about procedures.
import { sentencesOf } from '../../language/gist.ts';
import { isEveryday, isTellingWord } from '../../language/stop-words.ts';
import type { Turn } from '../material.ts';
import type { Said } from './notable.ts';
import { anaphor, identifier } from './request.ts';
import { capital, ended } from './say.ts';
import { typedText } from './typed-text.ts';

/** A lasting, general preference: neither a momentary wish nor a choice from a menu. */
const preference = [
  /\bi (?:really |strongly |generally |usually |always )?prefer (?=.{4,}\b(?:over|to|instead of|rather than)\b)/i,
  /\bfrom now on\b|\bin (?:the )?future,? (?:please|always|never|don'?t|use)\b|\bgoing forward,? (?:please|always|never|don'?t|use|we|let's)\b|\bgoing forward[.!]?$/i,
  /^(?:please |and |also )*(?:always|never) \w+/i,
  /\b(?:you|we) (?:must|should) (?:always|never) (?!happen)\w+/i,
  /\b(?:you|we) should(?:n'?t| not)? .{8,}\b(?:wherever|whenever|everywhere|in general|as a rule|by default)\b/i,
  /\bi (?:always|never|usually) (?:use|want|write|run|commit|prefer|put|name)\b/i,
  /\bin this (?:repo|repository|project|codebase),? we (?:always|never|want|use|don'?t|prefer|keep)\b/i,
];
const ofTheMoment =
  /\?\s*$|:\s*$|…$|\bi(?:'d| would) (?:prefer|like|love)\b|\bthis time\b|\bfor now\b|\bjust this once\b|\bnever ?mind\b|\boption \w\b|^(?:if|but|so|because|why|how|when|what|is|are|do|does|did|can|could|would)\b|\b(?:was|were|did|had|got|saw) (?:always|never)\b|\b(?:always|never) (?:ran|worked|called|used to|gets?|got|works|happens|fails)\b/i;

/** Makes sense without context: has four telling words, and none that refers to earlier text. */
const standsAlone = (text: string): boolean =>
  !anaphor.test(text) &&
  (text.toLowerCase().match(/\p{L}[\p{L}\p{N}_.-]{2,}/gu) ?? []).filter(isTellingWord).length >= 4;

const inUse =
  /^(?:(?:also|and|here|note that)\W+)?(?:we|i|this project|the project|this repo|our \w+)(?:'re| are|'m| am)? (?:(?:now|currently|already|only|also|both) )?(?:use|uses|using|run on|runs on|deploy(?:s)? (?:to|on|with)|host(?:s|ed)? (?:on|it on)|moved to|migrated to|switched to|standardi[sz]ed on)\b/i;

const howTo =
  /^(?:in order )?to ((?:deploy|release|publish|run|test|build|start|restart|debug|migrate|install|reset|seed|update|generate|regenerate|lint|format|reinstall|set up|roll back)\b[^,:]{0,60}),? (?:you (?:need to|have to|should|must|can) )?(?:just |simply )?(?:run|use|execute|call|type|do) (.{3,160})$/i;

const known =
  /\b(?:[Mm]y |[Oo]ur )(?:colleague|co-?worker|boss|manager|teammate|team lead|designer|client|customer|friend|partner|wife|husband|brother|sister|mentor|intern)[, ]+(?:named |called |is )?(\p{Lu}\p{Ll}{2,20})\b/u;
const roleOf =
  /\b(colleague|co-?worker|boss|manager|teammate|team lead|designer|client|customer|friend|partner|wife|husband|brother|sister|mentor|intern)\b/i;

export interface Wish extends Said {
  readonly key: string;
}

export interface Preference extends Wish {
  /** Whether it holds in every project: it is about the person or the way of working, and names nothing of the project. */
  readonly isGeneral: boolean;
}

const ofThePerson =
  /^I(?:'m| am)? (?:really |strongly |generally |usually |always |never )*(?:prefer|use|want|write|run|commit|put|name|like|work)\b/i;
/** What people and agents work with everywhere. */
const ofTheWork =
  /\b(?:answers?|replies|reply|respon(?:d|ses?)|explain|explanations?|summar(?:y|ies|i[sz]e)|english|emojis?|comments?|commits?|committing|messages?|branch(?:es)?|pull requests?|prs?|push|style|tabs|spaces|indent\w*|naming|types?|tests?|lint\w*|tdd|docs|documentation|refactor\w*|functions?|class(?:es)?|abstractions?|dependenc(?:y|ies)|librar(?:y|ies)|git|ask|permission|plans?|steps?|todos?|reviews?|worktrees?|subagents?)\b/i;
const ofTheProject =
  /\b(?:in|for|of|on) (?:this|our) (?:repo|repository|project|codebase|app|page|server|service|api|cli|site|package|module)\b/i;

/** `the dashboard` is a thing of the project, `the strong types` is not. */
const namesThing = (text: string): boolean =>
  [...text.matchAll(/\bthe ([\w-]+(?: [\w-]+)?)/gi)].some(
    ([, thing = '']) => !ofTheWork.test(thing) && !/^(?:same|user|code|best|end|whole)\b/.test(thing),
  );

/** Whether a wish holds in every project. */
const isGeneral = (text: string): boolean =>
  !identifier.test(text) &&
  !ofTheProject.test(text) &&
  !namesThing(text) &&
  (ofThePerson.test(text) || ofTheWork.test(text));

/** `Just run it directly from now on` follows from the sentence before it. */
const follows = /^(?:(?:so|and|then|therefore|instead|just|only|rather)\b[\s,]*)+/i;
const longestPair = 300;

const withReason = (text: string, before: string | undefined): string =>
  before === undefined || !follows.test(text) || /[?:]\s*$/.test(before) || before.length + text.length > longestPair
    ? text
    : `${ended(before)} ${text}`;

export interface Wishes {
  readonly preferences: readonly Preference[];
  readonly uses: readonly Said[];
  readonly procedures: readonly Wish[];
  readonly people: readonly (Said & { readonly name: string; readonly role: string })[];
}

/** Longer prompts are plans or pasted text. */
const longestPrompt = 2500;
/** Prompts with more sentences are mostly pasted. */
const mostSentences = 25;

export function wishesOf(turns: readonly Turn[]): Wishes {
  const found = {
    preferences: [] as Preference[],
    uses: [] as Said[],
    procedures: [] as Wish[],
    people: [] as (Said & { name: string; role: string })[],
  };
  for (const { request } of turns) {
    if (request === undefined || request.text.length > longestPrompt) continue;
    const sentences = sentencesOf(typedText(request.text)).slice(0, mostSentences);
    for (const [i, { text }] of sentences.entries()) {
      if (text.length < 12 || text.length > 300) continue;
      const said: Said = { text: capital(text), entry: request.id, at: request.at };
      const steps = howTo.exec(text);
      const person = known.exec(text)?.[1];
      if (steps !== null)
        found.procedures.push({ ...said, key: `how to ${(steps[1] as string).toLowerCase().trim()}` });
      else if (preference.some((pattern) => pattern.test(text)) && !ofTheMoment.test(text) && standsAlone(text))
        found.preferences.push({
          ...said,
          ...{ key: keyOf(text), isGeneral: isGeneral(text) },
          text: capital(withReason(text, sentences[i - 1]?.text)),
        });
      else if (inUse.test(text) && text.length < 140 && !/[?:]\s*$/.test(text) && !anaphor.test(text))
        found.uses.push(said);
      if (person !== undefined)
        found.people.push({ ...said, name: person, role: (roleOf.exec(text)?.[1] ?? '').toLowerCase() });
    }
  }
  return found;
}

const meta =
  /^(?:i|prefer|like|love|hate|dislike|always|never|usually|from|future|please|want|use|using|don|must|should|really|going|forward|my|favou?rite)$/;

/** The first telling words of a sentence. A later sentence with the same key replaces it. */
export function keyOf(text: string): string {
  const words = (text.toLowerCase().match(/\p{L}(?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu) ?? []).filter(
    (word) => word.length > 2 && isTellingWord(word) && !meta.test(word),
  );
  const telling = words.filter((word) => !isEveryday(word));
  return (telling.length > 1 ? telling : words).slice(0, 3).join(' ') || 'general';
}

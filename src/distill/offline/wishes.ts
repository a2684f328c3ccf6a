// What a person says about themselves, about the project, and about how things are done, in so many words.
import { sentencesOf } from '../../text/gist.ts';
import { isEveryday, isTellingWord } from '../../text/stop-words.ts';
import type { Turn } from '../material.ts';
import type { Said } from './notable.ts';
import { typedText } from './request.ts';
import { capital } from './say.ts';

/** A lasting preference, not a wish of the moment. */
const preference = [
  /\bi (?:really |strongly |generally |usually |always |still )?(?:prefer|like|love|hate|dislike|can'?t stand|(?:do not|don'?t) (?:really )?(?:like|want you to ever))\b(?! (?:to ask|your help|you to|it if you|that (?:idea|one)|this (?:idea|one)|(?:much )?(?:this|that) idea|the idea)\b)/i,
  /\bfrom now on\b|\bin (?:the )?future,? (?:please|always|never|don'?t|use)\b|\bgoing forward\b/i,
  /^(?:please |and |also )*(?:always|never) \w+/i,
  /\b(?:you|we) (?:must|should) (?:always|never) (?!happen)\w+/i,
  /\bi (?:always|never|usually) \w+/i,
  /\bmy (?:preferred|favou?rite|usual) \w+/i,
];
const ofTheMoment =
  /\?\s*$|\bi(?:'d| would) (?:prefer|like|love)\b|\bthis time\b|\bfor now\b|\bjust this once\b|\bnever ?mind\b|\bi (?:always|never) (?:saw|got|had|thought|knew|noticed|heard)\b/i;

const inUse =
  /\b(?:we|i|this project|the project|this repo|our \w+)(?:'re| are|'m| am)? (?:(?:now|currently|already|only|also|both) )?(?:use|uses|using|run on|runs on|deploy(?:s)? (?:to|on|with)|host(?:s|ed)? (?:on|it on)|moved to|migrated to|switched to|standardi[sz]ed on)\b/i;

const howTo =
  /^(?:in order )?to ((?:deploy|release|publish|run|test|build|start|restart|debug|migrate|install|reset|seed|update|generate|regenerate|lint|format|reinstall|set up|roll back)\b[^,:]{0,60}),? (?:you (?:need to|have to|should|must|can) )?(?:just |simply )?(?:run|use|execute|call|type|do) (.{3,160})$/i;

const known =
  /\b(?:[Mm]y |[Oo]ur )(?:colleague|co-?worker|boss|manager|teammate|team lead|designer|client|customer|friend|partner|wife|husband|brother|sister|mentor|intern)[, ]+(?:named |called |is )?(\p{Lu}\p{Ll}{2,20})\b/u;
const roleOf =
  /\b(colleague|co-?worker|boss|manager|teammate|team lead|designer|client|customer|friend|partner|wife|husband|brother|sister|mentor|intern)\b/i;

export interface Wish extends Said {
  readonly key: string;
}

export interface Wishes {
  readonly preferences: readonly Wish[];
  readonly uses: readonly Said[];
  readonly procedures: readonly Wish[];
  readonly people: readonly (Said & { readonly name: string; readonly role: string })[];
}

/** Prompts longer than this are mostly pasted. */
const mostSentences = 25;

export function wishesOf(turns: readonly Turn[]): Wishes {
  const found = {
    preferences: [] as Wish[],
    uses: [] as Said[],
    procedures: [] as Wish[],
    people: [] as (Said & { name: string; role: string })[],
  };
  for (const { request } of turns) {
    if (request === undefined) continue;
    for (const { text } of sentencesOf(typedText(request.text)).slice(0, mostSentences)) {
      if (text.length < 12 || text.length > 300) continue;
      const said: Said = { text: capital(text), entry: request.id, at: request.at };
      const steps = howTo.exec(text);
      const person = known.exec(text)?.[1];
      if (steps !== null)
        found.procedures.push({ ...said, key: `how to ${(steps[1] as string).toLowerCase().trim()}` });
      else if (preference.some((pattern) => pattern.test(text)) && !ofTheMoment.test(text))
        found.preferences.push({ ...said, key: keyOf(text) });
      else if (inUse.test(text) && !/\?\s*$/.test(text)) found.uses.push(said);
      if (person !== undefined)
        found.people.push({ ...said, name: person, role: (roleOf.exec(text)?.[1] ?? '').toLowerCase() });
    }
  }
  return found;
}

const meta =
  /^(?:i|prefer|like|love|hate|dislike|always|never|usually|from|future|please|want|use|using|don|must|should|really|going|forward|my|favou?rite)$/;

/** What a sentence is about, so that a later one about the same replaces it: its first telling words. */
export function keyOf(text: string): string {
  const words = (text.toLowerCase().match(/\p{L}(?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu) ?? []).filter(
    (word) => word.length > 2 && isTellingWord(word) && !meta.test(word),
  );
  const telling = words.filter((word) => !isEveryday(word));
  return (telling.length > 1 ? telling : words).slice(0, 3).join(' ') || 'general';
}

// ④ Recall on a prompt: a few lines if, and only if, something in the past is clearly about it. Silence is the rule.
import { stemmer } from 'stemmer';
import type { Config } from '../../config/config.ts';
import { cut, gist, inOneLine, joinSentences, sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { BriefingItem } from '../../schema/briefing.ts';
import { briefingTag } from '../../schema/briefing-tag.ts';
import type { ProjectFilter } from '../../store/projects/port.ts';
import { indexText } from '../../store/search/index-text.ts';
import type { KeywordHit, KeywordQuery } from '../../store/search/port.ts';
import type { Store } from '../../store/store.ts';
import { calendar } from '../question/calendar.ts';
import { parseKeywords } from '../question/keywords.ts';
import { fold, wordPattern } from '../question/words.ts';

export interface OnPromptDeps {
  readonly store: Pick<Store, 'pins' | 'search' | 'sessions'>;
  readonly config: Config;
  readonly clock: () => number;
}

export interface OnPromptRequest {
  readonly prompt: string;
  readonly project: ProjectFilter;
  /** The asking session. It knows what it said itself. */
  readonly session: string;
}

/** A pasted log has so many words that something always matches. */
const longestPrompt = 4000;
const mostLines = 3;
/** A word is rare when at most this share of all entries contain it; in a small store, a few. */
const rareShare = 0.01;
const rareAtLeast = 8;
const mostRareTerms = 10;
/** How many rare words of the prompt an entry must contain, and which share of everything that the prompt asks for. */
const rareInCommon = 3;
const coverage = 0.6;

type Term = KeywordQuery['terms'][number];

export async function recallOnPrompt(
  { store, config, clock }: OnPromptDeps,
  { prompt, project, session }: OnPromptRequest,
): Promise<{ text: string; items: BriefingItem[] }> {
  const nothing = { text: '', items: [] };
  if (!config.settings.recallOnPrompt || prompt.length > longestPrompt || /^\s*[/!]/.test(prompt)) return nothing;
  const { terms, phrases } = parseKeywords(prompt);
  const asked: Term[] = [...terms, ...phrases.map((words) => ({ words, prefix: false }))];
  const { entries, matches } = await store.search.keywordCounts({ terms: asked, phrases: [] });
  // New words weigh most: a prompt full of them is about something new.
  const weights = matches.map((count) => Math.log((entries + 1) / (count + 0.5)));
  const isRare = (i: number) =>
    (matches[i] ?? 0) > 0 && (matches[i] ?? 0) <= Math.max(rareAtLeast, rareShare * entries);
  const rare = asked.map((_, i) => i).filter(isRare);
  if (rare.length < rareInCommon) return nothing;
  rare.sort((a, b) => (matches[a] ?? 0) - (matches[b] ?? 0) || a - b);
  const query = { terms: rare.slice(0, mostRareTerms).map((i) => asked[i] as Term), phrases: [] };
  const found = await store.search.keywords(query, { project, limit: 30 });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);

  const muted = new Set((await store.pins.list()).filter(({ mark }) => mark === 'muted').map(({ id }) => id));
  const clear = found.filter(({ entry }) => {
    if (entry.session === session || entry.author === 'machine' || entry.abandoned) return false;
    if (muted.has(entry.id) || muted.has(entry.session)) return false;
    const held = termsIn(entry.text, asked);
    const common = held.reduce((sum, i) => sum + (weights[i] ?? 0), 0);
    return held.filter(isRare).length >= rareInCommon && common >= coverage * whole;
  });
  const best = onePerSession(clear).slice(0, mostLines);
  if (best.length === 0) return nothing;
  const days = calendar(clock(), config.settings.timeZone);
  const items: BriefingItem[] = [];
  for (const { entry, title } of best) {
    const about =
      title === '' || entry.text.startsWith(title.replace(/…$/, '')) ? '' : `${cut(inOneLine(title), 100)}: `;
    // An earlier question helps less than its answer.
    const ending = entry.author === 'person' ? await store.sessions.ending(entry.agent, entry.session) : undefined;
    const end = ending?.entries.findLast((one) => isAnswer(one) && one.at > entry.at && !muted.has(one.id));
    const said = telling(entry.text, asked, end === undefined ? 240 : 160);
    const outcome = end === undefined ? '' : ` It ended: ${gist(end.text, 240)}`;
    const text = `${days.day(Date.parse(entry.at))}, ${about}${said}${outcome} (\`holdfast show ${inOneLine(entry.id)}\`)`;
    items.push({ kind: 'past', id: entry.id, text });
  }
  const lines = ['From earlier sessions in this project, as background:', ...items.map(({ text }) => `- ${text}`)];
  return { text: `<${briefingTag}>\n${lines.join('\n')}\n</${briefingTag}>`, items };
}

/** Which of the terms stand in a text, as the index would see it. */
function termsIn(text: string, terms: readonly Term[]): number[] {
  const stems = stemsOf(text);
  return terms.map((_, i) => i).filter((i) => (terms[i] as Term).words.every((word) => stems.has(stemmer(fold(word)))));
}

const stemsOf = (text: string): Set<string> =>
  new Set([...indexText(text.slice(0, 50_000)).matchAll(wordPattern)].map(([word]) => stemmer(fold(word))));

/** Hits come best first. */
const onePerSession = (hits: readonly KeywordHit[]): KeywordHit[] =>
  [...new Map(hits.toReversed().map((hit) => [`${hit.entry.agent} ${hit.entry.session}`, hit])).values()].toReversed();

/** The sentences of a text that contain most of the question, in their order. */
function telling(text: string, asked: readonly Term[], max: number): string {
  const sentences = sentencesOf(text).map((sentence) => sentence.text);
  const held = sentences.map((sentence) => termsIn(sentence, asked).length);
  const most = Math.max(...held, 0);
  const first = Math.max(0, held.indexOf(most));
  return joinSentences(sentences.slice(first), max);
}

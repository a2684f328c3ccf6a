// What is worth a line in a briefing: an outcome beyond the title, a title that names its work, a file where work goes on.

import { isOfTests } from '../../distill/offline/commit-title.ts';
import { isLoose } from '../../distill/offline/title.ts';
import { isTellingWord } from '../../language/stop-words.ts';

/** The beginnings of the telling words of a text, so that `Converted` and `Conversion` are the same. */
const stemsIn = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
      .filter(isTellingWord)
      .map((word) => word.replace(/(?<=\p{L}{4})(?:sions?|tions?|ings?|ed|es|s|e)$/u, '').slice(0, 6)),
  );

function sharesWords(text: string, other: string, share: number): boolean {
  const [named, said] = [stemsIn(text), stemsIn(other)];
  const shared = [...said].filter((word) => named.has(word)).length;
  return shared >= Math.max(Math.min(2, said.size), share * Math.min(named.size, said.size));
}

/** Whether an outcome shares so many words with the title that it tells the same work. */
export const repeatsTitle = (title: string, outcome: string): boolean => sharesWords(title, outcome, 0.4);

/** Whether two commits of a session did the same: they are about one subject and share words anyway. */
export const repeatsCommit = (told: string, message: string): boolean => sharesWords(told, message, 0.6);

/** Plans and offers. */
const ofTheProcess =
  /:$|\?$|^(?:now|let me|let's|next|good|great|perfect|i'll|i will|i need|i have a clear|here(?:'s| is)|want me|should i|would you|ready|(?:all )?done[.!]?$)\b|^(?:all )?done[.!]?$/i;

/** Who does the work, and where. */
const handsOver =
  /^(?:spawn|dispatch|delegat|kicked off|handed (?:off|over))\w*\b|^(?:started|launched) (?:the|a|an) (?:\w+ )?(?:worker|agent|subagent|task)\b|^(?:handle|branch|worktree|branch\/worktree|pid|session)\b[^.]{0,20}:/i;

/** That checks pass, that something is unaffected, or a row of a list of tools. */
const saysNothing =
  /^(?:all |the |and )*(?:\w+ )?(?:build|builds|tests?|lint\w*|types?|checks?|go vet|vet|everything)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|clean|green|ok)\W*$|\bunaffected\W*$|^[\w-]{2,20} - \S|\b(?:fixed|resolved|addressed|cleaned up|handled) (?:all|both|every|each)\b[^.]{0,40}\b(?:issues?|errors?|problems?|warnings?|findings?|comments?|failures?)\W*$/i;

/** A verb without a subject explains code: a row of a list. */
const explainsCode =
  /^(?:[^:.]{2,60}: )?(?:uses|checks|sorts|simplifies|handles|returns|calls|reads|takes|adds|creates|provides|includes|supports|allows|ensures|keeps|makes|sets|falls back|removes)\b/i;

const onlyTidies =
  /^(?:add|remov|updat|fix|clean|sort|organi[sz])\w*\b[^.:]{0,30}\bimports?\b|^(?:add|creat|updat|clarif|improv|expand|rewr)\w* (?:\w+ ){0,3}\S*\b(?:readme|changelog|claude|agents)(?:\.md)?\b/i;

/** Whether a sentence of an agent's answer is talk: it says nothing about the work itself. */
export const isTalk = (sentence: string): boolean => ofTheProcess.test(sentence) || saysNothing.test(sentence);

/** Whether a sentence of an agent's last answer says what came of the work. */
export const tellsOutcome = (sentence: string): boolean =>
  !isTalk(sentence) && ![handsOver, explainsCode, onlyTidies].some((flaw) => flaw.test(sentence));

const asks =
  /\?\W*$|^(?:does|do|did|is|are|was|were|should|shall|would|could|can|what|why|how|where|when|which|who)(?=\s)/i;
/** A symptom or something that only the session showed. */
const unnamed =
  /^(?:fix|resolve|address|handle|update|change|correct|review)\w* (?:these|this|those|that|the following)\s|^(?:a (?:lot|few|couple) of|many|some|most|all)\b.*\b(?:fail\w*|broken|wrong)\b/i;

/** Whether a title says what the work was about: no question, no symptom, no action without its object. */
export const namesWork = (title: string): boolean =>
  title.trim() !== '' && !isLoose(title) && !asks.test(title.trim()) && !unnamed.test(title.trim());

/** How something looks or is worded. */
const looks =
  /\b(?:badges?|tooltips?|icons?|borders?|margins?|paddings?|fonts?|hover|css|buttons?|colou?rs?|alignment|placeholders?|row headers?|home ?page|wording|typos?|ui layout|favicon)\b|\b(?:clarif|updat|improv|reword|document)\w*\b.*\breadme\b|\blabels?\b.{0,40}[“"]/i;

export const isTrivial = (text: string): boolean => looks.test(text);

/** A new version of the project or of a dependency, or what a compiler or linter complained about. */
const routine =
  /^(?:bump|(?:created? the )?release[ds]?|publish(?:ed)?) \S*\d|^(?:bump|upgrade) \S+ (?:from|to) v?\d|^(?:fix|resolv|address|clean)\w* (?:up )?(?:\w+ ){0,3}(?:typ(?:e|ing)s?|lint(?:er|ing)?|formatting|compil\w+|typescript|pyright|mypy|eslint)(?: \w+)? (?:errors?|issues?|warnings?|problems?)\b|^(?:fix|resolv|address|silenc)\w* (?:[\w-]+ ){1,3}warnings?\b/i;
/** Whether a title is worth no line once newer sessions came after it. */
export const isMinor = (title: string): boolean => isTrivial(title) || routine.test(title) || isOfTests(title);

const aside =
  /(?:^|[/_.-])(?:tests?|specs?|__tests__|fixtures?|__snapshots__)(?:[/_.-]|$)|\.(?:mdx?|snap|lock|sum|map)$|(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb)$|(?:^|\/)(?:dist|build|out|node_modules|vendor|generated|__generated__)\/|[._](?:generated|gen|min|pb)\.\w+$|(?:^|\/)\.[\w-]+\/settings[\w.]*\.json$/i;

/** Tests, texts, locks, settings of agents and generated files follow the work. */
export const isAside = (file: string): boolean => aside.test(file);

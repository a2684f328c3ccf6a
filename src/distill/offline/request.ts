// A prompt → the request in prose: without pasted logs and code, without greetings, with the verb first.

import { cut, sentencesOf } from '../../language/gist.ts';
import { assent } from '../../language/open-ends.ts';
import { isEveryday, isTellingWord } from '../../language/stop-words.ts';
import { capital } from './say.ts';

const longest = 100;

/** Lines that people paste rather than type: output, code, JSON, stack traces, shell prompts, bare paths. */
const pasted: readonly RegExp[] = [
  /^\s*[{}[\]()<>]/,
  /^\s*["'][\w$-]+["']\s*:/,
  /[{};]\s*$/,
  /=>\s*$|^\s*(?:const|let|var|import|export|function|def|class|return|await|from)\s+[\w{*$]+.*[=({;:]/,
  /^\s*at\s+.+[:(]\d+/,
  /^\s*File "[^"]+", line \d+/,
  /^\s*(?:Traceback|Caused by:|During handling)/,
  /^\s*(?:➜|❯|\$|>|%|»|⏵|\+|-\s{2,}|\d+\s*[|:│]|\|)\s/,
  /^\s*~?\/\S+\s*\([^)]*\)\s*$/,
  /^\s*['"]?(?:~|\.{0,2})?\/[^\s'"]+(?:[ \w.-]+\.\w+)?['"]?\s*$/,
  /^\s*\[?\d{1,4}[-:/]\d{2}[-:/T.]\d{2}/,
  /\b(?:npm|yarn|pnpm) (?:ERR|WARN|error|warn)\b/i,
  /^\s*\w+=["'\w[({].*,?\s*$/,
  /^\s*\[?(?:error|warn(?:ing)?|info|debug|fatal|trace|notice)\b\]?\s*[:[(]/i,
  /^\s*\w*(?:Error|Exception|Warning)\b.*:/,
  /[╭╰│┃━─═]{2,}|_{6,}|={6,}/,
  /^\s*#\d+\s+\d/,
  /^\s*[\w$]+:\s.*,\s*$/,
  /^\s+(?:errno|code|syscall|path|stack|message):\s/,
  /^\s*(?:=>|\[\+\]|\p{Extended_Pictographic})/u,
  /\)\s*(?:as \w+)?:\s*$|^\s*[\w.]+\s*=\s*\S+\(/,
  /^\s*(?:GET|POST|PUT|DELETE|PATCH|HEAD)\b/,
  /\S{90,}/,
  /^\s*(?:Tip|Note|Hint|Usage|Generated|Downloading|Installing|Compiling|Running|Collecting)\b.{0,80}(?::|\.\.\.|\bin \d)/,
];

const isPasted = (line: string): boolean => {
  if (pasted.some((pattern) => pattern.test(line))) return true;
  if (line.length < 12) return false;
  let letters = 0;
  for (const char of line) if (/[\p{L}\s]/u.test(char)) letters++;
  return letters / line.length < 0.6;
};

/** Characters read of a prompt. The rest says nothing new about the request. */
const looked = 6000;

/** If most lines of a long block do not end like sentences, assumes that the person typed the first two and pasted the rest. */
function withoutBlocks(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let block: string[] = [];
  const flush = () => {
    const open = block.filter((line) => !/[.?!:,;]\s*\\?$|^\s*(?:[-*•]|\d+[.)])\s/.test(line)).length;
    kept.push(...(block.length >= 8 && open > block.length * 0.6 ? block.slice(0, 2) : block));
    block = [];
  };
  for (const line of lines) {
    if (line.trim() === '') {
      flush();
      kept.push(line);
    } else block.push(line);
  }
  flush();
  return kept;
}

/** A shell prompt, or a question of a program. The lines after it are output. */
const shellPrompt = /^\s*(?:➜|❯|\$|%|»|⏵|>>>)\s|\[[Yy]\/[Nn]\]|^\s*(?:PS )?[\w.-]+@[\w.-]+[:~ ].*[$#]\s/;
const listItem = /^\s*(?:[-*•+]|\d{1,3}[.)])\s/;

/** Removes output: the lines after a shell prompt, or after a line such as `I get this:` unless a list or a code block follows. */
function withoutOutput(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let dropping: 'no' | 'next block' | 'block' = 'no';
  for (const line of lines) {
    const empty = line.trim() === '';
    if (shellPrompt.test(line)) dropping = 'block';
    else if (dropping === 'next block' && !empty)
      dropping = listItem.test(line) || /^\s*(?:```|~~~)/.test(line) ? 'no' : 'block';
    else if (dropping === 'block' && empty) dropping = 'no';
    if (dropping !== 'block') kept.push(line);
    if (dropping === 'no' && /:\s*\\?$/.test(line) && line.length < 300) dropping = 'next block';
  }
  return kept;
}

/** The file name says as much as a long path. */
const longPath =
  /(^|[\s("'`])@?(?:~|\.{1,2})?(?:\/[\w.@+-]+)+\/([\w.@+-]+\.\w{1,5})(?:(?::|#L)\d+(?:-L?\d+)?)?(?=$|[\s,;:.?!)"'`])/g;
const tag = /(?<!`)<\/?([a-z][\w-]*)(\s[^<>]{0,200})?\/?>(?!`)/gi;

/** The prompt without what was pasted into it. */
export function typedText(text: string): string {
  const head = text.slice(0, looked).replace(longPath, '$1$2');
  const lines = head.split('\n');
  let fenced = false;
  const kept = withoutOutput(lines).filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      return false;
    }
    return !fenced && !isPasted(line.replace(/\\$/, ''));
  });
  return (
    withoutBlocks(kept)
      .join('\n')
      // `<strategy name>` is a placeholder that a person wrote. A real tag has a closing tag or attributes.
      .replace(tag, (whole, name: string, rest = '') =>
        whole.startsWith('</') ||
        rest.includes('=') ||
        head.includes(`</${name}`) ||
        /^(?:br|hr|img|p|div|span|b|i)$/i.test(name)
          ? ' '
          : whole,
      )
      .replace(/\s[:;]-?[()/|DP](?=\s|$)/gm, ' ')
      .replace(/\[(?:Image|Screenshot|Pasted text)[^\]]{0,40}\]/g, ' ')
      .replace(/(^|\s)@(?=[\w./-]+)/g, '$1')
  );
}

/** Words before the actual request. They are removed repeatedly until none matches. */
const preamble: readonly RegExp[] = [
  /^(?:ok(?:ay)?|alright|all right|hey|hi|hello|oh|ah+|hm+|um+|uh+|so+|well|now|then|also|and|but|or|btw|by the way|actually|basically|maybe|just|wow|omfg|omg|wtf|fgs|fucking hell|jesus|dude|my dude|slight steering|to be fair|again|sorry|never ?mind|yes please|yes|yeah|yep|yup|sure|thanks?(?: you)?(?: so much)?)\b(?!['’-])[\s,.!:;…–—-]*/i,
  /^(?:right|great|perfect|nice|cool|good|awesome|excellent(?: work)?|no|nope|fine|fair enough|like|wait|first|next|man|got it|my bad|absolutely|if so|if yes|once done)\s*[,.!:;…–—-]+\s*/i,
  /^(?:hey |hi )?claude\b[\s,.!:]*/i,
  /^(?:can|could|would|will) (?:you|we|u)(?: please| pls)?(?: also| now| just| maybe)?\s+(?=\w)/i,
  /^(?:please|pls|kindly)\b[\s,]*/i,
  /^(?:i(?:'d| would)? (?:like|love|want|need)|i(?:'m| am) going to need|i(?:'d| would) like to ask) you to\s+/i,
  /^(?:i(?:'d| would)? (?:like|love|want)|we(?:'d| would)? (?:like|want)) to\s+(?=\w)/i,
  /^(?:i(?:'d| would)? like your help (?:with|to)|help me(?: to)?|i need (?:you|help) (?:to|with))\s+/i,
  /^(?:we|you|i)(?:'ll| will)? (?:need|have|ought) to\s+/i,
  /^(?:we|you) should (?:probably |also |now |just )?\s*/i,
  /^(?:let's|lets|let us)(?: also| now| just| then)?\s+(?=\w)/i,
  /^(?:i think|i feel like|i guess|i believe|i suppose|it seems|maybe|do you think|is it possible to|would it be possible to|it would be possible to|it(?:'s| is) possible to|how about you|go ahead and|make sure (?:that )?(?:you )?(?=to\b)|feel free to)\s+(?:that\s+)?/i,
  /^(?:to|you|and|also)\s+(?=(?:fix|add|create|update|make|write|read|check|move|remove|rename|refactor|implement|run|use|copy|find|look|do)\b)/i,
];

/** A verb at the beginning that asks for an action, or tells of one. */
export const asksFor =
  /^(?:fix|add|create|update|make|write|rewrite|read|check|move|remove|delete|rename|refactor|implement|run|use|copy|find|look|investigate|explain|list|show|search|review|commit|push|merge|rebase|release|publish|deploy|install|upgrade|migrate|convert|port|replace|change|adjust|improve|optimi[sz]e|simplify|clean|extract|split|set|configure|enable|disable|build|test|debug|document|describe|summari[sz]e|compare|analy[sz]e|propose|suggest|plan|design|try|undo|revert|restore|open|close|start|stop|continue|give|generate|support|handle|allow|switch|apply|address|resolve|integrate|wire|hook|bump|format|lint|translate|research|examine|tackle|reply|modify|kill|put|modernise|modernize|offload|export|import|parse|load|save|store|track|log|print|render|style|draft|help|reuse|hand|pick|solve|rework|drop|hide)\b/i;

/** Verbs of means rather than ends. Another sentence usually says more. */
const weakVerbs =
  /^(?:read|look|check|try|see|continue|remember|open|give|tell|use|make|put|do|run|show|start|stop|copy|find|write|set)\b/i;

export function withoutPreamble(sentence: string): string {
  let text = sentence.trim();
  for (let again = true; again; ) {
    again = false;
    for (const pattern of preamble) {
      const rest = text.replace(pattern, '');
      if (rest !== text && rest.trim() !== '') {
        text = rest.trim();
        again = true;
      }
    }
  }
  return text;
}

const contentWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu) ?? []).filter(
    (word) => word.length > 2 && isTellingWord(word) && !/^\d+$/.test(word) && !polite.test(word),
  );

/** Words that say what a text is about. */
const tellingWords = (text: string): string[] => contentWords(text).filter((word) => !isEveryday(word));

const polite =
  /^(?:thanks?|please|sorry|wow|amazing|awesome|excellent|great|perfect|wtf|fuck\w*|shit\w*|stupid|idiot)$/;

/** Typed by the person, but not a request to the agent. */
const commandLine = /^\s*[/!]/;
const empty =
  /^\W*(?:continue|go on|go ahead|proceed|do (?:it|that|this|them|so)(?: all)?|try again|again|keep going|carry on|next|same|that works|it works|wow|yo|test|ping|sleep|exit|quit|clear|[a-d]|\d+|y|n|yes|no|ok(?:ay)?|sure|please)\W*$/i;
const praise =
  /^(?:(?:excellent|great|amazing|awesome|wonderful|good|nice|perfect|fantastic|brilliant|thanks?|thank you|wow)\b[^.?!\n]{0,30}[.!]?\s*)+$/i;

export const saysNothing = (text: string): boolean => {
  const plain = text.trim();
  return (
    plain === '' ||
    commandLine.test(plain) ||
    empty.test(plain) ||
    assent.test(plain) ||
    (plain.length <= 80 && praise.test(plain))
  );
};

export interface Asked {
  /** Whether a person who was not there would understand the title. */
  readonly sure: boolean;
  /** Whether the title names an action without its object: `fix the tests`. */
  readonly vague: boolean;
  /** One line, with the verb first; empty if the prompt does not say what it is about. */
  readonly title: string;
  /** The sentences of the prompt, without pasted text. */
  readonly sentences: readonly string[];
}

/** The arguments of a slash command are the request. `ENT-221-state-machine` becomes a ticket and words. */
const slashed = /^\/[\w:.-]+[^\S\n]+(?=\S)([\s\S]{12,})$/;
const slug = /\b([A-Z]{2,6}-\d{1,6})-((?:[a-z0-9]+-){2,}[a-z0-9]+)\b/gi;

export function readRequest(given: string): Asked {
  const args = slashed.exec(given.trim())?.[1];
  const text = (args ?? given).replace(
    slug,
    (_, id: string, words: string) => `${id.toUpperCase()} ${words.replaceAll('-', ' ')}`,
  );
  if (saysNothing(text)) return { title: '', sure: false, vague: true, sentences: [] };
  const sentences = sentencesOf(typedText(text)).flatMap((sentence) => inPieces(sentence.text));
  let best = { title: '', score: 0, place: 0 };
  for (const [i, sentence] of sentences.slice(0, 8).entries()) {
    if (saysNothing(sentence)) continue;
    for (const title of candidates(sentence)) {
      const score = worth(title, sentence) - 0.5 * i;
      if (score > best.score) best = { title, score, place: i };
    }
  }
  const { title } = best;
  return { title, sure: best.score + 0.5 * best.place >= 3.5, vague: isVague(title) || isUnnamed(title), sentences };
}

/** Words that fit any work and so do not name its object. */
const ofAnyWork =
  /^(?:address|branch(?:es)?|bugbot|bot|ci|comments?|commits?|committed|conflicts?|copilot|cursor|draft|failures?|feedback|fixes|github|issues?|lint(?:er|ing)?|local(?:ly)?|main|merge[ds]?|mentioned|missing|plan|pr|prs|pull|push(?:ed)?|rebase[ds]?|remaining|requests?|resolve[ds]?|review(?:s|er|ed)?|staged|suggest(?:ed|ion|ions)|tests?|unstaged|uncommitted|warnings?|work)$/;

/** Whether a title names an action without its object. */
export const isVague = (title: string): boolean =>
  tellingWords(title).filter((word) => !ofAnyWork.test(word)).length < 2 && !identifier.test(title);

/** A name from the code, a file or a ticket: something that a person can search for. */
export const identifier =
  /`[^`]{3,}`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|\b[\w-]+\.(?:ts|tsx|js|jsx|mjs|py|go|rs|rb|java|kt|swift|c|cc|cpp|cs|php|sh|md|json|ya?ml|toml|css|html|sql)\b|\b[A-Z]{2,6}-\d+\b|(?:^|\s)--[a-z][\w-]+|#\d{2,}/;

/**
 * Also splits before a lower-case letter, since people who type in haste begin sentences with one. The lookahead for whitespace comes first:
 * otherwise each character of a long run would look back over the whole run.
 */
export const inPieces = (sentence: string): string[] =>
  sentence.split(
    /(?=\s)(?<=[\p{L}\p{N})"'`][?!]+|(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx))(?<=[\p{L}\p{N})"'`])\.)\s+(?=\p{Ll})/u,
  );

/** The sentence itself, and its later part if the request begins only there. */
function candidates(sentence: string): string[] {
  const plain = (sentence.slice(0, 1000).split(/(?<=\S{3}.{8,}?)\s\[?\d{1,2}:\d{2}:\d{2}/)[0] ?? '')
    .replace(/(?<=^|\s)["“](?=\S)([^"”]{25,})(?<=\S)["”](?=$|[\s.,;:!?)])/g, (_, words: string) =>
      words.length <= 70 ? words : ' ',
    )
    .replace(/\((?=[^)]{25})[^)]*\)/g, ' ');
  const late =
    /^.{18,400}?\b((?:i(?:'d| would)? (?:want|like|need) (?:you )?to|can (?:you|we)|could (?:you|we)|please|let's|we (?:need|have) to|we should|how (?:can|do|would|about)|why (?:is|are|does|do|would))\b.{12,})/i.exec(
      plain,
    )?.[1];
  return [plain, ...(late === undefined ? [] : [late])].map((text) => asTitle(withoutPreamble(text)));
}

/** Words that refer to earlier text. */
export const anaphor =
  /\b(?:it|its|them|both|same|those|these|they)\b|\b(?:this|that)(?:\W*$|[.,;:]|\s+(?:is|was|one|way|too|again|up|out|in|on|to|as|for|with|please|now|and)\b)|\b(?:do|fix|try|address|handle|check|commit|merge|push|review|summari[sz]e|explain) (?:this|that)\b|\bthe (?:above|following|previous|other one|rest)\b/i;

const opensWithAnaphor =
  /^(?:\S+ ){1,2}(?:it|its|them|they|both|this|that|those|these)(?:\W*$| (?:is|was|with|to|in|on|from|by|as|for|into|and|so|instead|again|too|up|out)\b)/i;

/** Whether the object of a title is in the text before it: `Replace them with a link`. */
export const isUnnamed = (title: string): boolean => opensWithAnaphor.test(title) && !identifier.test(title);

const opener =
  /^(?:do|did|can|could) you (?:have|see|know|read|access|remember|understand)\b|^what(?:'s| is) the (?:output|status|difference)\b|^(?:are|is) there any(?:thing)?\b|^(?:you have|you can see)\b|^(?:here(?:'s| is)|i have|there (?:is|are))\b/i;

function worth(title: string, sentence: string): number {
  const words = tellingWords(title);
  if (contentWords(title).length < 2) return 0;
  // `Fix the failing tests` at least names an action.
  if (words.length === 0) return asksFor.test(title) && !anaphor.test(title) ? 0.6 : 0;
  const doing = weakVerbs.test(title) ? 1.8 : asksFor.test(title) ? 3 : /^[a-z]{3,}ing\b/i.test(title) ? 2 : 0;
  const asking =
    /\?\W*$/.test(sentence) || /^(?:why|how|what|where|which|when|who|is|are|does|do)\b/i.test(title) ? 2 : 0;
  const wanting =
    /\b(?:fix|bug|error|fail\w*|broken|crash\w*|wrong|doesn'?t work|missing|need|should|want|instead of|rather than)\b/i.test(
      sentence,
    )
      ? 1
      : 0;
  const vague = /^(?:if|(?:this|these|that|those) (?:is|are|was))\b/i.test(title)
    ? -2
    : /^(?:it|this|that|these|those|they|there|he|she|you|i)\b/i.test(title)
      ? -1.2
      : /\b(?:it|this|that|these|those|them)\W*$/i.test(title)
        ? -0.8
        : 0;
  const cutOff = title.endsWith('…') ? -0.5 : 0;
  const unnamed = !identifier.test(title) && anaphor.test(title) ? -2.5 : 0;
  const opens = opener.test(title) ? -2 : 0;
  const named = identifier.test(title) ? 0.6 : 0;
  return Math.min(words.length, 5) * 0.6 + doing + asking + wanting + vague + cutOff + unnamed + opens + named;
}

/** Marks of a clause's end, the clearest first, each with the least length of the text before it. */
const clauses: readonly (readonly [readonly string[], number])[] = [
  [[', but ', ', so ', '; ', ' – ', ' — ', ' - ', ': ', ', because ', ' because ', ', as '], 35],
  [[', and ', ', which ', ', then ', ', or ', ' so that '], 45],
  [[', '], 60],
];

/** Removes connecting words that are left at the end after a clause was cut off. */
const withoutEnd = (text: string): string => {
  const whole = text.replace(
    /(?:[\s,]+(?:then|and|or|but|so|which|also|maybe|for|to|with|of|in|on|at|by|from|into|like|such as|as|is|are|was|the|a|an|that|because|when|if|what i want|i think|i guess|e\.g\.?|the following))+(?=…?$)/i,
    '',
  );
  return (whole.split('`').length - 1) % 2 === 0 ? whole : whole.replace(/\s*`[^`]*$/, '');
};

/** One line, with file names instead of paths. A long one ends at the end of a clause. */
export function asTitle(text: string): string {
  const plain = text
    .replace(/https?:\/\/(?:www\.)?([^\s/)]+)[^\s)]*/g, '$1')
    .replace(/\S+/g, (word) =>
      word.includes('/') ? (/\/([\w.@-]+\.\w{1,5}[,.;:?!)`'"]*)$/.exec(word)?.[1] ?? word) : word,
    )
    .replace(/\s+([,.;:?!])(?!\w)/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/[\s,;:–—-]+$/, '')
    .replace(/\s(?:with|like|as|is) (?:this|these|the following|follows)$/i, '')
    .replace(
      /,? (?:please|pls|thanks|no|(?:can|could) you (?:please )?help(?: me| us)?(?: (?:with|on) (?:this|that|it))?)\?*$/i,
      '',
    )
    .replace(/[.!]+$/, '')
    .trim();
  const direct = asksFor.test(plain) ? plain.replace(/\s*\?+$/, '') : plain;
  if (direct.length <= longest) return capital(withoutEnd(direct));
  const head = direct.slice(0, longest);
  for (const [marks, least] of clauses) {
    const end = Math.max(...marks.map((mark) => head.lastIndexOf(mark)));
    if (end > least) return capital(withoutEnd(head.slice(0, end)));
  }
  return capital(withoutEnd(cut(direct, longest)));
}

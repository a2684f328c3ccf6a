// A sentence → a heading: one line, with short names for paths and addresses, ended where a thought ends.
import { cut } from '../../language/gist.ts';
import { asksFor } from './preamble.ts';
import { capital } from './say.ts';

const longest = 110;

/** What stands in place of an address: `PR #12`, `issue #12`, `owner/name`, or its host. */
const addresses: readonly (readonly [RegExp, string])[] = [
  [
    /(?:\b(?:the )?(?:pr|pull request|mr|merge request)s?:?\s+)?https?:\/\/\S+\/(?:pull|pulls|merge_requests)\/(\d+)[^\s)]*/gi,
    'PR #$1',
  ],
  [/(?:\b(?:the )?issues?:?\s+)?https?:\/\/\S+\/issues\/(\d+)[^\s)]*/gi, 'issue #$1'],
  [/[,:;.]\s+https?:\/\/\S+\/actions\/runs\/[^\s)]*/gi, ''],
  [/https?:\/\/[^\s/]+\/[^\s]+\/actions\/runs\/[^\s)]*/gi, 'the CI run'],
  [/https?:\/\/[^\s/]+\/\S+\/security\/dependabot\/?(?:\d+)?[^\s)]*/gi, 'the Dependabot alerts'],
  [/https?:\/\/(?:www\.)?(?:github|gitlab)\.com\/([\w.-]+\/[\w-]+)(?:\.git)?[^\s)]*/gi, '$1'],
  [/https?:\/\/(?:www\.)?([^\s/)]+)[^\s)]*/g, '$1'],
];

const withoutAddresses = (text: string): string =>
  text.includes('://') ? addresses.reduce((named, [address, name]) => named.replace(address, name), text) : text;

/** A clause at the end that says how to deliver or report, not what the work is. */
const delivery =
  /(?:,|;|\.| -| and| then|,? and then)\s+(?:(?:also|then|please|just|can you|could you|and)\s+)*(?:(?:do|make|create|use|in) (?:meaningful|small|separate|atomic|regular|incremental) commits?|commit|push|(?:open|create|make|raise|submit|draft) (?:a |the |an? (?:draft|new) )?(?:draft )?(?:pr|pull request)|(?:make|create|use|do|start) (?:a|an) (?:new |fresh |separate )?(?:branch|worktree)|run (?:all )?(?:the )?(?:tests?|lint\w*|\/[\w-]+|simplify|checks?)|let (?:me|us) know|tell me|report back|make sure|(?:i )?(?:don['’]?t|do not) want|(?:then|we can) chat|thanks|thank you|go (?:from there|ahead))\b[^,;]*$/i;
const aside =
  /\s+(?:(?:in|on) (?:a|its own) (?:new |fresh |separate )?(?:branch|worktree)(?: (?:of|off|from) \S+)?|when (?:you(?:'re| are) )?(?:done|ready|finished)|if (?:possible|you can|needed|necessary)|for me|as well|too)$/i;

/** Removes clauses about delivery as long as enough is left that says what the work is. */
export function withoutDelivery(text: string): string {
  for (let rest = text; ; ) {
    const shorter = rest.replace(delivery, '').replace(aside, '').trim();
    if (shorter === rest || shorter.split(/\s+/).length < 3) return rest;
    rest = shorter;
  }
}

/** Marks of a clause's end, the clearest first, each with the least length of the text before it. */
const clauses: readonly (readonly [RegExp, number])[] = [
  [/, but |, so |; | – | — | - |: |,? because |, as /g, 35],
  [
    /, and |, which |, then |, or | so that | and also |, (?:i|we|you|it|please|for that|can|could) | as (?:we|it|i|you|they) /gi,
    35,
  ],
  [/, /g, 45],
  [/ (?:where|which|when|while|since|until|unless|instead of|rather than|in order to|and|or|if|that|except) /gi, 40],
  [/ (?:with|using|by|for|from|in|on|to|into|of|via|as) /gi, 50],
];

/** Removes connecting words that are left at the end after a clause was cut off. */
const withoutEnd = (text: string): string => {
  const whole = text.replace(
    /(?:[\s,]+(?:then|and|or|but|so|which|also|maybe|for|to|with|of|in|on|at|by|from|into|like|such as|as|is|are|was|the|a|an|that|because|when|where|if|instead|instead of|rather than|what i want|i think|i guess|e\.g\.?|the following))+(?=…?$)/i,
    '',
  );
  return (whole.split('`').length - 1) % 2 === 0 ? whole : whole.replace(/\s*`[^`]*$/, '');
};

/** The text up to the end of a clause, of at most `max` characters. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max + 12);
  for (const [marks, least] of clauses) {
    const ends = [...head.matchAll(marks)]
      .map(({ index }) => index)
      .filter((end) => end >= (least * max) / longest && end <= max && isOutside(head, end));
    const end = ends.at(-1);
    if (end !== undefined) return withoutEnd(head.slice(0, end));
  }
  return withoutEnd(cut(text, max));
}

/** Whether a place is outside quotation marks and backticks. */
const isOutside = (text: string, end: number): boolean => {
  const before = text.slice(0, end);
  return before.split('`').length % 2 === 1 && before.split('"').length % 2 === 1;
};

/** File names instead of paths, unless two paths end with the same name. */
function withFileNames(text: string): string {
  const names = new Set<string>();
  let same = false;
  const short = text.replace(/\S+/g, (word) => {
    const [, opening = '', name] =
      (word.includes('/') && /^([`'"([]*)\S*\/([\w.@-]+\.\w{1,5}[,.;:?!)`'"]*)$/.exec(word)) || [];
    if (name === undefined) return word;
    same ||= names.has(name);
    names.add(name);
    return opening + name;
  });
  return same ? text : short;
}

/** One line, with file names instead of paths. A long one ends at the end of a clause. */
export function asTitle(text: string): string {
  const plain = withFileNames(withoutAddresses(text))
    .replace(/\s+([,.;:?!])(?![\w/.])/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/[\s,;:–—-]+$/, '')
    .replace(/\s(?:with|like|as|is) (?:this|these|the following|follows)$/i, '')
    .replace(
      /,? (?:please|pls|thanks|no|(?:can|could) you (?:please )?help(?: me| us)?(?: (?:with|on) (?:this|that|it))?)\?*$/i,
      '',
    )
    .replace(/[.!]+$/, '')
    .trim();
  const direct = withoutDelivery(asksFor.test(plain) ? plain.replace(/\s*\?+$/, '') : plain);
  return capital(withoutEnd(shortened(direct, longest)));
}

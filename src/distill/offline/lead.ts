// The words with which a speaker opens before the matter itself: `Short answer:`, `Yes —`, `The issue is that`.

import { capital } from './say.ts';

const openings: readonly RegExp[] = [
  /^(?:yes|no|nope|yep|right|correct|exactly|confirmed|agreed|sure|ok(?:ay)?|done|fixed|perfect|great|good (?:question|catch|point))\b(?:,? (?:exactly|indeed|technically|absolutely))?(?:\s*[,.!:;–—]+|\s+-)\s+/i,
  /^(?:(?:the|in|a|an|to the) )?(?:one-sentence version|short(?: answer| version)?|(?:honest|quick|direct) answer|answer|tl;?dr|bottom line|takeaway|key (?:point|insight|takeaway)|in short|in practice|summary)\s*(?::|,|–|—)\s+/i,
  /^(?:(?:one|an?|two) )?(?:important |small |minor |quick |key )?(?:notes?|caveats?|gotchas?|catch|nuance|constraint|limitation|important)(?: here)?\s*(?::|–|—)\s+/i,
  /^(?:note|remember|keep in mind|be aware|it(?:'s| is) worth (?:noting|knowing)) that\s+/i,
  /^you(?:'re| are) (?:absolutely |completely )?right(?: that|[:,.]| —)\s+/i,
  /^(?:i|we)(?:'ve| have)? (?:also |just )?(?:found|confirmed|verified|checked|discovered|learned)(?: out)? that\s+/i,
];
/** What follows is the cause of something that went wrong. */
const ofFault =
  /^(?:now (?:i|we) see:? )?(?:the |one )?(?:root |actual |real |main |underlying )*(?:cause|issue|problem|bug|culprit|reason)(?: here)?(?: is that|:| —)\s+|^(?:it )?turns? out(?: that|:)?\s+/i;

export interface Opened {
  readonly text: string;
  /** Whether the speaker opened with a fault that this explains. */
  readonly isCause: boolean;
}

/** The sentence without its opening words. */
export function withoutLead(sentence: string): Opened {
  let text = sentence;
  for (let again = true; again; ) {
    const rest = openings.reduce((left, opening) => left.replace(opening, ''), text);
    again = rest !== text && rest.length > 0;
    if (again) text = rest;
  }
  const cause = text.replace(ofFault, '');
  return { text: capital(cause), isCause: cause !== text };
}

// The words before a request, and the verbs that requests begin with.

/** Words before the actual request. They are removed repeatedly until none matches. */
const preamble: readonly RegExp[] = [
  /^(?:ok(?:ay)?|alright|all right|hey|hi|hello|oh|ah+|hm+|um+|uh+|so+|well|now|then|also|and|but|or|btw|by the way|actually|basically|maybe|just|wow|omfg|omg|wtf|fgs|fucking hell|jesus|dude|my dude|slight steering|to be fair|again|sorry|never ?mind|yes please|yes|yeah|yep|yup|sure|thanks?(?: you)?(?: so much)?)\b(?!['’-])[\s,.!:;…–—-]*/i,
  /^(?:right|great|perfect|nice|cool|good|awesome|excellent(?: work)?|no|nope|fine|fair enough|like|wait|first|next|man|got it|my bad|absolutely|if so|if yes|once done)\s*[,.!:;…–—-]+\s*/i,
  /^(?:hey |hi )?claude\b[\s,.!:]*/i,
  /^(?:can|could|would|will) (?:you|we|u)(?: please| pls)?(?: also| now| just| maybe)?\s+(?=\w)/i,
  /^(?:please|pls|kindly)\b[\s,]*/i,
  /^(?:i(?:'d| would)? (?:like|love|want|need)|i(?:'m| am) going to need|i(?:'d| would) like to ask) you to\s+/i,
  /^(?:i(?:'d| would)? (?:like|love|want)|we(?:'d| would)? (?:like|want)) to\s+(?=\w)/i,
  /^(?:i(?:'d| would)? like your help (?:with|to)|help (?:me|us)(?: to| with)?|help (?:to|with)|i need (?:you|help) (?:to|with))\s+/i,
  /^(?:quick |different |another |one more )?(?:question|note|fyi|task|goal|idea|todo|context|reminder|change (?:in|of) plans?|new plan)\s*[:,–—-]\s*/i,
  /^(?:it |this )?(?:looks?|seems?|appears?) like (?:that |here,? )?/i,
  /^(?:(?:while|before|once|after) (?:we|you|i|it|they)\b[^,]{2,40}|as (?:a|one|the) (?:last|next|first|final) step)\s*[,:]\s*(?=\S+ \S)/i,
  /^i(?:'d| would) (?:rather|prefer to)\s+/i,
  /^(?:would it (?:make sense|be (?:possible|better|nice|good|great)|help)|does it make sense|is it possible(?: for (?:you|us))?|is there (?:an? )?(?:\w+ )?way|do you think (?:you|we) (?:can|could|should)|what if we|how about we|why don'?t (?:we|you)|i wonder if (?:we|you) (?:can|could|should))\s+(?:to\s+)?(?=\w)/i,
  /^(?:(?:have|take) a (?:quick |another )?look at|look at|read|go through|check out) .{3,90}? and (?:then )?(?=(?:explain|fix|add|create|update|write|rewrite|remove|rename|refactor|implement|review|summari[sz]e|tell me (?:how|why|what|whether)|propose|suggest|compare|port|migrate|find|figure out|improve|document)\b(?! (?:it|them|this|that|these|those)\b))/i,
  /^(?:can|could|may) i (?:get|have|see) (?=(?:an?|the|some)\b)/i,
  /^(?:we|you|i)(?:'ll| will)? (?:still |also |now |just |really )*(?:need|have|ought) to\s+/i,
  /^(?:we|you) should (?:probably |also |now |just )?\s*/i,
  /^(?:let's|lets|let us)(?: also| now| just| then)?\s+(?=\w)/i,
  /^(?:i think|i feel like|i guess|i believe|i suppose|it seems|maybe|do you think|is it possible to|would it be possible to|it would be possible to|it(?:'s| is) possible to|how about you|go ahead and|make sure (?:that )?(?:you )?(?=to\b)|feel free to)\s+(?:that\s+)?/i,
  /^(?:to|you|and|also)\s+(?=(?:fix|add|create|update|make|write|read|check|move|remove|rename|refactor|implement|run|use|copy|find|look|do)\b)/i,
];

/** A verb at the beginning that asks for an action, or tells of one. */
export const asksFor =
  /^(?:fix|add|create|update|make|write|rewrite|read|check|move|remove|delete|rename|refactor|implement|run|use|copy|find|look|investigate|explain|list|show|search|review|commit|push|merge|rebase|release|publish|deploy|install|upgrade|migrate|convert|port|replace|change|adjust|improve|optimi[sz]e|simplify|clean|extract|split|set|configure|enable|disable|build|test|debug|document|describe|summari[sz]e|compare|analy[sz]e|propose|suggest|plan|design|try|undo|revert|restore|open|close|start|stop|continue|give|generate|support|handle|allow|switch|apply|address|resolve|integrate|wire|hook|bump|format|lint|translate|research|examine|tackle|reply|modify|kill|put|modernise|modernize|offload|export|import|parse|load|save|store|track|log|print|render|style|draft|help|reuse|hand|pick|solve|rework|drop|hide)\b/i;

/** Verbs of means rather than ends. Another sentence usually says more. */
export const weakVerbs =
  /^(?:read|look|check|try|see|continue|remember|open|give|tell|use|make|put|do|run|show|start|stop|copy|find|write|set)\b/i;

/** What a person says about themselves before the matter: `I get an error when …`. The second part takes its place. */
const restated: readonly (readonly [RegExp, string])[] = [
  [
    /^i(?:['’]ve| have)? (?:just |also )?(?:run|ran|started|launched|executed) (.{4,60}?),? (?:but|and) (?:i |it |then )?(?:got|get|am getting|see|saw|gives|shows|fails|throws)\b.*$/i,
    '$1 fails',
  ],
  [/^(?:we|you) should(?:n['’]?t| not)\s+/i, 'do not '],
  [/^(?:i|we) (?:cannot|can not|can['’]?t|could ?n['’]?t)\s+/i, 'cannot '],
  [
    /^(?:i|we)(?:['’](?:m|re|ve)| am| are| have)? (?:still |now |also |just |currently |keep |always )*(?:get|got|getting|see|saw|seeing|hit|hitting|ran into|running into|facing|noticed|found|experienc\w+) (?:this |these |the following |some |an? )?(?=\S+ \S)/i,
    '',
  ],
  [
    /^(?:(?:i|we) (?:still |now |also )*have|there(?:['’]s| is| are)|here(?:['’]s| is)) (?:still |now |also )*(?:this |these |some |an? )?(?=(?:[\w-]+ ){0,3}(?:bug|issue|problem|error|warning|failure|regression)s?\b)/i,
    '',
  ],
];
const openings: readonly (readonly [RegExp, string])[] = [
  ...restated,
  ...preamble.map((pattern) => [pattern, ''] as const),
];

export function withoutPreamble(sentence: string): string {
  let text = sentence.trim();
  for (let again = true; again; ) {
    again = false;
    for (const [pattern, instead] of openings) {
      const rest = text.replace(pattern, instead);
      if (rest !== text && rest.trim() !== '') {
        text = rest.trim();
        again = true;
      }
    }
  }
  return text;
}

// What must not be kept is taken out before anything is stored: private passages, and secrets by their well-known shapes.

interface Rule {
  readonly name: string;
  readonly shape: RegExp;
}

/** Every quantifier is bounded or runs over a class that its follower excludes: time is linear in the text. */
const rules: readonly Rule[] = [
  {
    name: 'private key',
    shape: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  },
  { name: 'Anthropic key', shape: /\bsk-ant-[A-Za-z0-9_-]{20,200}/g },
  { name: 'OpenAI key', shape: /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,200}/g },
  { name: 'GitHub token', shape: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})/g },
  { name: 'GitLab token', shape: /\bglpat-[A-Za-z0-9_-]{20,64}/g },
  { name: 'npm token', shape: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'Slack token', shape: /\bxox[abposr]-[A-Za-z0-9-]{10,250}/g },
  { name: 'AWS access key', shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { name: 'Google key', shape: /\bAIza[A-Za-z0-9_-]{35}/g },
  { name: 'Stripe key', shape: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,250}/g },
  { name: 'JSON web token', shape: /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g },
];

/** Every rule's shape holds one of these; plain searches for them end the matter for nearly all text. */
const anchors = [
  '-----BEGIN ',
  'sk-',
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_',
  'glpat-',
  'npm_',
  'xox',
  'AKIA',
  'ASIA',
  'AIza',
  'k_live_',
  'k_test_',
  'eyJ',
];

const passwordInUrl = /(:\/\/[^\s/:@]{1,200}:)[^\s/@]{1,200}(?=@)/g;

/** Contract: never throws; text without anything to hide comes back as it is. */
export function redact(text: string): string {
  let clean = /<private/i.test(text) ? withoutPrivate(text) : text;
  if (anchors.some((anchor) => clean.includes(anchor))) {
    for (const { name, shape } of rules) clean = clean.replace(shape, `[redacted: ${name}]`);
  }
  return clean.includes('://') ? clean.replace(passwordInUrl, '$1[redacted: password]') : clean;
}

/** Whether something to hide may be longer than the margin of a cut, so that the whole text must be looked at. */
export const hidesAtLength = (text: string): boolean => text.includes('PRIVATE KEY-----') || /<private/i.test(text);

/** Removes `<private>…</private>` in any case, nested or never closed: what is not closed is private to the end. */
function withoutPrivate(text: string): string {
  const tags = /<(\/?)private\s{0,20}>/gi;
  let kept = '';
  let from = 0;
  let depth = 0;
  for (const tag of text.matchAll(tags)) {
    if (tag[1] === '') {
      if (depth === 0) kept += text.slice(from, tag.index);
      depth++;
    } else if (depth > 0 && --depth === 0) {
      from = tag.index + tag[0].length;
    }
  }
  return depth > 0 ? kept : kept + text.slice(from);
}

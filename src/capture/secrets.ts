// Secrets by their shapes: secretlint's rules for the kinds it knows, and a table of our own for those it does not.

/** The part of secretlint's rule interface that we use: a rule looks at a text, and reports. */
interface LintRule {
  readonly meta: { readonly id: string };
  create(
    context: {
      createTranslator(): (messageId: string, data?: Readonly<Record<string, string>>) => Message;
      report(found: { readonly message: Message; readonly range: readonly [number, number] }): void;
      ignore(): void;
    },
    options: object,
  ): { file(source: { readonly content: string; readonly ext: string; readonly filePath: undefined }): unknown };
}

interface Message {
  readonly data: Readonly<Record<string, string>>;
}

// Loaded with this module, not with every command: in the bundled program a static import would be.
const { rules: preset } = (await import('@secretlint/secretlint-rule-preset-recommend')) as unknown as {
  rules: readonly LintRule[];
};

/** What secretlint's rules are called in our marks. One that is not named here gets the name of its package. */
const lintNames: Readonly<Record<string, string>> = {
  aws: 'AWS secret key',
  privatekey: 'private key',
  npm: 'npm token',
  basicauth: 'password',
  slack: 'Slack token',
  sendgrid: 'SendGrid key',
  shopify: 'Shopify token',
  github: 'GitHub token',
  openai: 'OpenAI key',
  anthropic: 'Anthropic key',
  linear: 'Linear key',
  '1password': '1Password token',
  'database-connection-string': 'database password',
};

/** `filter-comments` would let a comment in the text switch the rules off; `gcp` looks at whole files only. */
const unused = ['filter-comments', 'gcp'];

interface Found {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** What is being looked at, and what was found in it so far. */
let content = '';
let found: Found[] = [];

/**
 * The rules without secretlint's core, whose work is about files: it is asynchronous, computes lines and columns, and
 * compares every finding with every other. A rule itself is a synchronous function of a text.
 */
const lintRules = preset
  .map((rule) => ({ rule, kind: rule.meta.id.replace(/^.*secretlint-rule-/, '') }))
  .filter(({ kind }) => !unused.includes(kind))
  .map(({ rule, kind }) =>
    rule.create(
      {
        createTranslator: () => (_, data) => ({ data: data ?? {} }),
        report({ message: { data }, range }) {
          // The range is not always that of the secret; what the message quotes is, and stands at it or soon after.
          const secret = Object.values(data).reduce(
            (longest, one) => (one.length > longest.length ? one : longest),
            '',
          );
          const at = content.indexOf(secret, range[0]);
          const [from, to] = secret === '' || at < 0 ? range : [at, at + secret.length];
          found.push({ name: lintNames[kind] ?? kind, from, to });
        },
        ignore: () => {},
      },
      {},
    ),
  );

/** Text that was quoted once more: the last letter of `\\n`, `\\u003d` or `%3D` is not part of the word that follows. */
const escaped = '(?<=\\\\(?:[nrtbf]|u[0-9a-fA-F]{4})|%[0-9a-fA-F]{2})';
/** Where a secret may begin. */
const start = `(?:(?<![A-Za-z0-9])|${escaped})`;
/** The same, said after the first group. */
const startsHere = `(?<=${start}\\1)`;

interface Rule {
  readonly name: string;
  /** What a secret of this kind begins with. The quick test is made of these. */
  readonly begins: string;
  readonly shape: RegExp;
  readonly mark: string;
}

/** Name, how it begins, how it goes on, and whether the beginning is no secret and stays. Every quantifier is bounded: time is linear. */
const rules: readonly Rule[] = (
  [
    ['AWS access key', 'A[KS]IA', '[A-Z2-7]{16}(?![A-Za-z0-9])'],
    ['Anthropic key', 'sk-ant-', '[\\w-]{20,200}'],
    ['OpenRouter key', 'sk-or-v1-', '[0-9a-f]{64}'],
    ['OpenAI key', 'sk-', '(?:(?:proj|svcacct|admin|None)-)?(?=[\\w-]{0,99}\\d)(?=[\\w-]{0,99}[A-Z])[\\w-]{32,200}'],
    ['API key', 'sk-', '[0-9a-f]{32,64}(?![\\w-])'],
    ['GitHub token', '(?:gh[pousr]_|github_pat_)', '[A-Za-z0-9_]{36,255}'],
    ['GitLab token', 'gl(?:pat|dt|rt|ft|ptt|cbt|imt|soat|agent|oas)-', '[\\w-]{20,128}'],
    ['npm token', 'npm_', '[A-Za-z0-9]{36}(?![A-Za-z0-9])'],
    ['npm token', '_authToken ?= ?', '(?!\\$)[\\w./+=-]{16,300}', 'stays'],
    ['Slack token', '(?:xox[abceoprs](?:\\.xox[bp])?|xapp)-', '[A-Za-z0-9-]{10,250}'],
    ['Slack webhook', '(?<=://)hooks\\.slack\\.com/(?:services|workflows|triggers)/', '[\\w/]{20,120}', 'stays'],
    ['Discord webhook', '(?<=://)discord(?:app)?\\.com/api/webhooks/', '\\d{15,22}/[\\w-]{50,100}', 'stays'],
    ['Google key', 'AIza', '[\\w-]{35}(?![\\w-])'],
    ['Google OAuth token', '(?:ya29\\.|1//0)', '[\\w-]{30,400}'],
    ['Google OAuth secret', 'GOCSPX-', '[\\w-]{28}(?![\\w-])'],
    ['Stripe key', '(?:[rs]k_(?:live|test|prod)|whsec)_', '[A-Za-z0-9]{20,250}'],
    ['SendGrid key', 'SG\\.', '[\\w-]{22}\\.[\\w-]{43}(?![\\w-])'],
    ['Twilio key', 'SK(?=[0-9a-f]{8})', '[0-9a-f]{32}(?![A-Za-z0-9])'],
    ['Mailgun key', 'key-(?=[0-9a-f]{8})', '[0-9a-f]{32}(?![A-Za-z0-9])'],
    ['Azure key', '(?:AccountKey|SharedAccessKey|SharedSecretKey) ?= ?', '[A-Za-z0-9+/]{32,100}={0,2}', 'stays'],
    ['Azure client secret', '[A-Za-z0-9_~.]{3}\\dQ~', '[A-Za-z0-9_~.-]{31,34}(?![\\w~])'],
    ['Shopify token', 'shp(?:at|ca|pa|ss)_', '[A-Fa-f0-9]{32,64}(?![A-Za-z0-9])'],
    ['Linear key', 'lin_(?:api|oauth)_', '[A-Za-z0-9]{32,128}'],
    ['Notion token', 'ntn_', '[A-Za-z0-9]{40,50}(?![A-Za-z0-9])'],
    ['Notion token', 'secret_', '(?=[A-Za-z]{0,42}\\d)[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
    ['Hugging Face token', '(?:hf_|api_org_)', '[A-Za-z]{34}(?![A-Za-z0-9])'],
    ['Databricks token', 'dapi', '[0-9a-f]{32}(?:-\\d)?(?![A-Za-z0-9])'],
    ['Docker token', 'dckr_[po]at_', '[\\w-]{20,40}'],
    ['PyPI token', 'pypi-AgE', '[\\w-]{50,1000}'],
    ['RubyGems key', 'rubygems_', '[0-9a-f]{48}(?![A-Za-z0-9])'],
    ['DigitalOcean token', 'do[opr]_v1_', '[0-9a-f]{64}(?![A-Za-z0-9])'],
    ['Vault token', 'hv[bsr]\\.', '[\\w-]{24,300}'],
    ['Groq key', 'gsk_', '[A-Za-z0-9]{48,56}(?![A-Za-z0-9])'],
    ['xAI key', 'xai-', '[A-Za-z0-9]{70,90}(?![A-Za-z0-9])'],
    ['Perplexity key', 'pplx-', '[A-Za-z0-9]{40,60}(?![A-Za-z0-9])'],
    ['Replicate token', 'r8_', '[A-Za-z0-9]{37}(?![A-Za-z0-9])'],
    ['Tavily key', 'tvly-', '(?:dev-)?[A-Za-z0-9]{28,40}(?![A-Za-z0-9])'],
    ['Grafana token', '(?:glsa|glc)_', '[A-Za-z0-9+/]{32,400}(?:_[A-Fa-f0-9]{8})?={0,2}'],
    ['Tailscale key', 'tskey-[a-z]{2,20}-', '[\\w-]{20,100}'],
    ['Vercel token', 'vc[aciprk]_', '(?=[A-Za-z]{0,60}\\d)[A-Za-z0-9]{24,60}(?![A-Za-z0-9])'],
    ['Cloudflare token', 'cf(?:k|at|ut)_', '[A-Za-z0-9]{40}[0-9a-f]{8}(?![A-Za-z0-9])'],
    ['Netlify token', 'nf[pkou]_', '[A-Za-z0-9]{36}(?![A-Za-z0-9])'],
    ['Supabase key', '(?:sbp_|sb_secret_)', '[\\w-]{30,60}'],
    ['Sentry token', 'sntry[su]_', '[\\w+/=-]{40,400}'],
    ['Figma token', 'fig[dour]_', '[\\w-]{40,200}'],
    ['Atlassian token', 'ATATT3', '[\\w=-]{100,300}'],
    ['Postman key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'],
    ['PlanetScale token', 'pscale_(?:pw|tkn|oauth)_', '[\\w.=-]{32,64}'],
    ['Doppler token', 'dp\\.(?:pt|st|ct|sa)\\.', '[A-Za-z0-9._-]{40,80}'],
    ['Fly token', 'fm[12][ar]?_', '[A-Za-z0-9+/=]{100,1000}'],
    ['Heroku key', 'HRKU-', '[\\w-]{36,80}'],
    ['Telegram token', '\\d{8,10}:AA', '[\\w-]{32,34}(?![\\w-])'],
    ['age key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{58}'],
    ['1Password token', 'ops_eyJ', '[\\w+/-]{100,1600}={0,2}'],
    ['token', '[Bb]earer ', '(?=[\\w.~+/-]{0,99}\\d)(?=[\\w.~+/-]{0,99}[A-Za-z])[\\w.~+/-]{20,4000}={0,2}', 'stays'],
    ['password', '[Aa]uthorization: ?Basic ', '[A-Za-z0-9+/]{12,500}={0,2}', 'stays'],
    ['password', '(?<=; ?)(?:Password|PASSWORD|Pwd|PWD)= ?', '(?![$%{<*[])[^;"\'\\s]{4,128}', 'stays'],
  ] as const
).map(([name, begins, goesOn, stays]: readonly [string, string, string, 'stays'?]) => ({
  name,
  begins,
  // The beginning first and what stands before it second: so the search leaps from one beginning to the next.
  shape: new RegExp(`(${begins})${startsHere}${goesOn}`, 'g'),
  mark: `${stays ? '$1' : ''}[redacted: ${name}]`,
}));

/** A web token of three parts; the look behind keeps a run of `eyJ` from being begun anew at each of them. */
const webToken = new RegExp(
  `eyJ(?<=(?:(?<![\\w-])|${escaped})eyJ)[\\w-]{10,4000}\\.eyJ[\\w-]{10,8000}\\.[\\w-]{10,2000}`,
  'g',
);

// Nearly every text holds no secret, and the search for that costs more than all the rest: it must be fast, and may be wrong the
// other way. Most secrets are a long run after a short word and a separator; the others have a beginning that is rare by itself.
const firstWords =
  'sk|rk|gh[pousr]|github|gl(?:pat|dt|rt|ft|ptt|cbt|imt|soat|agent|oas)|npm|xox[abceoprs]|xapp|ya29|GOCSPX|whsec|SG|key|shp(?:at|ca|pa|ss)' +
  '|lin|ntn|secret|hf|api|dckr|pypi|rubygems|do[opr]|hv[bsr]|gsk|xai|pplx|r8|tvly|glsa|glc|tskey|vc[aciprk]|cf(?:k|at|ut)|nf[pkou]|sbp|sb' +
  '|sntry[su]|fig[dour]|PMAK|pscale|[pcs]t|sa|fm[12][ar]?|HRKU|AGE|ops';
const runAfterWord = new RegExp(`[-_.](?=[\\w-]{14})(?<=${start}(?:${firstWords})[-_.])`);
const runsAfterWords = new RegExp(runAfterWord, 'g');
/** A plain search is the faster the rarer its first letter is. */
const rareWords = [
  ...[
    'AKIA',
    'ASIA',
    'ABIA',
    'ACCA',
    'AIza',
    'yJ',
    'SK',
    ':AA',
    'ATATT3',
    'Q~',
    'dapi',
    '1//0',
    'PRIVATE KEY',
    '_authToken',
  ],
  ...['Bearer ', 'bearer ', 'Basic ', 'AccountKey', 'AccessKey', 'SecretKey', 'ACCESS_KEY', '_key'],
  ...['Password=', 'PASSWORD=', 'Pwd=', 'PWD='],
];
const allWords = [...rareWords, 'x-oauth-basic', 'hooks.slack.com', '/webhooks/'];

/** What one of the rules, or of secretlint's, begins with. */
const begins = new RegExp(
  [
    `(${[...new Set(rules.map((rule) => rule.begins))].join('|')}|eyJ)${startsHere}\\S{4}`,
    '(?:SECRET|[Ss]ecret)_?(?:ACCESS|[Aa]ccess)_?(?:KEY|[Kk]ey)',
    'PRIVATE KEY',
    'x-oauth-basic',
  ].join('|'),
);

/** No secret with a beginning of its own is shorter. */
const shortest = 12;

/** Nothing that a rule begins with, and no name that introduces a secret, is further away. */
const around = 96;
const beginsNear = (text: string, at: number): boolean =>
  begins.test(text.slice(Math.max(0, at - around), at + 2 * around));

function mayHold(text: string): boolean {
  if (text.length < shortest) return false;
  for (const word of text.includes('://') ? allWords : rareWords)
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
      if (beginsNear(text, at)) return true;
  // A plain test costs nothing but itself; only where it finds something are all the places looked at.
  if (!runAfterWord.test(text)) return false;
  for (const { index } of text.matchAll(runsAfterWords)) if (beginsNear(text, index)) return true;
  return false;
}

/** `redis://:password@host`, `https://user:p@ss@host`; not `$PASSWORD`, `<password>` or `***`. */
const passwordInUrl = /(:\/\/[^\s/:@"'`<>(){}\\,;]{0,200}:)(?![$%{<*[]|@)[^\s/"'`<>\\]{1,200}(?=@[\w[])/g;

/** Contract: never throws; text without a secret comes back as it is. */
export function withoutSecrets(text: string): string {
  let clean = text.includes('://') ? text.replace(passwordInUrl, '$1[redacted: password]') : text;
  if (!mayHold(clean)) return clean;
  clean = withoutPrivateKeys(clean);
  clean = clean.replace(webToken, '[redacted: JSON web token]');
  for (const { shape, mark } of rules) clean = clean.replace(shape, mark);
  // Last: some of its shapes take only the beginning of a longer secret.
  return withoutLint(clean);
}

function withoutLint(text: string): string {
  content = text;
  found = [];
  for (const rule of lintRules) rule.file({ content, ext: '', filePath: undefined });
  let kept = '';
  let from = 0;
  for (const one of found.sort((a, b) => a.from - b.from)) {
    if (one.from < from) continue;
    kept += `${text.slice(from, one.from)}[redacted: ${one.name}]`;
    from = one.to;
  }
  return from === 0 ? text : kept + text.slice(from);
}

const keyMarker = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** The body of a key without its end: lines of base64, also where the newlines are written as `\n`. */
const keyBody = /[A-Za-z0-9+/=\\\s]*/y;
const shortestBody = 40;
const longestBody = 20_000;

/** Also encrypted ones, PGP blocks, and keys whose end was cut off; a marker without a key stays. Linear: one walk over the markers. */
function withoutPrivateKeys(text: string): string {
  const mark = '[redacted: private key]';
  let kept = '';
  let from = 0;
  let begin: { at: number; body: number } | undefined;
  const takeUnfinished = ({ at, body }: { at: number; body: number }) => {
    keyBody.lastIndex = body;
    const length = keyBody.exec(text)?.[0].length ?? 0;
    if (length < shortestBody) return;
    kept += text.slice(from, at) + mark;
    from = body + length;
  };
  for (const marker of text.matchAll(keyMarker)) {
    const end = marker.index + marker[0].length;
    if (marker[1] === 'BEGIN') {
      if (begin !== undefined) takeUnfinished(begin);
      begin = { at: marker.index, body: end };
    } else if (begin !== undefined) {
      const length = marker.index - begin.body;
      if (length > longestBody) takeUnfinished(begin);
      else if (length >= shortestBody) {
        kept += text.slice(from, begin.at) + mark;
        from = end;
      }
      begin = undefined;
    }
  }
  if (begin !== undefined) takeUnfinished(begin);
  return kept + text.slice(from);
}

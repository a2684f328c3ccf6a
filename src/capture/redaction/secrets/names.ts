// Values that are secret because of the name before them: `DB_PASSWORD=…`, `"password": "…"`, `--token …`, `<password>…</password>`.
import { isPlaceholder, looksLikeCode } from './placeholder.ts';
import { isRandom, isScrambled } from './random.ts';
import type { Span } from './span.ts';

export type Kind = 'password' | 'secret' | 'token' | 'key';

/** Words in names of secrets, in lower case: the pass over a text looks for these. */
export const nameWords = [
  'pass',
  'pwd',
  'secret',
  'token',
  'key',
  'credential',
  'creds',
  'auth',
  'psk',
  '_pw',
  '_pat',
  '_salt',
  'mnemonic',
  'phrase',
  'cookie',
  '__contribsys',
];

const places =
  '(?:prod|production|dev|staging|stage|test|live|main|primary|old|new|base|confirm|confirmation)?\\d{0,3}$';
const kinds: readonly (readonly [Kind, RegExp])[] = [
  ['password', new RegExp(`(?:password|passwd|passphrase|passcode|passwort|kennwort|pwd|^psk|presharedkey)${places}`)],
  [
    'password',
    /(?:^|db|pg|sql|redis|smtp|ftp|mail|root|admin|user|database|postgres|proxy|http|ssh|sudo|my|rabbitmq|amqp|store|key|default)pass\d{0,2}$/,
  ],
  ['password', /(?:mnemonic|(?:seed|recovery|backup|wallet)phrase)$/],
  ['secret', new RegExp(`(?:secret|secretkey|secretkeybase|secretaccesskey|credentials?|creds)${places}`)],
  [
    'token',
    new RegExp(
      `(?:token|^auth|^xauth|httpauth|basicauth|authorization|privatekeyid|(?:release|erlang)cookie|contribsyscom)${places}`,
    ),
  ],
  [
    'key',
    /(?:api|apps?|access|private|auth|encryption|encrypt|signing|signature|master|account|shared|storage|service|role|admin|license|deploy|anon|hmac|aes|webhook|subscription|ingest|write|live|integration|security|jwt|bot|developer|publishable|function|instrumentation|connection|sdk|rest|maps?|ai|client|consumer|cipher|crypto|symmetric|recovery|merchant|tls|ssl|validation|decryption)key(?:prod|dev|live|test|data)?\d{0,2}$/,
  ],
];
/** Names of other things. The first part compares whole words: `min_token` is not secret, `admin_token` is. */
const otherWords =
  /(?:^|_)(?:next|page|continuation|cursor|paging|max|min|num|lex|lexer|parser?|start|end|current|prev|peek|stop|pad|eos|bos|eot|unk|mask|special|cancel|cancellation|abort|sync|css|design|syntax|per|sub|eof|closing|opening)_?token\d*$|public_?key|(?:^|_)gpg_?key|(?:^|_)css(?:_|$)|key_?frame/;
const otherNames = /^(?:has|is|no|show|hide|toggle|forgot|reset|change|update|validate|check|min|max)pass(?:word|wd)$/;
/** `API_TOKEN`, `apiToken` and `api-token` as `api_token`. */
const words = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
/** Names of the environment that end so are secret; in lower case these endings have other meanings. */
const environment: readonly (readonly [Kind, RegExp])[] = [
  ['password', /_(?:PASS|PW)\d?$/],
  ['token', /_(?:PAT|AUTH)$/],
  ['key', /_(?:KEY|SALT)$/],
];

/** Fields of tools repeat the same few names. */
const knownKinds = new Map<string, Kind | undefined>();
const mostKnown = 1000;

/** The kind of secret that a name announces; undefined for other names. */
export function kindOf(name: string): Kind | undefined {
  if (name.length > 80) return undefined;
  if (knownKinds.has(name)) return knownKinds.get(name);
  if (knownKinds.size === mostKnown) knownKinds.clear();
  const kind = announcedBy(name);
  knownKinds.set(name, kind);
  return kind;
}

function announcedBy(name: string): Kind | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  if (otherWords.test(words(name)) || otherNames.test(plain)) return undefined;
  for (const [kind, ends] of kinds) if (ends.test(plain)) return kind;
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) return undefined;
  return environment.find(([, ends]) => ends.test(name))?.[0];
}

/** Whether the value of a field is a secret, by the name of the field. */
export function isSecretField(name: string, value: string): Kind | undefined {
  const kind = kindOf(name);
  return kind !== undefined && isSecret(kind, value, { quoted: true, sure: false, data: true }) ? kind : undefined;
}

const restOfName = /[A-Za-z0-9_-]{0,40}/y;
/** Blanks, and the marks of a listing at the beginning of a line. */
const between = '[\\s\\d→>|+#/-]';
/**
 * What separates a name from its value, one line each: `{"value":` or `{ default =` below the name; a typed declaration; `=`, `:`, `=>`;
 * `"value":` beside the name; the second argument of a call; a cell of a table; the string after a key of a property list; the default of
 * a property; a sentence (`Set API_KEY to …`).
 */
const separator = new RegExp(
  [
    `["'\`]\\s{0,4}:?\\s{0,4}\\{${between}{0,40}(?:["']?(?:sensitive|type|description)["']?\\s{0,20}[:=]\\s{0,20}[^,{}\\n]{1,80},?${between}{0,40}){0,3}["'\`]?(?:value|default)["'\`]?\\s{0,20}(:|=)\\s{0,20}`,
    // Base64 may end with a sign too: `password: aGVsbG8=`.
    '["\'`\\])]{0,3}[ \\t]{0,8}:[ \\t]?&?[A-Za-z][\\w.<>?]{0,20}(?:[ \\t](=)(?!=)[ \\t]{0,8}|(=)(?=["\'`]\\w))',
    `["'\`\\])]{0,3}[ \\t]{0,40}(=>|<-|:=|:(?![:=])|\\?=|(?<![=!<>])=(?![=>~]))[ \\t]{0,40}(?:Some\\((?=")|[|>][-+]?\\r?\\n${between}{1,40}|&\\w{1,20}[ ]|!!str[ ])?`,
    `["'\`]?,?${between}{0,60}["'\`]?value["'\`]?\\s{0,4}(:|=)\\s{0,4}`,
    '["\'`](,)[ \\t]{0,20}(?=["\'`])',
    '[ \\t]{0,20}(\\|)[ \\t]{1,20}(?=[^\\s|]{4,200}[ \\t]{0,40}\\|)',
    `</key>${between}{0,20}(<)string>`,
    '[ ]\\{[ ]?get;[^{}\\n]{0,30}\\}[ ]{0,4}(=)[ ]{0,4}(?=")',
    '["\'`]?[ ](?:is[ ]|was[ ])?(?:now[ ])?(?:set[ ])?(to|is)[ ](?=["\'`]?[^\\s"\'`]{8})',
  ].join('|'),
  'y',
);
const afterFlag = /[ \t]{1,4}(?!-)/y;
const tagEnd = />(?=[^<\s]{1,200}<\/)/y;
/** `setx NAME value`, `ENV NAME value`, `#define NAME "value"`, `config set name value`. */
const verbBefore =
  /(?:^|[^A-Za-z0-9_])(?:setx|set -[A-Za-z]{1,4}|setenv|ENV|#define|(?:config(?:ure)?|secrets?|env|vars?|variable)[ :]set)[ \t]{1,4}["'`]?(?:\S{1,80}[:./])?$/;
const afterVerb = /["'`]?[ \t]{1,8}(?:(?:--body|--value|-b|-v)(?:[ \t=]{1,3}|(?=["'])))?(?!-)/y;
/** `storePassword "…"`, `LOGIN PASSWORD '…'`, `setToken("…")`. */
const afterWord = /(?:[ ]|\([ ]?)(?=(?:["'`])[^\s"'`]{4,200}["'`])/y;
const takesWord = /pass(?:word|wd|phrase)$|^(?:set|with)\w*(?:token|secret|key)$/i;
const quotedValue = /[bruNL]?(?:(")([^"\n]{1,4096})("?)|(')([^'\n]{1,4096})('?)|(`)([^`\n]{1,4096})(`?))/y;
// Allow few `=` inside: in a list of names, each value would otherwise extend far beyond the next name.
const plainValue =
  /[^\s"'`<>,;&|(){}[\]\\=:\u2010-\uffff]{1,4096}(?:[:=]{1,3}[^\s"'`<>,;&|(){}[\]\\=:\u2010-\uffff]{0,400}){0,2}/y;
const shellValue = /[^\s"'`<>\\=:\u2010-\uffff]{1,4096}(?:[:=]{1,3}[^\s"'`<>\\=:\u2010-\uffff]{0,400}){0,3}/y;
const queryValue = /[^\s"'`&;#<>\\=:\u2010-\uffff]{1,4096}(?:[:=]{1,3}[^\s"'`&;#<>\\=:\u2010-\uffff]{0,400}){0,3}/y;
const cellValue = /[^\s|`]{4,200}/y;
/** The only value of its line, in a settings file. */
const lineValue = /[^\s"'`<>\\(){}[\]\u2010-\uffff]{1,400}(?=,?[ \t]*(?:\r?\n|$))/y;
const lineBegin = /(?:^|\n)[^\n]{0,40}?(?:^|[\s\t>→|+:#-])(?:[\w-]{1,40}\.){0,6}$/;

/** The secret after the name whose word begins at `at`. */
export function findNamed(text: string, at: number): Span | undefined {
  restOfName.lastIndex = at;
  const nameEnd = at + (restOfName.exec(text)?.[0].length ?? 0);
  const follows = text.charCodeAt(nameEnd);
  // Nearly all words continue, end, or precede a blank: without a separator there is no name.
  if (Number.isNaN(follows)) return undefined;
  separator.lastIndex = nameEnd;
  const found = separator.exec(text);
  if (found === null && !mayPrecedeValue(follows)) return undefined;
  const begin = nameBegin(text, at);
  const name = text.slice(begin, nameEnd).replace(/^-+/, '');
  const kind = kindOf(name);
  if (kind === undefined) return undefined;
  const isFlag = text.startsWith('-', begin) && (text.startsWith('--', begin) || /\s/.test(text[begin - 1] ?? ' '));
  const place = found === null ? unseparated(text, { begin, nameEnd, name, isFlag }) : undefined;
  if (found === null && place === undefined) return undefined;
  const valueAt = place?.valueAt ?? separator.lastIndex;
  const sign = place?.sign ?? found?.slice(1).find((group) => group !== undefined) ?? '';
  // `PASS: TestLogin` is test output.
  if (/^pass$/i.test(name) && sign === ':' && !/["'`]/.test(text.charAt(valueAt)) && !isOwnLine(text, begin, valueAt))
    return undefined;
  return judged(text, valueAt, kind, {
    sign,
    name,
    before: text[begin - 1] ?? '\n',
    begin,
    isFlag,
    tight: found?.[0] === '=',
  });
}

/** A blank, `>`, `(`, or a quotation mark. */
const mayPrecedeValue = (code: number): boolean => code === 32 || code === 62 || code === 40 || code === 34;

interface Unseparated {
  readonly begin: number;
  readonly nameEnd: number;
  readonly name: string;
  readonly isFlag: boolean;
}

/** Where the value begins that follows its name without a sign. */
function unseparated(
  text: string,
  { begin, nameEnd, name, isFlag }: Unseparated,
): { valueAt: number; sign: string } | undefined {
  const tries: readonly (readonly [RegExp, string, boolean])[] = [
    [afterFlag, '--', isFlag],
    [tagEnd, '<', text[begin - 1] === '<'],
    [afterVerb, ' ', verbBefore.test(text.slice(Math.max(0, begin - 110), begin))],
    [afterWord, '(', takesWord.test(name)],
  ];
  for (const [shape, sign, applies] of tries) {
    if (!applies) continue;
    shape.lastIndex = nameEnd;
    if (shape.exec(text) !== null) return { valueAt: shape.lastIndex, sign };
  }
  return undefined;
}

/** Whether name and value have a line of a settings file for themselves. */
function isOwnLine(text: string, begin: number, valueAt: number): boolean {
  lineValue.lastIndex = valueAt;
  return lineValue.test(text) && lineBegin.test(text.slice(Math.max(0, begin - 90), begin));
}

/** Where the name begins: the letters, digits, `_`, `-` and `.` before its word. */
function nameBegin(text: string, at: number): number {
  let begin = at;
  while (begin > 0 && at - begin < 48 && isNameCode(text.charCodeAt(begin - 1))) begin--;
  return begin;
}

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;

interface Place {
  readonly sign: string;
  readonly name: string;
  readonly before: string;
  readonly begin: number;
  readonly isFlag: boolean;
  /** The separator is `=` alone: a shell, a settings file, an address. */
  readonly tight: boolean;
}

const isQuery = ({ tight, before }: Place): boolean => tight && /[?&;]/.test(before);

/** An option, an element, an assignment by a command, a header. */
const leavesNoDoubt = ({ isFlag, sign, name }: Place): boolean =>
  (isFlag && sign !== ':') || sign === '<' || sign === ' ' || (sign === ':' && /^x-/i.test(name));

function judged(text: string, at: number, kind: Kind, place: Place): Span | undefined {
  quotedValue.lastIndex = at;
  const quoted = quotedValue.exec(text);
  const name = markOf(kind, place.name);
  const upper = /^[A-Z][A-Z0-9_]*$/.test(place.name);
  const query = isQuery(place);
  const told = place.sign === 'to' || place.sign === 'is';
  const sure = (place.tight && upper) || query || leavesNoDoubt(place) || isConnectionString(text, at, place);
  if (quoted !== null) {
    const whole = quoted[0];
    const [mark = '', value = '', closing = ''] = quoted.slice(1).filter((group) => group !== undefined);
    const from = at + whole.indexOf(mark) + 1;
    if (closing === '' && /\s/.test(value)) return undefined;
    const data = mark === '"' && place.before === '"';
    const end = from + value.length;
    const next = changedTo(text, end);
    const isNextSecret = next !== undefined && isSecret(kind, next, { quoted: true, sure, data });
    const to = isNextSecret ? newValue.lastIndex : end;
    if (!isSecret(kind, value, { quoted: true, sure, data }))
      return isNextSecret ? { from: to - next.length, to, name } : undefined;
    if (told && !(upper && place.name.includes('_')) && !isRandom(value, false)) return undefined;
    return { from, to, name };
  }
  if (place.sign === ',' || place.sign === '(') return undefined;
  const value = plain(text, at, { query, shell: (place.tight && upper) || place.sign === '--', place });
  if (told && !(upper && place.name.includes('_') && isRandom(value, false))) return undefined;
  return isSecretPlain(kind, value, { sure, endsStatement: text[at + value.length] === ';', place })
    ? { from: at, to: at + value.length, name }
    : undefined;
}

/** Whether a value without quotation marks is a secret. */
function isSecretPlain(
  kind: Kind,
  value: string,
  { sure, endsStatement, place }: { sure: boolean; endsStatement: boolean; place: Place },
): boolean {
  if (!sure && (isVariable(value, endsStatement, place) || /^[$€£]\d/.test(value))) return false;
  return isSecret(kind, value, { quoted: false, sure, data: false });
}

/** `password: string;`, `this.password = newPassword;`, `password = password2`: a type or a variable rather than a value. */
function isVariable(value: string, endsStatement: boolean, { sign, tight }: Place): boolean {
  if (tight || !/^[A-Za-z_$][\w$]*$/.test(value)) return false;
  if (endsStatement) return !isScrambled(value) && !/\d[A-Za-z]+\d/.test(value);
  return (
    (sign === '=' || /^[a-z]+[A-Z]/.test(value)) && /^[a-z_]*(?:pass|pwd|pw|secret|token)[a-z_]*\d{0,2}$/i.test(value)
  );
}

/** A plan of changes tells the old value and the new one: `"…" -> "…"`. */
const newValue = /"[ ]{0,4}->[ ]{0,4}"([^"\n]{1,4096})/y;

function changedTo(text: string, at: number): string | undefined {
  newValue.lastIndex = at;
  return newValue.exec(text)?.[1];
}

/** The value at `at`, which has no quotation marks. */
function plain(
  text: string,
  at: number,
  { query, shell, place }: { query: boolean; shell: boolean; place: Place },
): string {
  const line = !query && !shell && !place.isFlag && isOwnLine(text, place.begin, at);
  const cell = place.sign === '|';
  const shape = query ? queryValue : shell ? shellValue : cell ? cellValue : line ? lineValue : plainValue;
  shape.lastIndex = at;
  const value = shape.exec(text)?.[0] ?? '';
  return value.replace(line ? /[,;]$/ : shell ? /(?:(?:&&|;|\|).*|[.,:!?)]+)$/ : /[.,;:!?)]+$/, '');
}

/** `Server=x;Password=y;`: there are other settings beside it. */
const isConnectionString = (text: string, at: number, { tight, name }: Place): boolean =>
  tight &&
  /^(?:Password|Pwd|PWD|pwd|password|AccountKey|SharedAccessKey)$/.test(name) &&
  text.slice(Math.max(0, at - 150), at + 150).includes(';');

/** The kind that the mark names. */
const markOf = (kind: Kind, name: string): string =>
  kind === 'secret' && /secret_?access_?key$/i.test(name) ? 'AWS secret key' : kind;

interface How {
  readonly quoted: boolean;
  /** The context leaves no doubt that this is a value: an environment, an address, an option, a header. */
  readonly sure: boolean;
  /** A field of JSON rather than code. */
  readonly data: boolean;
}

function isSecret(kind: Kind, value: string, how: How): boolean {
  if (value.length < 4 || value.length > 4096 || value.trim() !== value || isPlaceholder(value)) return false;
  if (/^#[0-9a-f]{3,8}$/i.test(value)) return false;
  if (how.quoted && isDense(value)) return true;
  if (!how.quoted && looksLikeCode(value)) return false;
  if (
    /^[a-z][a-z+.-]{1,20}:\/\//i.test(value) ||
    (/^(?:\.{0,2}|~)\/[\w.-]+(?:\/|$)/.test(value) && !/[+=]/.test(value))
  )
    return false;
  if (kind === 'password') return isSecretPassword(value, how);
  if (
    /\s/.test(value) ||
    /\.(?:json|pem|txt|tsx?|m?js|py|ya?ml|key|crt|md|go|rs|sh|html|css|env|toml|lock)$/.test(value)
  )
    return false;
  if (kind === 'secret' && how.sure && (value.length >= 8 || /^(?=.*\d)(?=.*[a-z])\w{6,7}$/i.test(value))) return true;
  if (kind === 'secret' && value.length >= 8 && /[^\w.\s/-]/.test(value) && /[A-Za-z]/.test(value))
    return !looksLikeCode(value);
  return value.length >= (how.sure ? 8 : 12) && !looksLikeCode(value) && isRandom(value, how.sure);
}

/** Letters, digits and signs without a blank, as generators of keys make them; code of this kind has blanks. */
const isDense = (value: string): boolean =>
  value.length >= 32 &&
  !/\s|=>|\$\{|:\/\/|[a-z]\.[a-z]+\(/.test(value) &&
  (value.match(/[^\w\s.,/'"-]/g)?.length ?? 0) >= 6 &&
  (value.match(/\d/g)?.length ?? 0) >= 3;

function isSecretPassword(value: string, { quoted, sure, data }: How): boolean {
  if (/\s/.test(value)) return quoted && sure && value.length <= 200;
  if (sure) return !(!quoted && /^[a-z_]+$/i.test(value) && value.length < 6) && !looksLikeCode(value);
  const odd = /[^A-Za-z0-9_.\-\s]/.test(value);
  const digit = /\d/.test(value) && /[A-Za-z]/.test(value);
  if (quoted)
    return (
      value.length <= 200 &&
      (odd ||
        digit ||
        /^\d{6,}$/.test(value) ||
        isRandom(value, false) ||
        (data && isPassphrase(value)) ||
        isWordChain(value)) &&
      !/^[#.]?[a-z-]+\[|^[#.][\w-]+$/.test(value)
    );
  return (
    value.length >= 6 &&
    value.length <= 128 &&
    (digit || (odd && /[A-Za-z]{3}/.test(value)) || isScrambled(value) || isWordChain(value)) &&
    !/^\d+(?:px|ms|s|em|rem|%)$/.test(value)
  );
}

/** `correct-horse-battery-staple`: four words or more. */
const isWordChain = (value: string): boolean =>
  !/pass|pwd|field|input|label|secret|hash|error|invalid|type|token|user|your/i.test(value) &&
  /^[a-z]{3,12}(?:-[a-z]{3,12}){3,7}$/.test(value);

/** Letters that are no word of a form or a message: several words in a row, or capitals within. */
const isPassphrase = (value: string): boolean =>
  !/pass|pwd|field|input|label|secret|hash|error|invalid|type/i.test(value) &&
  (/^[a-z]{2,}(?:-[a-z]{2,}){2,}$/.test(value) || /^[a-z]{18,}$/.test(value) || /[a-z][A-Z].*[a-z][A-Z]/.test(value));

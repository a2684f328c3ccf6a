// Values that are secret because of the name before them: `DB_PASSWORD=…`, `"password": "…"`, `--token …`, `<password>…</password>`.
import { isPlaceholder, looksLikeCode } from './placeholder.ts';
import type { Span } from './span.ts';

export type Kind = 'password' | 'secret' | 'token' | 'key';

/** Words in names of secrets, in lower case: the pass over a text looks for these. */
export const nameWords = ['pass', 'pwd', 'secret', 'token', 'key', 'credential', 'creds', 'auth'];

const places =
  '(?:prod|production|dev|staging|stage|test|live|main|primary|old|new|base|confirm|confirmation)?\\d{0,3}$';
const kinds: readonly (readonly [Kind, RegExp])[] = [
  ['password', new RegExp(`(?:password|passwd|passphrase|passcode|passwort|kennwort|pwd)${places}`)],
  [
    'password',
    /(?:^|db|pg|sql|redis|smtp|ftp|mail|root|admin|user|database|postgres|proxy|http|ssh|sudo|my|rabbitmq|amqp)pass\d{0,2}$/,
  ],
  ['secret', new RegExp(`(?:secret|secretkey|secretkeybase|secretaccesskey|credentials?|creds)${places}`)],
  ['token', new RegExp(`(?:token|^auth|^xauth|httpauth|basicauth|authorization|privatekeyid)${places}`)],
  [
    'key',
    /(?:api|apps?|access|private|auth|encryption|encrypt|signing|signature|master|account|shared|storage|service|role|admin|license|deploy|anon|hmac|aes|webhook|subscription|ingest|write|live|integration|security|jwt|bot|developer|publishable|function|instrumentation|connection|sdk|rest|maps?|ai)key(?:prod|dev|live|test)?\d{0,2}$/,
  ],
];
/** Names that end like those of secrets but name something else. */
const otherNames =
  /(?:next|page|continuation|cursor|paging|max|min|num|lex|lexer|parser?|start|end|current|prev|peek|stop|pad|eos|bos|unk|mask|special|cancel|cancellation|abort|sync|css|design|syntax|per|sub|bot|eof|closing|opening)token\d*$|public.?key|^(?:has|is|no|show|hide|toggle|forgot|reset|change|update|validate|check|min|max)pass(?:word|wd)$|css|keyframe/;

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
  if (otherNames.test(plain)) return undefined;
  for (const [kind, ends] of kinds) if (ends.test(plain)) return kind;
  return /^[A-Z][A-Z0-9_]*_KEY$/.test(name) ? 'key' : undefined;
}

/** Whether the value of a field is a secret, by the name of the field. */
export function isSecretField(name: string, value: string): Kind | undefined {
  const kind = kindOf(name);
  return kind !== undefined && isSecret(kind, value, { quoted: true, sure: false }) ? kind : undefined;
}

const restOfName = /[A-Za-z0-9_-]{0,40}/y;
const separator =
  /(?:["'`\])]{0,3}[ \t]{0,8}(?:(=>|:=|:(?![:=])|\?=|(?<![=!<>])=(?![=>~]))|:[ \t]?[\w.]{1,20}[ \t]?(=))[ \t]{0,8}|["'`]?,?\s{1,60}["'`]?value["'`]?\s{0,4}(:|=)\s{0,4}|["'`](,)[ \t]{0,4}(?=["'`]))/y;
const afterFlag = /[ \t]{1,4}(?!-)/y;
const tagEnd = />(?=[^<\s]{1,200}<\/)/y;
const quotedValue = /[bru]?(?:(")([^"\n]{1,4096})("?)|(')([^'\n]{1,4096})('?)|(`)([^`\n]{1,4096})(`?))/y;
// Allow few `=` inside: in a list of names, each value would otherwise extend far beyond the next name.
const plainValue = /[^\s"'`<>,;&|(){}[\]\\=:]{1,4096}(?:[:=]{1,3}[^\s"'`<>,;&|(){}[\]\\=:]{0,400}){0,2}/y;
const shellValue = /[^\s"'`<>\\=:]{1,4096}(?:[:=]{1,3}[^\s"'`<>\\=:]{0,400}){0,3}/y;
const queryValue = /[^\s"'`&;#<>\\=:]{1,4096}(?:[:=]{1,3}[^\s"'`&;#<>\\=:]{0,400}){0,3}/y;

/** The secret after the name whose word begins at `at`. */
export function findNamed(text: string, at: number): Span | undefined {
  restOfName.lastIndex = at;
  const nameEnd = at + (restOfName.exec(text)?.[0].length ?? 0);
  const follows = text.charCodeAt(nameEnd);
  // Nearly all words continue, end, or precede a blank: without a separator there is no name.
  if (Number.isNaN(follows)) return undefined;
  separator.lastIndex = nameEnd;
  const found = separator.exec(text);
  if (found === null && follows !== 32 && follows !== 62) return undefined;
  const begin = nameBegin(text, at);
  const isFlag = text.startsWith('--', begin);
  const name = text.slice(begin, nameEnd).replace(/^-+/, '');
  const isTag = text[begin - 1] === '<';
  let valueAt = found === null ? -1 : separator.lastIndex;
  let sign = found === null ? '' : (found[1] ?? found[2] ?? found[3] ?? found[4] ?? '');
  if (found === null) {
    const other = isFlag ? afterFlag : isTag ? tagEnd : undefined;
    if (other === undefined) return undefined;
    other.lastIndex = nameEnd;
    if (other.exec(text) === null) return undefined;
    valueAt = other.lastIndex;
    sign = isFlag ? '--' : '<';
  }
  const kind = kindOf(name);
  // `PASS: TestLogin` is test output.
  if (kind === undefined || (/^pass$/i.test(name) && sign === ':' && !/["'`]/.test(text.charAt(valueAt))))
    return undefined;
  return judged(text, valueAt, kind, {
    sign,
    name,
    before: text[begin - 1] ?? '\n',
    isFlag,
    tight: found?.[0] === '=',
  });
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
  readonly isFlag: boolean;
  /** The separator is `=` alone: a shell, a settings file, an address. */
  readonly tight: boolean;
}

function judged(text: string, at: number, kind: Kind, place: Place): Span | undefined {
  quotedValue.lastIndex = at;
  const quoted = quotedValue.exec(text);
  const name = markOf(kind, place.name);
  const upper = /^[A-Z][A-Z0-9_]*$/.test(place.name);
  const query = place.tight && /[?&;]/.test(place.before);
  const header = place.sign === ':' && /^x-/i.test(place.name);
  const sure =
    (place.tight && upper) ||
    query ||
    (place.isFlag && place.sign !== ':') ||
    place.sign === '<' ||
    header ||
    isConnectionString(text, at, place);
  if (quoted !== null) {
    const whole = quoted[0];
    const [mark = '', value = '', closing = ''] = quoted.slice(1).filter((group) => group !== undefined);
    const from = at + whole.indexOf(mark) + 1;
    if (closing === '' && /\s/.test(value)) return undefined;
    return isSecret(kind, value, { quoted: true, sure }) ? { from, to: from + value.length, name } : undefined;
  }
  if (place.sign === ',') return undefined;
  const shape = query ? queryValue : place.tight && upper ? shellValue : plainValue;
  shape.lastIndex = at;
  const value = (shape.exec(text)?.[0] ?? '').replace(/[.,;:!?)]+$/, '');
  return isSecret(kind, value, { quoted: false, sure }) ? { from: at, to: at + value.length, name } : undefined;
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
}

function isSecret(kind: Kind, value: string, how: How): boolean {
  if (value.length < 4 || value.length > 4096 || value.trim() !== value || isPlaceholder(value)) return false;
  if (/^#[0-9a-f]{3,8}$/i.test(value)) return false;
  if (!how.quoted && looksLikeCode(value)) return false;
  if (/^[a-z][a-z+.-]{1,20}:\/\//i.test(value) || /^(?:\.{0,2}|~)\/[\w.-]+(?:\/|$)/.test(value)) return false;
  if (kind === 'password') return isSecretPassword(value, how);
  if (
    /\s/.test(value) ||
    /\.(?:json|pem|txt|tsx?|m?js|py|ya?ml|key|crt|md|go|rs|sh|html|css|env|toml|lock)$/.test(value)
  )
    return false;
  if (kind === 'secret' && value.length >= 8 && how.sure) return true;
  if (kind === 'secret' && value.length >= 8 && /[^\w.\s/-]/.test(value) && /[A-Za-z]/.test(value))
    return !looksLikeCode(value);
  return value.length >= (how.sure ? 8 : 12) && !looksLikeCode(value) && isRandom(value, how.sure);
}

function isSecretPassword(value: string, { quoted, sure }: How): boolean {
  if (/\s/.test(value)) return quoted && sure && value.length <= 200;
  if (sure) return !(!quoted && /^[a-z_]+$/i.test(value) && value.length < 6) && !looksLikeCode(value);
  const odd = /[^A-Za-z0-9_.\-\s]/.test(value);
  const digit = /\d/.test(value) && /[A-Za-z]/.test(value);
  if (quoted)
    return (
      value.length <= 200 && (odd || digit || /^\d{6,}$/.test(value)) && !/^[#.]?[a-z-]+\[|^[#.][\w-]+$/.test(value)
    );
  return (
    value.length >= 6 &&
    value.length <= 128 &&
    (digit || (odd && /[A-Za-z]{3}/.test(value))) &&
    !/^\d+(?:px|ms|s|em|rem|%)$/.test(value)
  );
}

/** Letters and digits mixed as no person would: some part between dashes and dots is neither a word nor a number. */
function isRandom(value: string, sure: boolean): boolean {
  if (!/^[\w+/=.~:@%!#$^*?-]+$/.test(value)) return false;
  if (/^\d+(?:\.\d+)*$/.test(value) || /^\d{4}-\d\d-\d\d/.test(value)) return false;
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) && !/\d[A-Za-z]+\d/.test(value)) return false;
  const parts = value.split(/[-_.:/@]+/);
  return parts.some(
    (part) =>
      (part.length >= 6 &&
        /\d/.test(part) &&
        /[A-Za-z]/.test(part) &&
        (sure || !/^[A-Za-z]+\d{1,4}$/.test(part)) &&
        !/^v?\d+$/.test(part)) ||
      (part.length >= 20 &&
        /[A-Z]/.test(part.slice(1)) &&
        /[a-z]/.test(part) &&
        /^(?:[A-Za-z]{0,3}[A-Z]{2,}[a-z]|.*[a-z][A-Z][A-Z])/.test(part)) ||
      (sure && /^[a-f0-9]{16,}$/.test(part)),
  );
}

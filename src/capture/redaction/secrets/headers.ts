// Secrets in headers and commands: `Authorization: …`, `Cookie: …`, `curl -u …`, `mysql -p…`.
import { isPlaceholder } from './placeholder.ts';
import type { Span } from './span.ts';

/** A word that the pass over a text looks for, and what may follow it. The group `secret` is the span. */
interface Command {
  readonly word: string;
  readonly name: string;
  readonly shape: RegExp;
  /** A further condition for the value, beyond its shape. */
  readonly accepts?: (value: string) => boolean;
}

const hasDigit = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);
const scheme =
  '(?:(?:Bearer|Token|ApiKey|Api-Key|Digest|Negotiate|NTLM|AWS4-HMAC-SHA256|token|bearer|key|Key)[ \\t]{1,3})';
const after = `["'\`\\]\\\\]{0,4}[ \\t]{0,4}[:=,][ \\t]{0,4}(?:\\\\{0,3}["'\`])?`;

export const commands: readonly Command[] = [
  {
    word: 'authorization',
    name: 'password',
    shape: new RegExp(`authorization${after}Basic[ \\t]{1,3}(?<secret>[A-Za-z0-9+/]{8,500}={0,2})`, 'diy'),
  },
  {
    word: 'authorization',
    name: 'token',
    shape: new RegExp(`authorization${after}${scheme}?(?<secret>[^\\s"'\`\\\\<>{}()$,;:]{8,4000})`, 'diy'),
    accepts: (value) =>
      (hasDigit(value) || /[A-Za-z0-9+/]{12,}={1,2}$/.test(value)) && !/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value),
  },
  {
    word: 'bearer ',
    name: 'token',
    shape: /[Bb]earer[ ](?<secret>(?=[\w.~+/-]{0,99}\d)(?=[\w.~+/-]{0,99}[A-Za-z])[\w.~+/-]{16,4000}={0,2})/dy,
  },
  {
    word: 'cookie',
    name: 'cookie',
    shape:
      /cookies?["'`\\]{0,4}[ \t]{0,3}[:=,][ \t]{0,3}\\{0,3}["'`]?(?=[\w.%-]{1,80}=)(?<secret>[^\s"'`\\<>(){}$]{8,4000}(?:;[ ][^\s"'`\\<>(){}$]{1,4000}){0,60})/diy,
    accepts: (value) => /=[^;]{6,}/.test(value),
  },
  {
    word: '-u',
    name: 'password',
    shape:
      /(?<=\bcurl[ \t][^\n|;&]{0,400})(?<=\s)-u(?:ser)?[ \t=]{0,3}["']?[^\s:"'$]{0,100}:(?<secret>[^\s"']{1,200}|(?<=["'][^"']{0,100})[^"'\n]{1,200})/dy,
  },
  {
    word: '--user',
    name: 'password',
    shape:
      /(?<=\b(?:curl|http|wget)[ \t][^\n|;&]{0,400}|\s)--(?:proxy-)?user[ \t=]{1,3}["']?[^\s:"'$]{0,100}:(?<secret>[^\s"'/][^\s"']{0,200})/dy,
    accepts: (value) => !/^\d{1,6}$/.test(value),
  },
  {
    word: '-p',
    name: 'password',
    shape:
      /(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb)[ \t][^\n|;&]{0,200})(?<=\s)-p["']?(?<secret>[^\s"'$-][^\s"']{3,100})/dy,
  },
  {
    word: '-p ',
    name: 'password',
    shape:
      /(?<=\b(?:sshpass|docker login|podman login|helm registry login|az login|mongo|mongosh|mongodump)[ \t][^\n|;&]{0,200}|\bsshpass )-p[ ]["']?(?<secret>[^\s"'-][^\s"']{3,100})/dy,
  },
  {
    word: '-a ',
    name: 'password',
    shape: /(?<=\bredis-cli\b[^\n|;&]{0,200})-a[ ]["']?(?<secret>[^\s"'-][^\s"']{3,100})/dy,
  },
  {
    word: 'password ',
    name: 'password',
    shape: /(?<=\blogin[ \t]\S{1,100}\s{1,20})password[ ](?<secret>\S{4,200})/dy,
  },
  { word: 'pass:', name: 'password', shape: /(?<=-pass(?:in|out|word)?[ ]["']?)pass:(?<secret>[^\s"']{4,200})/dy },
  {
    word: 'identified by',
    name: 'password',
    shape: /identified by ["'](?<secret>[^"'\n]{4,200})["']/diy,
  },
  {
    word: 'with password',
    name: 'password',
    shape: /with password ["'](?<secret>[^"'\n]{4,200})["']/diy,
  },
];

export function findCommand(text: string, at: number, { shape, name, accepts }: Command): Span | undefined {
  shape.lastIndex = at;
  const found = shape.exec(text);
  const value = found?.groups?.secret;
  const place = found?.indices?.groups?.secret;
  if (value === undefined || place === undefined || isPlaceholder(value) || value.startsWith('$')) return undefined;
  return accepts === undefined || accepts(value) ? { from: place[0], to: place[1], name } : undefined;
}

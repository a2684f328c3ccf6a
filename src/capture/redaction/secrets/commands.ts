// Secrets in commands, headers and settings of programs: `curl -u …`, `mysql -p…`, `Authorization: …`, `Cookie: …`.
import { isPlaceholder } from './placeholder.ts';
import { type Command, hasDigit, programs, sameCommand } from './programs.ts';
import type { Span } from './span.ts';
import { vendorShapes } from './vendors.ts';

/** A password that a person tells: letters with digits or signs, and not the name of a format. */
const isToldPassword = (value: string): boolean =>
  value.length >= 6 &&
  /[A-Za-z]{2}/.test(value) &&
  /\d|[!@#$%^&*?]./.test(value) &&
  !/^(?:sha|md|base|utf|argon|bcrypt|scrypt|pbkdf|aes|rsa|ascii|v)-?\d+[\w-]*$|^\d+-?[a-z]{0,8}$|\.\w{1,4}$|\/|=/i.test(
    value,
  );
const scheme =
  '(?:(?:Bearer|Token|ApiKey|Api-Key|Digest|Negotiate|NTLM|AWS4-HMAC-SHA256|token|bearer|key|Key)[ \\t]{1,3})';
const after = `["'\`\\]\\\\]{0,4}[ \\t]{0,4}[:=,][ \\t]{0,4}(?:\\\\{0,3}["'\`])?`;

/** Between two words of a file that a listing may have cut into lines. */
const gap = '(?:[ \\t]{1,8}|[ \\t]{0,8}\\r?\\n[ \\t\\d→>|+#-]{0,20})';
/** Schemes of single vendors. Their values may have a colon. */
const vendorScheme =
  '(?:SSWS|Splunk|GenieKey|DeepL-Auth-Key|Zoho-oauthtoken|sso-key|KakaoAK|PVEAPIToken|Klaviyo-API-Key|Api-Token|OAuth|Bot|JWT|Discogs|Token|Snowflake|App|Secret|Session)';

const literal = (word: string): string => word.replace('(', '\\(');

export const commands: readonly Command[] = [
  ...programs,
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
    word: 'authorization',
    name: 'token',
    shape: new RegExp(
      `authorization${after}${vendorScheme}[ \\t=]{1,3}(?:token=)?\\\\{0,3}["']?(?<secret>[^\\s"'\`\\\\<>{}()$,;]{12,4000})`,
      'diy',
    ),
    accepts: hasDigit,
  },
  ...['signature=', 'response='].map((word) => ({
    word,
    name: 'signature',
    shape: new RegExp(`(?<=authorization["':= \\t]{1,6}[^\\n]{0,900})${word}["']?(?<secret>[\\w%+/=-]{20,400})`, 'diy'),
  })),
  {
    word: 'bearer ',
    name: 'token',
    shape: /[Bb]earer[ ](?<secret>(?=[\w.~+/-]{0,99}\d)(?=[\w.~+/-]{0,99}[A-Za-z])[\w.~+/-]{16,4000}={0,2})/dy,
  },
  {
    word: 'cookie',
    name: 'cookie',
    shape:
      /cookies?["'`\\]{0,4}[ \t]{0,3}[:=,][ \t]{0,3}\\{0,3}["'`]?(?=[\w.%-]{1,80}=)(?<secret>[^\s"'`\\<>(){}$;]{3,4000}(?:;[ ]?[^\s"'`\\<>(){}$;]{1,4000}){0,60})/diy,
    accepts: (value) => /=[^;]{6,}/.test(value),
  },
  ...['-u', '-su', '-ku', '-iu', '-vu', '-lu', '-sku', '-ksu', '-ssu', '-slu', '-fssu', '-fsslu', '-sslu'].map(
    (word) => ({
      word,
      name: 'password',
      shape: new RegExp(
        `(?<=\\s)(?<=\\bcurl[ \\t]${sameCommand})${word}(?:ser)?[ \\t=]{0,3}["']?[^\\s:"'$]{0,100}:(?<secret>[^\\s"']{1,200}|(?<=["'][^"']{0,100})[^"'\\n]{1,200})`,
        'diy',
      ),
    }),
  ),
  {
    word: '--user',
    name: 'password',
    shape: /(?<=\s)--user[ \t=]{1,3}["']?[^\s:"'$]{0,100}:(?<secret>[^\s"'/][^\s"']{0,200})/dy,
    accepts: (value) => !/^\d{1,6}$/.test(value),
  },
  {
    word: '--proxy-user',
    name: 'password',
    shape: /(?<=\s)--proxy-user[ \t=]{1,3}["']?[^\s:"'$]{0,100}:(?<secret>[^\s"'/][^\s"']{0,200})/dy,
  },
  ...['-b', '--cookie'].map((word) => ({
    word,
    name: 'cookie',
    shape: new RegExp(
      `(?<=\\s)(?<=\\bcurl[ \\t]${sameCommand})${word}[ \\t=]{1,3}["']?[\\w.-]{1,80}=(?<secret>[^"'\\s]{6,4000})`,
      'dy',
    ),
  })),
  {
    word: '-p',
    name: 'password',
    shape:
      /(?<=\s["']?)(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|7z[ar]?)[ \t][^\n|;&]{0,200}|\bsshpass )-p["']?(?<secret>[^\s"'$-][^\s"']{3,100})/dy,
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
    word: '-a ',
    name: 'password',
    shape: /(?<=\bhttps?[ ][^\n|;&]{0,200})-a[ ]["']?[^\s:"'$]{1,100}:(?<secret>[^\s"']{1,200})/dy,
  },
  {
    word: '-w ',
    name: 'password',
    shape:
      /(?<=\bldap(?:search|add|modify|delete|passwd|whoami)\b[^\n|;&]{0,200})-w[ ]["']?(?<secret>[^\s"'-][^\s"']{3,100})/dy,
  },
  {
    word: '-p ',
    name: 'password',
    shape:
      /(?<=\b(?:zip|unzip|sqlcmd|bcp|osql|ipmitool|plink|pscp|mosquitto_(?:pub|sub))[ ][^\n|;&]{0,200}|\b(?:zip|unzip) )-P[ ]["']?(?<secret>[^\s"'-][^\s"']{3,100})/dy,
  },
  {
    word: '-k ',
    name: 'password',
    shape: /(?<=\bopenssl enc\b[^\n|;&]{0,200})-k[ ]["']?(?<secret>[^\s"'-][^\s"']{3,100})/dy,
  },
  {
    word: '-u ',
    name: 'password',
    shape: /(?<=\bsmbclient[ ][^\n|;&]{0,200})-U[ ]["']?[\w.\\/-]{1,100}%(?<secret>[^\s"']{4,100})/dy,
  },
  {
    word: 'htpasswd -',
    name: 'password',
    shape: /htpasswd -\w{0,4}b\w{0,4}[ ]{1,3}\S{1,200}[ ]\S{1,100}[ ]["']?(?<secret>[^\s"'$][^\s"']{3,100})/dy,
  },
  {
    word: 'net user ',
    name: 'password',
    shape: /net user \S{1,100} (?<secret>[^\s/"'][^\s"']{5,100}) \/add/diy,
  },
  {
    word: 'echo ',
    name: 'password',
    shape:
      /echo (?:-n )?["']?(?:[\w.-]{1,60}:(?=[^\n|]{1,200}\bchpasswd\b))?(?<secret>[^\s"'$|][^\s"'|]{3,300})["']? \| (?:sudo )?(?:[^\n|]{0,200}--password-stdin|sudo -S|chpasswd|[^\n|]{0,60}\b(?:secrets? (?:put|set|create|versions add)|vercel env add)\b)/dy,
  },
  {
    word: '@tcp(',
    name: 'password',
    shape: /(?<=(?:^|[^\w.:/-])[\w.-]{1,60}:(?<secret>[^\s"'`(]{1,100}))@tcp\(/dy,
  },
  {
    word: 'jdbc:oracle:',
    name: 'password',
    shape: /jdbc:oracle:\w{1,10}:[\w.-]{1,60}\/(?<secret>[^\s"'@]{1,100})@/diy,
  },
  ...[':5432:', ':5433:', ':6432:', ':6543:', ':15432:', ':25060:', ':54322:', ':*:'].map((word) => ({
    word,
    name: 'password',
    shape: new RegExp(
      `(?<=(?:^|[^\\w.*-])[\\w.*-]{1,100})${word.replace('*', '\\*')}[\\w.*-]{1,60}:[\\w.*-]{1,60}:(?<secret>[^\\s"']{4,200})(?=\\s|$|["'\\\\])`,
      'dy',
    ),
  })),
  {
    word: '*:*:*:',
    name: 'password',
    shape: /\*:\*:\*:[\w.*-]{1,60}:(?<secret>[^\s"']{4,200})(?=\s|$|["'\\])/dy,
  },
  ...['true\t', 'false\t'].map((word) => ({
    word,
    name: 'cookie',
    shape: /(?:TRUE|FALSE)\t\d{1,12}\t[\w.%-]{1,80}\t(?<secret>[^\s"']{8,4000})/dy,
  })),
  ...['auth=(', 'basicauth('].map((word) => ({
    word,
    name: 'password',
    shape: /(?:auth=|basicauth)\(["'][^"'\n]{0,100}["'], ?["'](?<secret>[^"'\n]{4,200})["']/diy,
  })),
  // The password is the third argument, or the second of a login.
  ...['getconnection(', 'mysqli(', 'mysqli_connect(', 'mysql_connect(', 'pdo('].map((word) => ({
    word,
    name: 'password',
    shape: new RegExp(
      `${literal(word)}[^\\n"'();]{0,100}(?:["'][^"'\\n]{0,300}["'])?, ?["'][^"'\\n]{0,100}["'], ?["'](?<secret>[^"'\\n]{4,200})["']`,
      'diy',
    ),
    accepts: hasDigit,
  })),
  {
    word: 'pwd={',
    name: 'password',
    shape: /(?<=[;"'][ ]?)pwd=\{(?<secret>[^{}\s"']{4,200})\}(?=[;"'\s]|$)/diy,
    accepts: hasDigit,
  },
  {
    word: 'vault login ',
    name: 'token',
    shape: /vault login (?:-[\w=/-]{1,60} ){0,3}["']?(?:token=)?(?<secret>[\w.-]{20,200})/dy,
    accepts: hasDigit,
  },
  {
    word: 'securestring ',
    name: 'password',
    shape: /securestring (?:-string )?["'](?<secret>[^"'\n$]{4,200})["']/diy,
  },
  ...['password is', 'passphrase is', 'passcode is', 'passwort ist', 'kennwort ist'].map((word) => ({
    word,
    name: 'password',
    shape: new RegExp(`${word}:? {1,2}["'\`]?(?<secret>[^\\s"'\`<>(){}]{6,100})`, 'diy'),
    accepts: (value: string) => isToldPassword(value.replace(/[.,;:!?)]+$/, '')),
  })),
  ...['key is', 'token is', 'secret is'].map((word) => ({
    word,
    name: 'key',
    shape: new RegExp(
      `(?<=\\b(?:api|access|secret|private|auth|deploy|license|client|the|my|our|its)[ _-]?)${word}:? {1,2}["'\`]?(?<secret>(?=[\\w+/-]{0,60}[a-z])(?=[\\w+/-]{0,60}[A-Z])(?=[\\w+/-]{0,60}\\d)[\\w+/-]{20,300})`,
      'diy',
    ),
    // A kind that is known by its beginning has a name of its own.
    accepts: (value: string) => !vendorShapes.some(({ begins }) => begins.some((one) => value.startsWith(one))),
  })),
  // A line of .netrc names the machine; `login … password …` without one may be a sentence.
  {
    word: 'password ',
    name: 'password',
    shape: new RegExp(
      `(?<=\\b(?:machine[ \\t]\\S{1,200}|default)${gap}login[ \\t]\\S{1,100}${gap}(?:account[ \\t]\\S{1,100}${gap})?)password[ ](?<secret>\\S{4,200})`,
      'dy',
    ),
  },
  {
    word: 'password ',
    name: 'password',
    shape: new RegExp(
      `(?<=\\bmachine[ \\t]\\S{1,200}${gap})password[ ](?<secret>\\S{4,200})(?=${gap}login[ \\t])`,
      'dy',
    ),
    accepts: isToldPassword,
  },
  {
    word: 'password ',
    name: 'password',
    shape: new RegExp(`(?<=\\blogin[ \\t]\\S{1,100}${gap})password[ ](?<secret>\\S{4,200})`, 'dy'),
    accepts: isToldPassword,
  },
  { word: 'pass:', name: 'password', shape: /(?<=-pass(?:in|out|word)?[ ]["']?)pass:(?<secret>[^\s"']{4,200})/dy },
  {
    word: 'identified ',
    name: 'password',
    shape: /identified (?:with \w{1,40} )?by (?:["'](?<secret>[^"'\n]{4,200})["'])/diy,
  },
  {
    word: 'identified by',
    name: 'password',
    shape: /(?<=\b(?:create|alter|grant)\b[^;\n]{0,300})identified by (?<secret>[^\s"'`;]{6,100})(?=;|\s|$)/diy,
    accepts: hasDigit,
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

// Passwords that programs take as arguments, and keys in files of theirs whose field does not say what it holds.

/**
 * A word that the pass over a text looks for, and what may follow it. The group `secret` is the span. Contract: what the shape matches begins
 * with the word, in upper or lower case; a blank at the word's end may be another one.
 */
export interface Command {
  readonly word: string;
  readonly name: string;
  readonly shape: RegExp;
  /** A further condition for the value, beyond its shape. */
  readonly accepts?: (value: string) => boolean;
}

export const hasDigit = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);

/** What may lie between a command and its option, also on a continued line. */
export const sameCommand = '(?:[^\\n|;&]|\\n(?=[ \\t]{1,20}-)){0,400}';

const argument = `["']?(?<secret>[^\\s"'$<-][^\\s"']{3,200})`;

/** The value after an option of a program: `sqlplus`'s is a word of its own, most have a dash. */
const option = (word: string, program: string, value = argument): Command => ({
  word,
  name: 'password',
  shape: new RegExp(`(?<=\\s)(?<=\\b(?:${program})${sameCommand})${word.trimEnd()}[ \\t=]{1,3}${value}`, 'diy'),
});

/** Numbers of a private JSON web key. Public ones are `n`, `e`, `x` and `y`. */
const jsonWebKey = ['"d"', '"p"', '"q"', '"dp"', '"dq"', '"qi"', '"k"'];
const xmlKey = ['<d>', '<p>', '<q>', '<dp>', '<dq>', '<inverseq>'];

export const programs: readonly Command[] = [
  option('-a ', 'snmp(?:get|walk|set|bulkget|bulkwalk)'),
  option('-x ', 'snmp(?:get|walk|set|bulkget|bulkwalk)'),
  option('--pass', 'redis-cli|curl'),
  option('-n ', 'ssh-keygen', `["'](?<secret>[^"'\\n$]{4,200})["']`),
  option('-w ', 'security (?:add|set)-[a-z-]{4,40}'),
  option('-u ', 'lftp', `["']?[^\\s,"']{1,100},(?<secret>[^\\s"']{4,200})`),
  option('--cert', 'curl', `["']?[^\\s:"']{1,200}:(?<secret>[^\\s"':/][^\\s"']{3,200})`),
  option('--auth', 'https?|xhs?', `["']?[^\\s:"'$]{1,100}:(?<secret>[^\\s"']{1,200})`),
  option('--secret-string', 'secretsmanager'),
  option('--oauth2-bearer', 'curl'),
  {
    ...option('--value', 'keyvault secret set|ssm put-parameter|secrets? (?:create|set|put)'),
    accepts: (value) => value.length >= 8 && hasDigit(value),
  },
  {
    ...option('password ', 'nmcli'),
    accepts: (value) => value.length >= 8,
  },
  {
    word: '/p:',
    name: 'password',
    shape:
      /(?<=\bfreerdp3?\b[^\n|;&]{0,300}\s|\b[a-z]{1,4}freerdp3?\b[^\n|;&]{0,300}\s)\/p:["']?(?<secret>[^\s"']{4,200})/diy,
  },
  {
    word: '/user:',
    name: 'password',
    shape: /(?<=\bnet use [^\n]{1,200})\/user:\S{1,100}[ ]["']?(?<secret>[^\s"'/][^\s"']{3,100})/diy,
  },
  {
    word: 'sqlplus ',
    name: 'password',
    shape: /sqlplus (?:-\w{1,8} ){0,4}["']?\w{1,60}\/(?<secret>[^\s"'@/]{3,100})(?=[@\s"']|$)/dy,
  },
  ...['add_user', 'change_password'].map((word) => ({
    word,
    name: 'password',
    shape: new RegExp(`(?<=\\brabbitmqctl[^\\n|;&]{1,100})${word} \\S{1,100} ${argument}`, 'dy'),
  })),
  ...['requirepass', 'masterauth', 'rootpw', 'bindpw', 'pw:', 'pw='].map((word) => ({
    word,
    name: 'password',
    shape: new RegExp(`(?<=^|[\\s"'→|:+(>-])${word}(?:[ \\t]{1,8}|[ \\t]?[=:][ \\t]?|(?<=[=:]))${argument}`, 'dy'),
    accepts: (value: string) => /[\d!@#%^&*]/.test(value) && !/[(){}=]/.test(value),
  })),
  {
    word: '<<<',
    name: 'password',
    shape:
      /(?<=\b(?:sudo -S|passwd|kinit|chpasswd|--with-token|--password-stdin|secrets? (?:put|set|create))\b[^\n|;&]{0,200})<<<[ ]?["']?(?<secret>[^\s"'$][^\s"']{3,200})/dy,
  },
  {
    word: 'send ',
    name: 'password',
    shape:
      /(?<=assword[^\n]{0,60}\s{1,20}|assword[^\n]{0,60};\s{0,4})send (?:-- )?["'](?<secret>[^"'\\$\n\r]{4,100})(?:\\r|\r)/dy,
  },
  {
    word: 'wpa_passphrase ',
    name: 'password',
    shape: /wpa_passphrase (?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|\S{1,60}) ["']?(?<secret>[^\s"'$][^\s"']{7,62})/dy,
  },
  {
    word: 'cargo login ',
    name: 'token',
    shape: /cargo login (?:--registry[ =]\S{1,60} )?(?<secret>[\w-]{20,200})/dy,
    accepts: hasDigit,
  },
  {
    word: 'userpassword::',
    name: 'password',
    shape: /userpassword:: (?<secret>[A-Za-z0-9+/]{6,400}={0,2})/diy,
  },
  {
    word: 'github-oauth',
    name: 'token',
    shape: /github-oauth["'.\]]{0,4}[\s:=]{0,8}\{?\s{0,40}["']?github\.com["']?[\s:=]{1,8}["']?(?<secret>\w{20,255})/dy,
    accepts: hasDigit,
  },
  {
    word: '"key"',
    name: 'key',
    shape:
      /(?<="username"\s{0,4}:\s{0,4}"[^"\n]{1,100}"\s{0,4},\s{0,40})"key"\s{0,4}:\s{0,4}"(?<secret>[0-9a-f]{32})"/dy,
  },
  {
    // A browser's cookie: its name says little.
    word: '"value"',
    name: 'cookie',
    shape:
      /(?<="name"\s{0,4}:\s{0,4}"[^"\n]{1,100}"\s{0,4},\s{0,40})"value"\s{0,4}:\s{0,4}"(?<secret>[^"\s\\]{16,4000})"(?=\s{0,4},\s{0,40}"(?:domain|path|expires|httpOnly)")/dy,
    accepts: hasDigit,
  },
  {
    word: 'key=',
    name: 'key',
    shape: /(?<=[?&])key=(?<secret>(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}\d)[\w-]{30,100})(?![\w-])/dy,
  },
  // Finds nothing: it asks for a second look at a text whose quotation marks are escaped.
  { word: 'kty', name: 'private key', shape: /(?!)/dy },
  ...jsonWebKey.map((word) => ({
    word,
    name: 'private key',
    shape: new RegExp(
      `${word}\\s{0,4}:\\s{0,4}"(?<secret>[\\w-]{22,1400})"(?:(?<="kty"[^{}]{0,3000})|(?=[^{}]{0,3000}"kty"))`,
      'dy',
    ),
  })),
  ...xmlKey.map((word) => ({
    word,
    name: 'private key',
    shape: new RegExp(`${word}(?<secret>[A-Za-z0-9+/]{40,1400}={0,2})</`, 'diy'),
  })),
];

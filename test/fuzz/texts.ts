// Texts that patterns and parsers find hard, made from a seed: the same seed gives the same text.

const pieces = [
  ...[
    '!',
    '?',
    '.',
    ',',
    ':',
    ';',
    '"',
    "'",
    '`',
    '*',
    '_',
    '~',
    '-',
    '+',
    '=',
    '/',
    '\\',
    '|',
    '&',
    '<',
    '>',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
  ],
  ...[' ', '\t', '\n', '\r\n', '  \n', '\u00a0', '\u200b', '\u3000', '\u001b[31m', '\0', '\ufeff', '\ud800', '\udfff'],
  ...[
    'a',
    'A',
    '0',
    'aB',
    'a1',
    'é',
    'ß',
    'ﬁ',
    '🙂',
    '👨‍👩‍👧',
    '中',
    '数据库',
    'カ',
    'ｶﾞ',
    'が',
    '한',
    'ไทย',
    'ខ្មែរ',
    '𠀀',
    'עב',
    '\u0301',
  ],
  ...[
    'a/',
    'a.',
    'a:',
    'a://b:',
    'a@b.',
    'http://',
    'https://u:p@h/',
    '../',
    './',
    'C:\\',
    'a=',
    '_key',
    '_key=',
    'Q~',
    ':AA',
    'sk-',
    'ghp_',
  ],
  ...[
    'e.g. ',
    'i.e. ',
    'v1.2',
    '12:30',
    '2026-01-',
    'last ',
    'don’t ',
    "user's ",
    '"a ',
    '“a” ',
    '``` ',
    '```\n',
    '~~~\n',
    '- ',
    '* ',
    '1. ',
    '# ',
    '> ',
  ],
  ...[
    '[a](',
    '![',
    '](',
    '[^',
    '<a ',
    '</',
    '<!--',
    '-->',
    '<private>',
    '</private>',
    '&lt;',
    '&#',
    '{"a":',
    '[[',
    '\\u0041',
    '\\"',
    '\\n',
    '%41',
  ],
  ...[
    '&& ',
    '|| ',
    '; ',
    '$(',
    '2>&1 ',
    ' >/dev/null',
    '<<EOF\n',
    'sudo ',
    'A=b ',
    '-m "',
    'Error: ',
    'at x (y:1:2)\n',
    '| a |\n',
    '|-|\n',
    '---\n',
    'key: ',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----\n',
    'eyJhbGciOiJIUzI1NiJ9.',
    'AKIA',
    'postgres://u:p@h/',
    'password=',
    'Authorization: Bearer ',
  ],
];

/** Random numbers that a seed repeats. */
export function dice(seed: number): (below: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Texts that once took minutes or longer. Each has a number, before the random ones. */
export const known: readonly ((length: number) => string)[] = [
  ...['中', '!', ' ', 'a/', 'a://b:', '_key', 'Q~', ':AA', '"', 'http', '*a_', '\n'].map((piece) => filled(piece)),
  (length) => `${'!'.repeat(length - 1)}a`,
  filled(`password=a_${'abcdefgh'.repeat(8)}1 `),
  (length) => `**ab**${' '.repeat(length)}x\u2028y`,
];

function filled(piece: string): (length: number) => string {
  return (length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** The text of a seed. Seeds below the number of known texts give those. */
export function textOf(seed: number, length: number): string {
  const made = known[seed];
  if (made !== undefined) return made(length);
  const roll = dice(seed);
  const pick = () => pieces[roll(pieces.length)] as string;
  const [one, two, three] = [pick(), pick(), pick()];
  const shapes: (() => string)[] = [
    () => filled(one)(length),
    () => `a${filled(one)(length - 2)}b`,
    () => filled(one + two)(length),
    () => filled(one + two + three)(length),
    () => filled(one)(length / 2) + filled(two)(length / 2),
    () => filled(one)(length / 3) + filled(two)(length / 3) + filled(three)(length / 3),
    () => filled(`${one.repeat(50)}${two}`)(length),
    () =>
      Array.from({ length: Math.ceil(length / 3) }, pick)
        .join('')
        .slice(0, length),
    () =>
      Array.from({ length: Math.ceil(length / 40) }, () => pick().repeat(1 + roll(30)))
        .join('')
        .slice(0, length),
  ];
  return (shapes[roll(shapes.length)] as () => string)();
}

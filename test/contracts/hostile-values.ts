// Lines and values that no agent writes.

/** Lines that belong to no agent. */
export const harmless = [
  '',
  '   ',
  '{',
  '{"a":',
  '[]',
  'null',
  '0',
  '"text"',
  '{}',
  '{"type":null}',
  '{"message":[]}',
  '\u0000\u0000',
  '}{',
];

export const odd: readonly unknown[] = [
  ...[
    null,
    0,
    -1,
    1e308,
    true,
    '',
    'x',
    '\ud800',
    [],
    {},
    [[]],
    [null],
    { type: 1 },
    { text: {} },
    'constructor',
    '__proto__',
  ],
  ...[
    'x'.repeat(5000),
    Array.from({ length: 50 }, () => ({ text: 1 })),
    { toString: 1 },
    '2026-13-45T99:99:99Z',
    Number.MAX_SAFE_INTEGER,
  ],
];

/** A copy with some values replaced. */
export function mutated(value: unknown, other: () => unknown, changes: () => boolean): unknown {
  if (changes()) return other();
  if (Array.isArray(value)) return value.map((item) => mutated(item, other, changes));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mutated(item, other, changes)]));
}

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessOf, type Born, groupToken, openTokens } from './tokens.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-tokens-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('22. tokens', () => {
  it('are one of 256 bits, which stays the same and is only readable by the owner', () => {
    const first = openTokens(home);
    expect(first).toEqual({ full: expect.stringMatching(/^[0-9a-f]{64}$/), report: undefined });
    expect(openTokens(home)).toEqual(first);
    expect(readdirSync(home)).toEqual(['token']);
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
  });

  it('of hooks of an older version still work, and a truncated one opens nothing', async () => {
    const file = join(home, 'hook-token');
    writeFileSync(file, `${'ab'.repeat(32)}\n`, { mode: 0o644 });
    const tokens = openTokens(home);
    expect(tokens.report).toBe('ab'.repeat(32));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await accessOf(tokens, 'ab'.repeat(32), async () => undefined)).toBe('report');
    for (const text of ['', 'abab']) {
      writeFileSync(file, text);
      expect(openTokens(home).report).toBeUndefined();
      expect(await accessOf(openTokens(home), text, async () => undefined)).toBeUndefined();
    }
  });

  it('an invalid token is replaced, and open permissions are closed', () => {
    for (const text of ['', 'short', 'x'.repeat(64)]) {
      writeFileSync(join(home, 'token'), text);
      expect(openTokens(home).full).toMatch(/^[0-9a-f]{64}$/);
    }
    const { full } = openTokens(home);
    chmodSync(join(home, 'token'), 0o644);
    expect(openTokens(home).full).toBe(full);
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
  });

  it('a token with a final line break, as an editor leaves it, works', () => {
    const { full } = openTokens(home);
    writeFileSync(join(home, 'token'), `${full}\r\n`);
    expect(openTokens(home).full).toBe(full);
    expect(readFileSync(join(home, 'token'), 'utf8')).toBe(`${full}\r\n`);
  });

  it('open what they are for, and nothing else opens anything', async () => {
    const tokens = openTokens(home);
    const none = async () => undefined;
    expect(await accessOf(tokens, tokens.full, none)).toBe('full');
    for (const other of ['', tokens.full.slice(1), `${tokens.full} `, tokens.full.toUpperCase()])
      if (other !== tokens.full) expect(await accessOf(tokens, other, none)).toBeUndefined();
  });

  it('of a group opens that group, and not a later one of the same name', async () => {
    const tokens = openTokens(home);
    const [first, second] = ['2026-05-01T12:00:00.000Z', '2026-05-01T12:00:00.001Z'].map((createdAt) => ({
      name: 'tide',
      createdAt,
    }));
    const token = groupToken(tokens, first as Born);
    expect(await accessOf(tokens, token, async () => first)).toEqual({ group: 'tide' });
    expect(await accessOf(tokens, token, async () => second)).toBeUndefined();
    expect(await accessOf(tokens, token, async () => undefined)).toBeUndefined();
    expect(await accessOf(tokens, groupToken(tokens, second as Born), async () => second)).toEqual({ group: 'tide' });
  });
});

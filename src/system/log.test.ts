import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLog } from './log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'holdfast-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('lines carry the time, and only the owner can read the file', () => {
  const file = path.join(folder, 'worker.log');
  const log = openLog(file, () => 0);
  log('started');
  log('failed:\nno such file\n');
  expect(readFileSync(file, 'utf8')).toBe(
    '1970-01-01T00:00:00.000Z started\n1970-01-01T00:00:00.000Z failed:\n  no such file\n',
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('outside text is shortened, and cannot look like separate lines', () => {
  const file = path.join(folder, 'worker.log');
  openLog(file, () => 0)(`GET ${'x'.repeat(100_000)}`);
  openLog(file, () => 0)('a\r1970-01-01T00:00:00.000Z forged\x1b[2J\u2028b');
  const [long = '', forged, ...rest] = readFileSync(file, 'utf8').split('\n');
  expect(long.length).toBeLessThan(2100);
  expect(long).toMatch(/x … \(100004 characters\)$/);
  expect(forged).toBe('1970-01-01T00:00:00.000Z a?1970-01-01T00:00:00.000Z forged?[2J?b');
  expect(rest).toEqual(['']);
});

it('a full log is moved aside, and only one old file is kept', () => {
  const file = path.join(folder, 'worker.log');
  const log = openLog(file);
  for (const round of ['first', 'second']) {
    writeFileSync(file, `${round} ${'x'.repeat(5 * 1024 * 1024)}`);
    log('next');
  }
  expect(readFileSync(file, 'utf8')).toMatch(/^\S+ next\n$/);
  expect(readFileSync(`${file}.1`, 'utf8').slice(0, 6)).toBe('second');
});

it('a log that cannot be written does no harm', () => {
  expect(() => openLog(path.join(folder, 'missing', 'worker.log'))('line')).not.toThrow();
});

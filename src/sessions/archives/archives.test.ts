import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Holdfast, openHoldfast } from '../../app/open.ts';
import { ingest } from '../../capture/ingest.ts';
import { archiveDate, archiveName } from './archive-text.ts';
import { type ArchiveRequest, archiveSession, dropArchives } from './archives.ts';

const now = Date.UTC(2026, 1, 21, 3, 39);
let folder: string;
let holdfast: Holdfast;
let transcript: string;
let count = 0;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'holdfast-archives-'));
  transcript = path.join(folder, '.claude', 'projects', '-srv-trip', 'japan.jsonl');
  mkdirSync(path.dirname(transcript), { recursive: true });
  holdfast = await openHoldfast({ HOME: folder, HOLDFAST_TIME_ZONE: 'UTC', HOLDFAST_ASSISTANT_NAME: 'G2' });
});
afterEach(async () => {
  await holdfast.close();
  rmSync(folder, { recursive: true, force: true });
});

const line = (type: string, content: unknown, rest: object = {}) =>
  `${JSON.stringify({
    ...{ parentUuid: null, isSidechain: false, sessionId: 'japan', cwd: '/srv/trip', type },
    message: { role: type, content },
    uuid: `30000000-0000-4000-8000-${String(++count).padStart(12, '0')}`,
    timestamp: new Date(now - 3_600_000 + count * 1000).toISOString(),
    ...rest,
  })}\n`;

async function say(...lines: string[]): Promise<void> {
  appendFileSync(transcript, lines.join(''));
  await ingest(holdfast.context, {});
}

const archive = (request: Partial<ArchiveRequest> = {}, at = now) =>
  archiveSession({ ...holdfast.context, clock: () => at }, { agent: 'claude-code', session: 'japan', ...request });
const archives = () => readdirSync(holdfast.config.archivePath).sort();
const read = (name: string) => readFileSync(path.join(holdfast.config.archivePath, name), 'utf8');

describe('an archive', () => {
  it.each(['pipe', 'link'])(
    'that was replaced by a %s is written beside it, without following or waiting',
    async (what) => {
      await say(line('user', 'Ferries to Naoshima'), line('assistant', 'At noon.'));
      const { file = '' } = await archive();
      const other = path.join(folder, 'other.md');
      writeFileSync(other, readFileSync(file));
      rmSync(file);
      if (what === 'pipe') execFileSync('mkfifo', [file]);
      else symlinkSync(other, file);
      await say(line('user', 'And back?'), line('assistant', 'At five.'));
      const again = await archive();
      expect(again.file).toBe(file.replace(/\.md$/, '-2.md'));
      expect(readFileSync(other, 'utf8')).not.toContain('At five');
      const { removed, kept } = await dropArchives(holdfast.context, 'claude-code', 'japan');
      expect([removed, kept]).toEqual([[again.file], []]);
    },
    5000,
  );

  it('8: has a title, a date, and what was said by whom, nothing else', async () => {
    await say(
      line('user', 'I want to plan a trip to Japan...'),
      line('assistant', [
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'tool_use', id: 't', name: 'Bash', input: {} },
      ]),
      line('user', [{ type: 'tool_result', tool_use_id: 't', content: 'output of a tool' }]),
      line('assistant', [
        { type: 'text', text: 'Here are some suggestions...' },
        { type: 'tool_use', id: 'u', name: 'Read', input: {} },
      ]),
      line('user', [
        { type: 'text', text: 'In blocks' },
        { type: 'text', text: 'of two' },
      ]),
      line('user', 'injected by the machine', { isMeta: true }),
    );
    expect(await archive({ name: 'Travel Planning' })).toMatchObject({ outcome: 'new', title: 'Travel Planning' });
    expect(archives()).toEqual(['2026-02-21-travel-planning.md']);
    expect(read('2026-02-21-travel-planning.md')).toBe(
      [
        '# Travel Planning',
        '',
        'Archived: Feb 21, 3:39 AM',
        '',
        '---',
        '',
        '**User**: I want to plan a trip to Japan...',
        '',
        '**G2**: Here are some suggestions...',
        '',
        '**User**: In blocks\nof two',
        '',
      ].join('\n'),
    );
  });

  it('8: cuts messages longer than 2,000 characters, never within a character', async () => {
    await say(
      line('user', `${'a'.repeat(1999)}😀 and more`),
      line('user', 'b'.repeat(2000)),
      line('user', 'c'.repeat(2001)),
    );
    await archive({ name: 'Long' });
    const text = read('2026-02-21-long.md');
    expect(text).toContain(`**User**: ${'a'.repeat(1999)}...\n`);
    expect(text).toContain(`**User**: ${'b'.repeat(2000)}\n`);
    expect(text).toContain(`**User**: ${'c'.repeat(2000)}...\n`);
    expect(text.isWellFormed()).toBe(true);
  });

  it('8: gives the date in the configured time zone', () => {
    expect(archiveDate(now, 'UTC')).toBe('Feb 21, 3:39 AM');
    expect(archiveDate(now, 'America/New_York')).toBe('Feb 20, 10:39 PM');
    expect(archiveName('x', now, 'America/New_York')).toBe('2026-02-20-x');
  });

  it.each([
    ['Tax: 2025 / 2026!', '2026-02-21-tax-2025-2026'],
    ['日本旅行 計画', '2026-02-21-日本旅行-計画'],
    ['../../etc/passwd', '2026-02-21-etc-passwd'],
    ['???', '2026-02-21-conversation'],
    [`${'word '.repeat(30)}`, `2026-02-21-${'word-'.repeat(10).slice(0, 49)}`],
    ['😀'.repeat(5), '2026-02-21-conversation'],
  ])('9: %j is called %s', (title, name) => {
    expect(archiveName(title, now, 'UTC')).toBe(name);
  });

  it('9: is titled by the given name, else the title of the session, else its first prompt, else the time', async () => {
    await say(line('user', 'Plan a trip\nto Japan'));
    expect((await archive()).title).toBe('Plan a trip');
    await say(
      `${JSON.stringify({ type: 'custom-title', customTitle: 'Kyoto in spring', sessionId: 'japan' })}\n`,
      line('user', 'More'),
    );
    expect((await archive()).title).toBe('Kyoto in spring');
    expect((await archive({ name: ' Trip ' })).title).toBe('Trip');
  });

  it('9: never overwrites another file of the same name', async () => {
    await say(line('user', 'Hello'));
    mkdirSync(holdfast.config.archivePath, { recursive: true });
    writeFileSync(path.join(holdfast.config.archivePath, '2026-02-21-trip.md'), "somebody's own");
    await archive({ name: 'Trip' });
    expect(archives()).toEqual(['2026-02-21-trip-2.md', '2026-02-21-trip.md']);
    expect(read('2026-02-21-trip.md')).toBe("somebody's own");
  });

  it('finds a name however many files an agent has put in its way', async () => {
    await say(line('user', 'Hello'));
    mkdirSync(holdfast.config.archivePath, { recursive: true });
    const taken = Array.from({ length: 150 }, (_, i) => `2026-02-21-trip${i === 0 ? '' : `-${i + 1}`}.md`);
    for (const name of taken) writeFileSync(path.join(holdfast.config.archivePath, name), '');
    const { file = '' } = await archive({ name: 'Trip' });
    expect(path.basename(file)).toMatch(/^2026-02-21-trip-[0-9a-f]{8}\.md$/);
    expect((await archive({ name: 'Trip' })).outcome).toBe('same');
  });

  it('of an earlier version, whose row has no length, is still known as ours', async () => {
    await say(line('user', 'One'));
    await archive();
    const { store, config } = holdfast;
    const row = await store.archives.get('claude-code', 'japan', config.archivePath);
    if (row === undefined) throw new Error('no row');
    await store.archives.save({ ...row, fileHash: row.fileHash.replace(/-\d+$/, '') });
    expect((await archive()).outcome).toBe('same');
    await say(line('user', 'Two'));
    expect((await archive()).outcome).toBe('grown');
    expect(archives()).toEqual(['2026-02-21-one.md']);
  });

  it('15: grows when its session is archived again, without a second file', async () => {
    await say(line('user', 'One'));
    await archive();
    const first = read('2026-02-21-one.md');
    expect((await archive({}, now + 86_400_000)).outcome).toBe('same');
    expect(read('2026-02-21-one.md')).toBe(first);
    await say(line('user', 'Two'));
    expect((await archive({}, now + 86_400_000)).outcome).toBe('grown');
    expect(archives()).toEqual(['2026-02-21-one.md']);
    expect(read('2026-02-21-one.md')).toContain('**User**: Two');
    // A later name moves the file.
    await archive({ name: 'Numbers' }, now + 86_400_000);
    expect(archives()).toEqual(['2026-02-22-numbers.md']);
    await say(line('user', 'Three'));
    await archive({}, now + 2 * 86_400_000);
    expect(archives(), 'the name stays').toEqual(['2026-02-22-numbers.md']);
  });

  it('stays untouched once a person has changed it', async () => {
    await say(line('user', 'One'));
    await archive();
    appendFileSync(path.join(holdfast.config.archivePath, '2026-02-21-one.md'), '\nMy note\n');
    await say(line('user', 'Two'));
    await archive();
    expect(archives()).toEqual(['2026-02-21-one-2.md', '2026-02-21-one.md']);
    expect(read('2026-02-21-one.md')).toContain('My note');
    expect(await dropArchives(holdfast, 'claude-code', 'japan')).toEqual({
      removed: [path.join(holdfast.config.archivePath, '2026-02-21-one-2.md')],
      kept: [],
    });
    expect(archives()).toEqual(['2026-02-21-one.md']);
  });

  it('7: is not written for a session in which nothing was said', async () => {
    expect(await archive()).toMatchObject({ outcome: 'none' });
    expect(existsSync(holdfast.config.archivePath)).toBe(false);
  });
});

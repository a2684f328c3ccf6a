// The memory files of the real program: killed at any moment, written by two processes at once, on a full or read-only disk.
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { because } from '../because.ts';
import { rounds } from '../rounds.ts';
import { ask, dice, expectNoTrace, holdfast, launch, type Place, place, temporaryFolder } from './holdfast.ts';
import { itOnSmallDisk, noMount, smallDisk } from './small-disk.ts';
import { writeSmallTranscripts } from './transcripts.ts';

const memoryOf = (own: Place): string => path.join(own.home, 'memory');

function filesOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

const pagesIn = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')).length
    : 0;

/** Runs a command and kills it after it has written this many pages, or after some time. */
async function killed(own: Place, args: string[], pages: number, afterMs: number): Promise<boolean> {
  const running = launch(own.env, args);
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  const from = Date.now();
  while (!over && (pages > 0 ? pagesIn(memoryOf(own)) < pages : Date.now() - from < afterMs)) await sleep(1);
  running.child.kill('SIGKILL');
  return (await running.ended).signal === 'SIGKILL';
}

it('34. repeated kills while pages are written leave whole files, and in the end what an undisturbed run leaves', async () => {
  const seed = Number(process.env.HOLDFAST_TEST_SEED ?? Date.now() % 1e9);
  const random = dice(seed);
  const folder = temporaryFolder();
  const transcripts = writeSmallTranscripts(path.join(folder, 'transcripts'));
  const whole = place({ folder: path.join(folder, 'whole'), ...transcripts });
  await holdfast(whole.env, 'ingest');
  const ingested = path.join(folder, 'ingested');
  cpSync(whole.home, ingested, { recursive: true });
  await holdfast(whole.env, 'process', '--all');
  const expected = filesOf(memoryOf(whole));
  const count = Object.keys(expected).length;
  expect(count).toBeGreaterThan(5);

  let kills = 0;
  const times = rounds(4, 24);
  for (let round = 0; round < times; round++) {
    const note = `seed ${seed}, round ${round}`;
    const own = place({ folder: path.join(folder, `round-${round}`), ...transcripts });
    // A quarter of the rounds starts with nothing distilled. The others start with all rows and no file.
    const first = round % 4 === 0;
    cpSync(first ? ingested : whole.home, own.home, { recursive: true });
    rmSync(memoryOf(own), { recursive: true, force: true });
    const args = first ? ['process', '--all'] : ['memory', 'list'];
    const wanted = 1 + (round % 2);
    for (let n = 0; n < wanted; n++) {
      if (await killed(own, args, random.next() < 0.8 ? 1 + random.below(count) : 0, random.below(1500))) kills++;
      for (const [name, text] of Object.entries(filesOf(memoryOf(own))))
        if (!name.endsWith('.tmp')) expect({ note, name, text }).toEqual({ note, name, text: expected[name] });
    }
    // Edits that a person makes to the files after the crash are kept.
    const [page] = Object.keys(filesOf(memoryOf(own))).filter(
      (name) => name.startsWith('episodes/') && name.endsWith('.md'),
    );
    if (page !== undefined && round % 3 === 0) appendFileSync(path.join(memoryOf(own), page), '\nMine.\n');
    await holdfast(own.env, ...args);
    await ask(own.env, 'memory', 'list');
    const files = { ...expected };
    if (page !== undefined && round % 3 === 0) files[page] = `${expected[page]}\nMine.\n`;
    expect({ note, ...filesOf(memoryOf(own)) }).toEqual({ note, ...files });
    rmSync(own.folder, { recursive: true, force: true });
  }
  console.log(`seed ${seed}: ${count} pages, ${kills} kills`);
  expect(kills).toBeGreaterThan(times / 2);
});

it('30. two processes that write at once leave what one leaves', async () => {
  const own = place();
  const texts = Array.from({ length: 12 }, (_, i) => `Statement number ${i}`);
  const done = await Promise.all(
    // Without `a` and `i`: a key ignores them, so `key a` and `key i` are the same.
    texts.map((text, i) => holdfast(own.env, 'remember', text, '--key', `key ${'bcdefghjklmn'[i]}`)),
  );
  expect(done.map(({ code, stderr }) => ({ code, stderr }))).toEqual(texts.map(() => ({ code: 0, stderr: '' })));
  const page = readFileSync(path.join(memoryOf(own), 'core/facts.md'), 'utf8');
  for (const text of texts) expect(page).toContain(text);
  expect(page.match(/^- /gm)).toHaveLength(texts.length);
  expect(Object.keys(filesOf(memoryOf(own)))).toEqual(['core/facts.md']);
});

itOnSmallDisk(
  because('a full or read-only disk is reported; nothing is lost, and the pages are written when possible', noMount),
  async () => {
    const folder = temporaryFolder();
    const disk = smallDisk(folder, 1);
    const own = place({ folder });
    const env = { ...own.env, HOLDFAST_MEMORY_PATH: path.join(disk.path, 'memory') };
    await ask(env, 'remember', 'One', '--key', 'first');
    const file = path.join(disk.path, 'memory/core/facts.md');
    const before = readFileSync(file, 'utf8');
    disk.fill();
    const full = await holdfast(env, 'remember', 'Two', '--key', 'second');
    expect(full.code).toBe(7);
    expect(full.stderr).toContain('No space left on the disk');
    expectNoTrace(full);
    expect(filesOf(path.join(disk.path, 'memory'))).toEqual({ 'core/facts.md': before });
    disk.grow();
    disk.protect(true);
    const closed = await holdfast(env, 'remember', 'Three', '--key', 'third');
    expect(closed.code).toBe(8);
    expect(closed.stderr).toContain('cannot be written');
    expect(closed.stderr).toContain('memoryPath');
    expectNoTrace(closed);
    disk.protect(false);
    await ask(env, 'memory', 'list');
    for (const text of ['One', 'Two', 'Three']) expect(readFileSync(file, 'utf8')).toContain(text);
  },
);

it('the file can be edited while commands run: all they wrote is there, the last edit, and nearly all before it', async () => {
  const own = place();
  await ask(own.env, 'remember', 'Zero', '--key', 'zero');
  const file = path.join(memoryOf(own), 'core/facts.md');
  const mine: string[] = [];
  let over = false;
  const commands = (async () => {
    for (let i = 0; i < 6; i++) await ask(own.env, 'remember', `Text ${i}`, '--key', `key ${'abcdef'[i]}`);
    over = true;
  })();
  const edit = () => {
    const line = `Mine ${mine.length}.`;
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace('# Facts\n', `# Facts\n\n${line}\n`));
    mine.push(line);
  };
  while (!over) {
    edit();
    await sleep(150);
  }
  await commands;
  edit();
  await ask(own.env, 'memory', 'list');
  const page = readFileSync(file, 'utf8');
  for (let i = 0; i < 6; i++) expect(page).toContain(`Text ${i}`);
  // These edits read, wait and write without checking, so one may undo a change made in between. Each command can cost one edit.
  expect(page).toContain(mine.at(-1));
  expect(mine.filter((line) => page.includes(line)).length).toBeGreaterThanOrEqual(mine.length - 6);
});

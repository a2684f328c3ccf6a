// Statements 4, 7 and 13 of the promise to transcripts: files that change, disappear, or stand in several trees.
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { copyPath, fillVault, olderCopies, rewriteCopy } from '../../src/capture/vault/vault.ts';
import { search } from '../../src/recall/search.ts';
import { answer, bytesOf, differences, later, prompt, prompts, toolUse, workbench } from './transcript-builder.ts';

const key = 'p/s1.jsonl';
const words = (lines: readonly Record<string, unknown>[]) =>
  lines.map((line) => (line.message as { content: string }).content);

describe('a changed file', () => {
  it('4. a cut file deletes nothing: the missing entries stay, marked, in their place and conversation', async () => {
    const bench = await workbench();
    const lines = [...prompts('a', 6), answer('b', [toolUse('t1', 'Bash')], 7), ...prompts('c', 6, 200)];
    bench.write(key, lines);
    await bench.ingest();
    const before = bench.rows();
    const texts = await bench.texts();
    bench.write(key, prompts('a', 6));
    await bench.ingest();
    expect(await bench.texts()).toEqual(texts);
    const gone = async () =>
      (await bench.store.entries.transcript('claude-code', 's1')).filter((entry) => entry.gone).map(({ id }) => id);
    expect(await gone()).toEqual(['b', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
    expect(await bench.store.entries.counts()).toMatchObject({ entries: 13, goneEntries: 7, toolUses: 1, sessions: 1 });
    expect((await bench.store.conversations.list({})).map((talk) => talk.entries).sort()).toEqual([1, 6, 6]);
    const { hits } = await search(bench, { query: 'c number 3', kind: 'entry', filter: {}, limit: 9 });
    expect(hits.find(({ id }) => id === 'c3')).toMatchObject({ gone: true });
    // What is written after the cut comes after it. The old entries stay.
    bench.append(key, prompt('new', 'new', 300));
    await bench.ingest();
    await bench.ingest({ reimport: true });
    expect(await bench.texts()).toEqual([...texts, 'new']);
    expect(await gone()).toHaveLength(7);
    expect(await bench.store.admin.integrity()).toEqual([]);
    // The original file brings everything back as it was.
    bench.write(key, lines);
    await bench.ingest();
    expect((await bench.store.entries.counts()).goneEntries).toBe(1);
    await bench.ingest({ reimport: true, prune: true });
    expect(differences(bench.rows(), before)).toEqual([]);
  });

  it('4. a re-import with --prune leaves exactly what the file holds', async () => {
    const bench = await workbench();
    const fresh = await workbench();
    bench.write(key, [...prompts('a', 6), answer('b', [toolUse('t1', 'Bash')], 7), ...prompts('c', 6, 200)]);
    await bench.ingest();
    for (const each of [bench, fresh]) each.write(key, prompts('a', 6));
    await bench.ingest();
    await bench.ingest({ reimport: true, prune: true });
    await fresh.ingest();
    expect(await bench.texts()).toEqual(words(prompts('a', 6)));
    expect(await bench.store.admin.integrity()).toEqual([]);
    expect(await bench.store.entries.counts()).toEqual(await fresh.store.entries.counts());
    expect((await bench.store.entries.counts()).toolUses).toBe(0);
  });

  it('4. an entry that another file holds too is not gone: it belongs to that file', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 3));
    bench.write('p/s2.jsonl', [
      ...prompts('a', 3, 0, 1, { sessionId: 's2' }),
      prompt('own', 'own', 9, { sessionId: 's2' }),
    ]);
    await bench.ingest();
    bench.write(key, prompts('a', 1));
    await bench.ingest();
    expect(await bench.store.entries.counts()).toMatchObject({ entries: 4, goneEntries: 0 });
    expect((await bench.store.entries.find('a2'))[0]?.session).toBe('s2');
  });

  it.each([
    ['longer', prompts('other', 9, 0, 1, { sessionId: 's9' })],
    ['shorter', prompts('other', 2, 0, 1, { sessionId: 's9' })],
    ['shorter than a line of the old', [prompt('o', 'x', 0, { sessionId: 's9' })]],
  ])('4. a file replaced by a %s one is imported, and the session that it held stays, marked', async (_, lines) => {
    const bench = await workbench();
    bench.write(key, prompts('a', 6));
    await bench.ingest();
    bench.write(key, lines);
    await bench.ingest();
    expect((await bench.store.sessions.list({})).map((session) => session.id).sort()).toEqual(['s1', 's9']);
    expect(await bench.texts('s9')).toEqual(words(lines));
    expect(await bench.texts('s1')).toEqual(words(prompts('a', 6)));
    expect(await bench.store.entries.counts()).toMatchObject({ files: 1, entries: lines.length + 6, goneEntries: 6 });
    expect(await bench.store.admin.integrity()).toEqual([]);
    await bench.ingest({ reimport: true, prune: true });
    expect((await bench.store.sessions.list({})).map((session) => session.id)).toEqual(['s9']);
  });

  it('4. a replacement is also noticed by the bytes before the offset, even after a pass that imported nothing', async () => {
    const bench = await workbench();
    const same = prompt('head', 'h'.repeat(2000));
    bench.write(key, [same, ...prompts('a', 20)]);
    await bench.ingest();
    bench.append(key, '{"a line that is not');
    await bench.ingest();
    bench.write(key, [same, ...prompts('b', 40)]);
    await bench.ingest();
    const held = (await bench.store.entries.transcript('claude-code', 's1')).filter((entry) => !entry.gone);
    expect(held.map(({ text }) => text)).toEqual(['h'.repeat(2000), ...words(prompts('b', 40))]);
  });

  it('4. a large file that ends in an unfinished line is still the same file when it grows', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 3));
    await bench.ingest();
    const half = `{"type":"user","uuid":"long","timestamp":"2026-03-02T10:00:00Z","message":{"content":"${'z'.repeat(3 << 20)}`;
    bench.append(key, ...prompts('b', 4, 5).map((line) => ({ ...line, pad: 'y'.repeat(1 << 20) })), half);
    await bench.ingest();
    const { offset } = (await bench.state(key)) ?? { offset: 0 };
    bench.append(key, '"}}\n');
    const report = await bench.ingest();
    expect(report.bytes).toBe(fs.statSync(path.join(bench.root, key)).size - offset);
    expect(report.entries.added).toBe(1);
  });

  it('4. a replacement that was unreadable at first is imported as soon as it is readable', async () => {
    const bench = await workbench();
    const file = bench.write(key, prompts('a', 6));
    await bench.ingest();
    const lines = prompts('b', 2);
    fs.rmSync(file);
    expect(await bench.take(key, bytesOf(lines).length)).toMatchObject({ failed: 1 });
    bench.write(key, lines);
    await bench.ingest();
    expect(await bench.texts()).toEqual(expect.arrayContaining(words(lines)));
    expect((await bench.state(key))?.status).toBe('ok');
  });

  it('4. a shorter copy under another root removes nothing, whichever comes first', async () => {
    for (const first of ['live', 'backup'] as const) {
      const bench = await workbench();
      const backup = path.join(bench.home, 'backup');
      bench.write(key, prompts('a', 9));
      bench.write(key, prompts('a', 4), backup);
      for (const turn of first === 'live' ? [{}, { dir: backup }] : [{ dir: backup }, {}]) await bench.ingest(turn);
      for (const turn of [{ dir: backup }, { dir: backup, reimport: true }, {}]) await bench.ingest(turn);
      expect(await bench.texts()).toEqual(words(prompts('a', 9)));
      expect(await bench.store.entries.counts()).toMatchObject({ files: 1, entries: 9 });
    }
  });

  it.each([9, 2])(
    '4. a file replaced by one of %i lines is imported, and what its backup holds stays',
    async (count) => {
      const bench = await workbench();
      const backup = path.join(bench.home, 'backup');
      bench.write(key, prompts('a', 6));
      bench.write(key, prompts('a', 6), backup);
      await bench.ingest();
      await bench.ingest({ dir: backup });
      const lines = prompts('new', count, 0, 1, { sessionId: 's9' });
      bench.write(key, lines);
      await bench.ingest();
      await bench.ingest();
      expect(await bench.texts('s9')).toEqual(words(lines));
      expect(await bench.texts('s1')).toEqual(words(prompts('a', 6)));
    },
  );

  it('4. a deleted transcript keeps its entries and conversations', async () => {
    const bench = await workbench();
    const file = bench.write(key, prompts('a', 6));
    await bench.ingest();
    const before = bench.rows();
    fs.rmSync(path.dirname(file), { recursive: true });
    await bench.ingest();
    await bench.ingest({ reimport: true });
    expect(bench.rows()).toEqual(before);
  });
});

describe('keys', () => {
  it('7. a backup tree and the live tree deduplicate, in both orders, and each may continue where the other ended', async () => {
    for (const backupFirst of [true, false]) {
      const bench = await workbench();
      const backup = path.join(bench.home, 'old', 'projects');
      bench.write(key, prompts('a', 4), backup);
      bench.write(key, prompts('a', 7));
      const turns = [{ dir: backup }, {}];
      for (const turn of backupFirst ? turns : turns.reverse()) await bench.ingest(turn);
      const state = await bench.state(key);
      expect([...(state?.copies.keys() ?? [])].sort()).toEqual([bench.root, backup].sort());
      expect(await bench.store.entries.counts()).toMatchObject({ files: 1, entries: 7, sessions: 1 });
      if (backupFirst) expect((await bench.ingest()).files).toMatchObject({ imported: 0, skipped: 1 });
    }
  });

  it("7. a single file's key is relative to the agent's root when it lies inside, else to its parent folder", async () => {
    const bench = await workbench();
    const outside = path.join(bench.home, 'downloads');
    await bench.ingest({ file: bench.write(key, prompts('a', 3)) });
    await bench.ingest({ file: bench.write('deep/er/s2.jsonl', prompts('b', 3, 0, 1, { sessionId: 's2' }), outside) });
    expect((await bench.store.transcripts.states()).map((file) => `${file.agent} ${file.key}`).sort()).toEqual([
      `claude-code ${key}`,
      'claude-code s2.jsonl',
    ]);
    expect((await bench.ingest()).files).toMatchObject({ seen: 1, imported: 0, skipped: 1 });
  });

  it('7. two different files with the same key under two roots are both kept, and both keep growing', async () => {
    const bench = await workbench();
    const [one, two] = [path.join(bench.home, 'one'), path.join(bench.home, 'two')];
    const [a, b] = [prompts('a', 3), prompts('b', 5, 0, 1, { sessionId: 's2' })];
    bench.write('x.jsonl', a, one);
    const second = bench.write('x.jsonl', b, two);
    for (const dir of [one, two, one, two]) await bench.ingest({ dir });
    fs.appendFileSync(second, bytesOf([prompt('more', 'more', 9, { sessionId: 's2' })]));
    for (const reimport of [false, true]) for (const dir of [one, two]) await bench.ingest({ dir, reimport });
    expect(await bench.texts('s1')).toEqual(words(a));
    expect(await bench.texts('s2')).toEqual([...words(b), 'more']);
    expect(await bench.store.entries.counts()).toMatchObject({ files: 2, entries: 9 });
  });
});

it('7. a short file is not taken for an old copy of a long one with the same key', async () => {
  const bench = await workbench();
  const [one, two] = [path.join(bench.home, 'one'), path.join(bench.home, 'two')];
  bench.write('x.jsonl', prompts('a', 30), one);
  bench.write('x.jsonl', [prompt('b', 'short', 0, { sessionId: 's2' })], two);
  for (const dir of [one, two]) await bench.ingest({ dir });
  expect(await bench.texts('s1')).toHaveLength(30);
  expect(await bench.texts('s2')).toEqual(['short']);
});

it('13. the source file is never written, moved or locked', async () => {
  const bench = await workbench();
  const file = bench.write(key, [...prompts('a', 6), 'malformed\n', '{"unfinished']);
  fs.chmodSync(file, 0o444);
  fs.chmodSync(path.dirname(file), 0o555);
  const look = () => {
    const { mtimeMs, mode, ino, size, nlink } = fs.statSync(file);
    return {
      mtimeMs,
      mode,
      ino,
      size,
      nlink,
      bytes: fs.readFileSync(file),
      beside: fs.readdirSync(path.dirname(file)),
    };
  };
  const before = look();
  await bench.ingest();
  await bench.ingest({ reimport: true });
  await bench.ingest({ file });
  expect(look()).toEqual(before);
  const locks = fs.existsSync('/proc/locks') ? fs.readFileSync('/proc/locks', 'utf8') : '';
  expect(locks).not.toContain(`:${before.ino} `);
  fs.chmodSync(path.dirname(file), 0o755);
});

describe('the vault', () => {
  it('4. keeps the longer copy of a cut transcript beside the new one, and forgetting reaches both', async () => {
    const bench = await workbench();
    const fill = () => fillVault({ ...bench.deps, clock: Date.now }, { quietMs: 0 });
    const linesIn = (file: string) => gunzipSync(fs.readFileSync(file)).toString('utf8').trim().split('\n');
    bench.write(key, prompts('a', 6));
    await bench.ingest();
    await fill();
    bench.write(key, prompts('a', 2));
    await bench.ingest();
    await fill();
    const copy = copyPath(bench.config, 'claude-code', key);
    const [older, ...others] = olderCopies(bench.config, 'claude-code', key);
    expect(others).toEqual([]);
    expect(linesIn(copy)).toHaveLength(2);
    expect(linesIn(older ?? '')).toHaveLength(6);
    const rules = { gapMs: 3_600_000, maxEntries: 500, maxChars: 200_000 };
    await bench.store.removal.forget({ kind: 'entry', agent: 'claude-code', id: 'a4' }, { rules, now: later });
    await rewriteCopy(bench.deps, { agent: 'claude-code', key });
    expect(linesIn(older ?? '').join('\n')).not.toContain('a number 4');
    expect(linesIn(older ?? '').join('\n')).toContain('a number 5');
    // A re-import of the same content makes no further copy.
    await bench.ingest({ reimport: true });
    await fill();
    expect(olderCopies(bench.config, 'claude-code', key)).toHaveLength(1);
    // Nor does it remove this one, unless the person says so.
    await bench.ingest({ reimport: true, prune: true });
    await fill();
    expect(olderCopies(bench.config, 'claude-code', key)).toEqual([]);
    expect(linesIn(copy)).toHaveLength(2);
  });
});

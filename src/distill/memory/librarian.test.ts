import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyMemory } from '../../../test/demo-memory.ts';
import { holding } from '../../../test/derived.ts';
import {
  apply,
  applyExtraction,
  change,
  conversation,
  deleteDerived,
  extraction,
  fact,
  filesOf,
  folderOf,
  read,
  write,
} from '../../../test/memory-stand.ts';
import { bringInLine } from './librarian.ts';

const monday = conversation('0250d3ae-0001', '2026-09-14T08:00:00.000Z');
const tuesday = conversation('0250d3ae-0002', '2026-09-15T08:00:00.000Z');
const friday = conversation('0250d3ae-0003', '2026-09-18T08:00:00.000Z');
const facts = 'core/facts.md';

describe('memory files', () => {
  it('tells of an episode without a telling title only on the page of its day', async () => {
    const memory = await emptyMemory();
    const titles = ['Ran `tide status`', 'Read ci.yml', 'Changed auth.go', 'Feedback I got', 'Webhooks lost'];
    await apply(memory, monday, {
      episodes: titles.map((title, i) => ({ at: `2026-09-14T08:1${i}:00.000Z`, title, text: 'It went well.' })),
    });
    const files = filesOf(folderOf(memory));
    expect(files['projects/courier/overview.md']).toContain('## Activity\n\n- 2026-09-14 Webhooks lost\n');
    expect(files['projects/courier/overview.md']?.match(/^- /gm)).toHaveLength(1);
    for (const title of titles) expect(files['episodes/2026-09/2026-09-14.md']).toContain(title);
  });

  it('29. an invalid extraction is rejected and changes nothing', async () => {
    const memory = await emptyMemory();
    const bad = { ...extraction(), facts: [{ key: '', text: 'x', about: 'world' as const }] };
    await expect(applyExtraction(memory.context, monday, bad, 'offline')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(filesOf(folderOf(memory))).toEqual({});
    expect(await memory.store.memory.extractions()).toEqual([]);
  });

  it('30. every category has its own file, with YAML frontmatter', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, {
      episodes: [{ at: '2026-09-14T08:16:00.000Z', title: 'Webhooks lost', text: 'The queue was in memory.' }],
      projects: [{ name: 'courier', statements: [{ key: 'queue', text: 'Postgres' }] }],
      people: [{ name: 'Ana María', statements: [{ key: 'role', text: 'reviews migrations' }] }],
      milestones: [{ at: '2026-09-14T08:50:00.000Z', title: 'Queue: moved!', text: 'Released as 1.4.' }],
      insights: [{ at: '2026-09-14T08:50:00.000Z', title: 'SKIP LOCKED', text: 'One row for each worker.' }],
      facts: [
        { key: 'package manager', text: 'pnpm', about: 'world' },
        { key: 'tabs', text: 'never', about: 'user' },
        { key: 'release', text: 'tag, then wait for CI', about: 'procedure' },
      ],
      questions: [{ text: 'Who runs the nightly job?' }],
    });
    const files = filesOf(folderOf(memory));
    expect(Object.keys(files)).toEqual([
      'core/facts.md',
      'core/preferences.md',
      'core/procedures.md',
      'episodes/2026-09/2026-09-14.md',
      'insights/2026-09-14-skip-locked.md',
      'milestones/2026-09/2026-09-14-queue-moved.md',
      'projects/courier/overview.md',
      'questions.md',
      'relationships/ana-maría/overview.md',
    ]);
    for (const [name, text] of Object.entries(files)) {
      const [, front] = /^---\n([\s\S]*?)\n---\n\n# .+\n/.exec(text) ?? [];
      expect(parse(front ?? ''), name).toMatchObject({ title: expect.any(String), type: expect.any(String) });
      expect(fs.statSync(path.join(folderOf(memory), name)).mode & 0o777, name).toBe(0o600);
    }
    expect(files['episodes/2026-09/2026-09-14.md']).toContain(
      '## 08:16 Webhooks lost\n\nThe queue was in memory.\n\n_courier · session 0250d3ae_\n',
    );
    expect(files['projects/courier/overview.md']).toContain(
      '- **queue:** Postgres\n\n## Activity\n\n- 2026-09-14 Webhooks lost\n',
    );
  });

  it('30. days follow the time zone of the person, on both sides of midnight, and move when it changes', async () => {
    const memory = await emptyMemory({ HOLDFAST_TIME_ZONE: 'Pacific/Auckland' });
    const late = conversation('s', '2026-09-14T11:30:00.000Z');
    const said = (at: string) => ({ at, title: at, text: at });
    await apply(memory, late, { episodes: [said('2026-09-14T11:45:00.000Z'), said('2026-09-14T12:15:00.000Z')] });
    expect(Object.keys(filesOf(folderOf(memory)))).toEqual([
      'episodes/2026-09/2026-09-14.md',
      'episodes/2026-09/2026-09-15.md',
      'projects/courier/overview.md',
    ]);
    const moved = {
      ...memory.context,
      config: { ...memory.config, settings: { ...memory.config.settings, timeZone: 'UTC' } },
    };
    await bringInLine(moved);
    expect(Object.keys(filesOf(folderOf(memory)))).toEqual([
      'episodes/2026-09/2026-09-14.md',
      'projects/courier/overview.md',
    ]);
  });

  it('30. a model cannot date an episode outside its conversation', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, { episodes: [{ at: '1970-01-01T00:00:00.000Z', title: 'Then', text: 'x' }] });
    expect(Object.keys(filesOf(folderOf(memory)))).toContain('episodes/2026-09/2026-09-14.md');
  });

  it('30. no name leads outside the folder, and no two names share a page', async () => {
    const memory = await emptyMemory();
    const names = [
      ...[
        '../../x',
        '..',
        '.',
        '/etc/passwd',
        'C:\\x',
        'CON',
        'nul.txt',
        '🐙',
        '🐙🐙',
        'a'.repeat(120),
        `${'a'.repeat(119)}b`,
      ],
      ...['C', 'C++', 'C#', '海の底', 'x\u0000y', 'x\u202Ey', ' ', 'a/b', 'a\\b', '.hidden', 'é'.repeat(100), 'x.md'],
    ];
    const people = names.map((name, i) => ({ name, statements: [{ key: 'number', text: `person ${i}` }] }));
    await apply(memory, monday, { people });
    const files = filesOf(folderOf(memory));
    expect(Object.keys(files)).toHaveLength(names.length);
    for (const [name, text] of Object.entries(files)) {
      expect(name).toMatch(/^relationships\/[^/\\.][^/\\]*\/overview\.md$/);
      expect(Buffer.byteLength(name.split('/')[1] as string)).toBeLessThan(100);
      expect(text).toMatch(/person \d+\n$/);
    }
    expect(fs.readdirSync(memory.home).sort()).toEqual(['memory']);
  });

  it('30. different spellings of a name share one page', async () => {
    const memory = await emptyMemory();
    const named = (name: string, text: string) => ({ projects: [{ name, statements: [{ key: 'port', text }] }] });
    await apply(memory, { ...monday, project: '' }, named('Foo Bar', '1'));
    await apply(memory, { ...tuesday, project: '' }, named('foo-bar', '2'));
    expect(Object.keys(filesOf(folderOf(memory)))).toEqual(['projects/foo-bar/overview.md']);
  });

  it('30. headings, fields and fences in a text cannot pass for those of the page', async () => {
    const memory = await emptyMemory();
    const text = '---\ntitle: stolen\n---\n# Stolen\n\n```sh\n# a comment\n```\n\n```\nnever closed\n\n- item';
    const said = { at: '2026-09-14T08:16:00.000Z', title: 'A\n# title\u0007', text };
    await apply(memory, monday, { episodes: [said, { ...said, title: 'After', text: 'Last.' }] });
    const page = read(memory, 'episodes/2026-09/2026-09-14.md');
    expect(page.match(/^#+ .*/gm)).toEqual([
      '# Monday, 14 September 2026',
      '## 08:16 A # title',
      '# a comment',
      '## 08:16 After',
    ]);
    expect(page.match(/^```/gm)).toHaveLength(2);
    expect(parse(page.split('---')[1] as string).title).toBe('2026-09-14');
  });

  it('31. episodes are in chronological order, whatever the order of processing', async () => {
    const memory = await emptyMemory();
    const said = (at: string) => ({ episodes: [{ at: `2026-09-14T${at}:00.000Z`, title: at, text: at }] });
    await apply(memory, conversation('b', '2026-09-14T12:00:00.000Z'), said('12:30'));
    await apply(memory, conversation('a', '2026-09-14T08:00:00.000Z'), said('08:30'));
    expect(read(memory, 'episodes/2026-09/2026-09-14.md').match(/^## .*/gm)).toEqual([
      '## 08:30 08:30',
      '## 12:30 12:30',
    ]);
  });

  it('31. a milestone is never overwritten: another with the same name goes below it', async () => {
    const memory = await emptyMemory();
    const released = (text: string) => ({ milestones: [{ at: '2026-09-14T08:16:00.000Z', title: 'Released', text }] });
    await apply(memory, monday, released('Version 1.'));
    await apply(memory, conversation('x', '2026-09-14T08:10:00.000Z'), released('Version 2.'));
    await apply(memory, conversation('y', '2026-09-14T08:12:00.000Z'), released('version 1'));
    const page = read(memory, 'milestones/2026-09/2026-09-14-released.md');
    expect(page.match(/Version \d/g)).toEqual(['Version 1', 'Version 2']);
  });

  it('32. the page shows only the last version of a fact that changes three times', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('package manager', 'npm'));
    await apply(memory, friday, fact('The package managers used', 'bun', 'it starts faster'));
    await apply(memory, tuesday, fact('Package manager', 'pnpm', 'npm was slow'));
    expect(read(memory, facts)).toBe(
      `---
title: Facts
type: core
updated: 2026-09-18
---

# Facts

- **The package managers used:** bun
`,
    );
    // Search no longer finds the replaced versions.
    const hits = await holding(memory.store, 'memory', 'package manager');
    expect(hits.map(({ text }) => text)).toEqual(['The package managers used: bun']);
  });

  it('32. repeating a fact replaces nothing', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('package manager', 'pnpm'));
    await apply(memory, tuesday, fact('package manager', 'Pnpm.'));
    expect(read(memory, facts)).not.toContain('Revisions');
  });

  it('34. everything derived can be deleted and is rebuilt byte for byte, including what people wrote', async () => {
    const memory = await emptyMemory();
    const said = {
      ...fact('port', '1'),
      projects: [{ name: 'courier', statements: [{ key: 'queue', text: 'Postgres' }] }],
    };
    const episodes = [{ at: '2026-09-14T08:16:00.000Z', title: 'One', text: 'First.' }];
    const again = async () => {
      await apply(memory, monday, { ...said, episodes });
      await apply(memory, tuesday, fact('port', '2'));
    };
    await again();
    change(memory, 'projects/courier/overview.md', 'Postgres', 'Postgres 17');
    change(memory, facts, '# Facts\n', '# Facts\n\nMine.\n');
    await bringInLine(memory.context);
    const before = filesOf(folderOf(memory));
    await deleteDerived(memory.context);
    const left = filesOf(folderOf(memory));
    expect(left[facts]).toBe('Mine.\n');
    expect(Object.keys(left)).toEqual([facts]);
    await again();
    expect(filesOf(folderOf(memory))).toEqual(before);
    // If only the folder is lost, the files come back with what people wrote in them.
    fs.rmSync(folderOf(memory), { recursive: true });
    await bringInLine(memory.context);
    expect(filesOf(folderOf(memory))).toEqual(before);
  });

  it('are not written again when nothing has changed', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('port', '1'));
    const before = fs.statSync(path.join(folderOf(memory), facts), { bigint: true });
    expect(await apply(memory, monday, fact('port', '1'))).toEqual({ pages: [] });
    expect(await bringInLine(memory.context)).toEqual({ pages: [] });
    expect(fs.statSync(path.join(folderOf(memory), facts), { bigint: true }).ino).toBe(before.ino);
  });
});

describe("33. a person's edit", () => {
  it('of a fact stays when later conversations contradict it; questions.md asks the person', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('package manager', 'npm'));
    change(memory, facts, 'npm', 'bun, always');
    await apply(memory, tuesday, fact('package manager', 'yarn'));
    expect(read(memory, facts)).toContain('- **package manager:** bun, always\n');
    const later = conversation('later', '2099-01-01T00:00:00.000Z');
    await apply(memory, later, { ...fact('package manager', 'deno'), questions: [{ text: 'Why?' }] });
    expect(read(memory, facts)).toContain('- **package manager:** bun, always\n');
    expect(read(memory, 'questions.md')).toContain(
      '- [ ] 2099-01-01: a conversation said “package manager: deno”, but core/facts.md keeps what a person wrote. Is that still right?\n',
    );
    change(memory, 'questions.md', /^- .*deno.*\n/m, '');
    await bringInLine(memory.context);
    await apply(memory, friday, fact('port', '1'));
    expect(read(memory, 'questions.md')).not.toContain('deno');
  });

  it('that removes a line keeps it away, and one that adds a line keeps it in its place', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, { facts: ['b', 'd'].flatMap((key) => fact(key, `${key}!`).facts ?? []) });
    change(memory, facts, '- **b:** b!\n', '- my own line\n\nMy paragraph.\n\n');
    await apply(memory, tuesday, { facts: ['a', 'b', 'c', 'e'].flatMap((key) => fact(key, `${key}?`).facts ?? []) });
    expect(read(memory, facts)).toMatch(
      /# Facts\n\n- my own line\n\nMy paragraph\.\n\n- \*\*a:\*\* a\?\n- \*\*c:\*\* c\?\n- \*\*d:\*\* d!\n- \*\*e:\*\* e\?\n/,
    );
    const [found] = await holding(memory.store, 'memory', 'my own line');
    expect(await memory.store.memory.find(found?.id ?? '')).toMatchObject([
      { text: 'my own line', source: 'person', kind: 'evergreen', page: facts },
    ]);
  });

  it('of headings and frontmatter is kept, and new fields stay', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('a', '1'));
    change(memory, facts, 'type: core\n', 'tags: [x, y]\n');
    change(memory, facts, '# Facts', '# What we know');
    await apply(memory, tuesday, fact('b', '2'));
    expect(read(memory, facts)).toMatch(
      /^---\ntitle: Facts\ntags: \[x, y\]\nupdated: 2026-09-15\n---\n\n# What we know\n/,
    );
  });

  it('that the person undoes gives the line back to the librarian', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('a', '1'));
    change(memory, facts, 'a:** 1', 'a:** one');
    await bringInLine(memory.context);
    change(memory, facts, 'a:** one', 'a:** 1');
    await bringInLine(memory.context);
    await apply(memory, tuesday, fact('a', '2'));
    expect(read(memory, facts)).toContain('- **a:** 2\n');
    change(memory, facts, '- **a:** 2\n', '');
    await bringInLine(memory.context);
    change(memory, facts, '# Facts\n', '# Facts\n\n- **a:** 2\n');
    await apply(memory, friday, fact('a', '3'));
    expect(read(memory, facts)).toContain('- **a:** 3\n');
  });

  it('of blank lines, line ends or a byte order mark does not cause a write', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('a', '1'));
    const own = `\uFEFF${read(memory, facts).replaceAll('\n', '\r\n')}\r\n\r\n`;
    write(memory, facts, own);
    expect(await bringInLine(memory.context)).toEqual({ pages: [] });
    expect(read(memory, facts)).toBe(own);
    await apply(memory, tuesday, fact('b', '2'));
    expect(read(memory, facts)).toContain('- **a:** 1\r\n- **b:** 2\r\n');
  });

  it('that deletes or empties a whole file does not forget the page: it comes back', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('a', '1'));
    const before = read(memory, facts);
    fs.rmSync(path.join(folderOf(memory), facts));
    await bringInLine(memory.context);
    expect(read(memory, facts)).toBe(before);
    write(memory, facts, '\n');
    await bringInLine(memory.context);
    expect(read(memory, facts)).toBe(before);
  });

  it('of their own file is searchable after every change, and the file is never touched', async () => {
    const memory = await emptyMemory();
    write(memory, 'notes/2026-03-01 walk.md', '# Walk\n\nWe saw an otter.\n\n- and a heron\n');
    write(memory, 'deploy.md', '---\nproject: courier\n---\n\n# Deploy\n\nBlue, then green.\n');
    write(memory, '.obsidian/x.md', 'otter');
    write(memory, 'picture.png', 'otter');
    await bringInLine(memory.context);
    const find = async (query: string) =>
      (await Promise.all((await holding(memory.store, 'memory', query)).map(({ id }) => memory.store.memory.find(id))))
        .flat()
        .map(({ text, kind, at, project, title }) => ({ text, kind, at, project, title }));
    expect(await find('otter')).toEqual([
      { text: 'We saw an otter.', kind: 'dated', at: '2026-03-01T12:00:00.000Z', project: '', title: 'Walk' },
    ]);
    expect(await find('green')).toMatchObject([{ text: 'Blue, then green.', kind: 'evergreen', project: 'courier' }]);
    write(memory, 'notes/2026-03-01 walk.md', '# Walk\n\nWe saw a beaver.\n');
    fs.rmSync(path.join(folderOf(memory), 'deploy.md'));
    const before = filesOf(folderOf(memory));
    await bringInLine(memory.context);
    expect(filesOf(folderOf(memory))).toEqual(before);
    expect([await find('otter'), await find('green'), (await find('beaver')).length]).toEqual([[], [], 1]);
  });

  it('of a file that existed before the page is kept together with the page', async () => {
    const memory = await emptyMemory();
    write(memory, facts, '# Facts of mine\n\n- **port:** 9\n- The sky is blue.\n');
    await bringInLine(memory.context);
    await apply(memory, monday, { facts: [...(fact('port', '1').facts ?? []), ...(fact('host', 'h').facts ?? [])] });
    const page = read(memory, facts);
    for (const line of ['- **port:** 9\n', '- The sky is blue.\n', '- **host:** h\n', '# Facts of mine\n'])
      expect(page).toContain(line);
    expect(page).not.toContain('port:** 1');
  });

  it('of a file that is not UTF-8 is left alone; the other pages are written', async () => {
    const memory = await emptyMemory();
    const said: string[] = [];
    fs.mkdirSync(path.join(folderOf(memory), 'core'), { recursive: true });
    const bytes = Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]);
    fs.writeFileSync(path.join(folderOf(memory), facts), bytes);
    const deps = { ...memory.context, log: (line: string) => said.push(line) };
    await applyExtraction(deps, monday, extraction({ ...fact('a', '1'), questions: [{ text: 'b?' }] }), 'offline');
    expect(fs.readFileSync(path.join(folderOf(memory), facts))).toEqual(bytes);
    expect(read(memory, 'questions.md')).toContain('b?');
    expect(said.join()).toContain('not UTF-8');
    fs.rmSync(path.join(folderOf(memory), facts));
    await bringInLine(memory.context);
    expect(read(memory, facts)).toContain('**a:** 1');
  });

  it('between our read and our write is never lost', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('a', '1'));
    const { store } = memory;
    let edited = false;
    const hurried = {
      ...store,
      pages: {
        ...store.pages,
        async settle(...args: Parameters<typeof store.pages.settle>) {
          if (!edited && args[0] === facts) change(memory, facts, '# Facts\n', '# Facts\n\nIn the last moment.\n');
          edited = true;
          return store.pages.settle(...args);
        },
      },
    };
    await applyExtraction({ ...memory.context, store: hurried }, tuesday, extraction(fact('b', '2')), 'offline');
    expect(read(memory, facts)).toMatch(/In the last moment\.\n\n- \*\*a:\*\* 1\n- \*\*b:\*\* 2\n$/);
  });
});

it('half-written files of a killed process are removed, and no other file is', async () => {
  const memory = await emptyMemory();
  await apply(memory, monday, fact('a', '1'));
  const [dead] = [spawnSync('true').pid];
  for (const name of [`facts.md.${dead}.tmp`, `facts.md.${process.ppid}.tmp`, 'facts.md.tmp'])
    write(memory, `core/${name}`, 'half');
  await bringInLine(memory.context);
  expect(Object.keys(filesOf(folderOf(memory)))).toEqual([
    facts,
    `core/facts.md.${process.ppid}.tmp`,
    'core/facts.md.tmp',
  ]);
});

describe('a folder that cannot be written', () => {
  it.skipIf(process.getuid?.() === 0)(
    'causes an error, but the rows are kept and the page is written later',
    async () => {
      const memory = await emptyMemory();
      fs.mkdirSync(folderOf(memory), { recursive: true });
      fs.chmodSync(folderOf(memory), 0o500);
      await expect(apply(memory, monday, fact('a', '1'))).rejects.toMatchObject({ code: 'NO_PERMISSION' });
      fs.chmodSync(folderOf(memory), 0o700);
      await bringInLine(memory.context);
      expect(read(memory, facts)).toContain('**a:** 1');
    },
  );

  it('because a file is in the way causes an error, and the row waits', async () => {
    const memory = await emptyMemory();
    fs.writeFileSync(folderOf(memory), 'a file');
    await expect(apply(memory, monday, fact('a', '1'))).rejects.toMatchObject({
      code: expect.stringMatching(/CONFLICT|UNREADABLE/),
    });
    fs.rmSync(folderOf(memory));
    await bringInLine(memory.context);
    expect(read(memory, facts)).toContain('**a:** 1');
  });
});

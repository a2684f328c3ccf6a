import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { renderChanges } from '../../surfaces/cli/render/session-parts.ts';
import { styles } from '../../surfaces/cli/style.ts';
import { sessionsChanges, sessionsFind, sessionsOutline } from './session-parts.ts';
import { sessions } from './sessions.ts';
import { show } from './show.ts';
import { timeline } from './timeline.ts';

async function harbour() {
  const memory = await emptyMemory();
  await tell(memory, 'lamp-1', '/srv/lamp', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: 'Mend the lamp' },
    {
      by: 'assistant',
      text: 'The Wick was wet.',
      uses: [
        { name: 'Bash', input: { command: 'make light\nmake "oil"' }, failed: 'no oil left' },
        { name: 'Edit', input: { file_path: '/srv/lamp/wick.ts', old_string: 'wet', new_string: 'dry' } },
        {
          name: 'Edit',
          input: { file_path: '/srv/lamp/oil.ts', old_string: 'a', new_string: 'b' },
          failed: 'no such text',
        },
      ],
    },
    { by: 'user', text: 'Then the **wick**' },
    { by: 'assistant', uses: [{ name: 'Write', input: { file_path: '/srv/lamp/oil.ts', content: 'full\n' } }] },
  ]);
  return memory.context;
}

it('the outline of a session is its prompts, with their positions', async () => {
  const context = await harbour();
  const { prompts } = await sessionsOutline.run(context, { id: 'lamp', limit: 9 });
  expect(prompts.map(({ place, text }) => [place, text])).toEqual([
    [0, 'Mend the lamp'],
    [2, 'Then the wick'],
  ]);
  expect((await sessionsOutline.run(context, { id: 'lamp', limit: 1 })).prompts).toEqual(prompts.slice(0, 1));
  const { entries } = await show.run(context, { id: 'lamp-1', subagents: false });
  for (const { id, place } of prompts) expect(entries[place]?.id).toBe(id);
});

it('a line of the timeline tells whether its entry ran a command, edited a file, or spoke', async () => {
  const memory = await emptyMemory();
  await tell(memory, 'lamp-3', '/srv/lamp', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: '/mend' },
    { by: 'assistant', uses: [{ name: 'Bash', input: { command: 'make light' } }] },
    { by: 'assistant', uses: [edit('/srv/lamp/oil.ts')] },
    { by: 'assistant', uses: [{ name: 'Grep', input: { pattern: 'wick' } }] },
    { by: 'assistant', text: 'It burns', uses: [{ name: 'Bash', input: { command: 'make dark' } }] },
  ]);
  const { items } = await timeline.run(memory.context, { limit: 9 });
  expect(items.map(({ did, text }) => [did, text])).toEqual([
    [undefined, '/mend'],
    ['command', 'Bash make light'],
    ['edit', 'Edit /srv/lamp/oil.ts'],
    ['other', 'Grep wick'],
    [undefined, 'It burns'],
  ]);
});

it('an outline has every prompt of a long session, and gives those around a position', async () => {
  const memory = await emptyMemory();
  const said = Array.from({ length: 2300 }, (_, i) => [
    { by: 'user', text: `Light lamp ${i}` } as const,
    { by: 'assistant', text: 'It burns.' } as const,
  ]).flat();
  await tell(memory, 'long-1', '/srv/lamp', '2026-11-02T09:00:00.000Z', said);
  const outline = async (range: { after?: number; before?: number; limit?: number }) => {
    const { prompts, more } = await sessionsOutline.run(memory.context, { id: 'long-1', ...range });
    return { places: prompts.map(({ place }) => place), more };
  };
  const all = await outline({});
  expect(all.places).toEqual(Array.from({ length: 2300 }, (_, i) => 2 * i));
  expect(all.more).toBe(false);
  expect(await outline({ after: 4000, limit: 2 })).toEqual({ places: [4002, 4004], more: true });
  expect(await outline({ before: 4000, limit: 2 })).toEqual({ places: [3996, 3998], more: true });
  expect(await outline({ before: 4, limit: 5 })).toEqual({ places: [0, 2], more: false });
  expect((await outline({ before: 4599 })).places).toHaveLength(2300);
  expect(await outline({ after: 4596, before: 9999 })).toEqual({ places: [4598], more: false });
  expect(await outline({ after: 4598 })).toEqual({ places: [], more: false });
});

it('words are found in what was said, in commands and in outputs, whatever their case', async () => {
  const context = await harbour();
  const places = async (query: string) =>
    (await sessionsFind.run(context, { id: 'lamp', query, subagents: false })).matches.map(({ place }) => place);
  expect(await places('wick')).toEqual([1, 2]);
  expect(await places('make "oil"')).toEqual([1]);
  expect(await places('NO OIL LEFT')).toEqual([1]);
  expect(await places('full')).toEqual([3]);
  expect(await places('gull')).toEqual([]);
  await expect(sessionsFind.run(context, { id: 'lamp-1-e0', query: 'x', subagents: false })).rejects.toThrow(
    'an entry',
  );
});

it('marks where the text around a match is cut', async () => {
  const memory = await emptyMemory();
  const wave = 'The tide comes and goes. '.repeat(8);
  await tell(memory, 'tide-1', '/srv/tide', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: `A lamp burns. ${wave}` },
    { by: 'assistant', text: `${wave}A lamp burns.` },
    { by: 'user', text: 'A lamp burns.' },
  ]);
  const { matches } = await sessionsFind.run(memory.context, { id: 'tide', query: 'lamp', subagents: false });
  expect(matches.map(({ text }) => [text.startsWith('…'), text.endsWith('…')])).toEqual([
    [false, true],
    [true, false],
    [false, false],
  ]);
});

it('finds words with signs, capitals outside ASCII, and quotes that a command writes in two ways', async () => {
  const memory = await emptyMemory();
  await tell(memory, 'odd-1', '/srv/odd', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: 'ÄRGER in 100%_of cases, 灯塔 and C:\\new' },
    { by: 'assistant', uses: [{ name: 'Bash', input: { command: 'say "a"\nsay b' } }] },
  ]);
  const places = async (query: string) =>
    (await sessionsFind.run(memory.context, { id: 'odd', query, subagents: false })).matches.map(({ place }) => place);
  for (const query of ['ärger', 'ärger IN', '100%_OF', '灯塔', 'c:\\new', '%', '_'])
    expect(await places(query)).toEqual([0]);
  for (const query of ['say "a"\nsay', '"command":"say "a', '"', 'SAY b']) expect(await places(query)).toEqual([1]);
  for (const query of ['100_%', '灯灯', 'ö']) expect(await places(query)).toEqual([]);
});

it('sessions are listed by a file that their tools used, before the limit counts', async () => {
  const memory = await emptyMemory();
  const edit = (file_path: string) => ({ name: 'Edit', input: { file_path, old_string: 'a', new_string: 'b' } });
  const said = (file: string) => [
    { by: 'user', text: `Mend ${file}` } as const,
    { by: 'assistant', uses: [edit(file)] } as const,
  ];
  await tell(memory, 'wick-1', '/srv/lamp', '2026-11-02T09:00:00.000Z', said('/srv/lamp/src/wick.ts'));
  await tell(memory, 'oil-1', '/srv/lamp', '2026-11-03T09:00:00.000Z', said('/srv/lamp/src/oil.ts'));
  const listed = async (file: string) =>
    (await sessions.run(memory.context, { file, limit: 1 })).sessions.map(({ id }) => id);
  expect(await listed('wick.ts')).toEqual(['wick-1']);
  expect(await listed('src/oil.ts')).toEqual(['oil-1']);
  expect(await listed('/srv/lamp/src/wick.ts')).toEqual(['wick-1']);
  expect(await listed('ick.ts')).toEqual([]);
  await expect(sessions.run(memory.context, { file: 'src/' })).rejects.toThrow('names no file');
});

it('changes are edits by file, without those that failed', async () => {
  const context = await harbour();
  const changes = await sessionsChanges.run(context, { id: 'lamp', from: 0, limit: 1000 });
  expect(changes.files.map(({ file, uses }) => [file, uses.length])).toEqual([
    ['/srv/lamp/wick.ts', 1],
    ['/srv/lamp/oil.ts', 1],
  ]);
  const view = { style: styles(false), width: 80, now: 0, timeZone: 'UTC' };
  const text = renderChanges(sessionsChanges.output.parse(changes), view);
  expect(text).toContain('wick.ts\n  ✓ Edit wick.ts  +1 −1\n    - wet\n    + dry');
  const one = await sessionsChanges.run(context, { id: 'lamp', file: 'oil.ts', from: 0, limit: 1000 });
  expect(one.files).toHaveLength(1);
  const first = await sessionsChanges.run(context, { id: 'lamp', from: 0, limit: 1 });
  expect(first.files.map(({ edits, uses }) => [edits, uses.length])).toEqual([
    [1, 1],
    [1, 0],
  ]);
  expect(first.left).toBe(1);
  const rest = await sessionsChanges.run(context, { id: 'lamp', from: 1, limit: 1 });
  expect(rest.files.map(({ edits, uses }) => [edits, uses.length])).toEqual([
    [1, 0],
    [1, 1],
  ]);
  expect(rest.left).toBe(0);
});

const edit = (file_path: string) => ({ name: 'Edit', input: { file_path, old_string: 'a', new_string: 'b' } });
const read = (file_path: string) => ({ name: 'Read', input: { file_path } });

it('the files of a session are counted over all of its tool uses', async () => {
  const memory = await emptyMemory();
  const uses = [...Array.from({ length: 2100 }, () => edit('/srv/lamp/oil.ts')), read('/srv/lamp/oil.ts')];
  await tell(memory, 'lamp-2', '/srv/lamp', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: 'Mend it' },
    { by: 'assistant', uses: [read('/srv/lamp/wick.ts'), { ...edit('/srv/lamp/wick.ts'), failed: 'no' }] },
    { by: 'assistant', uses },
  ]);
  const { files } = await show.run(memory.context, { id: 'lamp-2', subagents: false, files: true, limit: 1 });
  expect(files).toEqual([
    { file: 'oil.ts', modified: 2100, read: 1 },
    { file: 'wick.ts', modified: 0, read: 1 },
  ]);
});

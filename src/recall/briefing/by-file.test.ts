import { expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { projectsLink } from '../../operations/recall/projects.ts';
import { search } from '../../operations/recall/search.ts';

async function memoryWithTouches(): Promise<Memory> {
  const memory = await emptyMemory();
  const edit = (file_path: string, failed?: string) => ({
    name: 'Edit',
    input: { file_path, old_string: 'a', new_string: 'b' },
    ...(failed ? { failed } : {}),
  });
  const read = (file_path: string) => ({ name: 'Read', input: { file_path } });
  await tell(memory, 'one', '/home/dev/app', '2026-10-01T10:00:00Z', [
    { by: 'user', text: 'Tokens expire too early, mend that' },
    { by: 'assistant', text: 'I look at the signing code.', uses: [read('/home/dev/app/src/auth/jwt.ts')] },
    { by: 'assistant', uses: [edit('/home/dev/app/src/auth/jwt.ts', 'String not found')] },
    { by: 'assistant', uses: [edit('/home/dev/app/src/auth/jwt.ts')] },
    { by: 'assistant', text: 'The clock skew was added twice; expiry is right now.' },
    { by: 'user', text: 'Add a test for leeway' },
    { by: 'assistant', uses: [read('/home/dev/app/src/auth/jwt.ts'), read('/home/dev/app/test/auth/jwt.ts')] },
  ]);
  await tell(memory, 'two', '/home/dev/other', '2026-10-02T10:00:00Z', [
    { by: 'user', text: 'Copy the helper over' },
    { by: 'assistant', uses: [{ name: 'Write', input: { file_path: '/home/dev/other/lib/myjwt.ts', content: '' } }] },
    { by: 'assistant', uses: [{ name: 'Write', input: { file_path: 'src/auth/jwt.ts', content: '' } }] },
  ]);
  return memory;
}

const byFile = async (memory: Memory, file: string, more: Record<string, unknown> = {}) =>
  (await search.run(memory.context, search.input.parse({ file, ...more }))).hits;
const ids = async (...given: Parameters<typeof byFile>) => (await byFile(...given)).map(({ id }) => id);

it('tells who touched a file, when and why: a hit for each turn, newest first', async () => {
  const memory = await memoryWithTouches();
  expect(await byFile(memory, 'src/auth/jwt.ts')).toMatchObject([
    {
      session: 'two',
      touched: {
        files: ['src/auth/jwt.ts'],
        tools: [{ tool: 'Write', times: 1, failed: 0 }],
        asked: 'Copy the helper over',
      },
    },
    {
      session: 'one',
      id: 'one-e6',
      touched: { tools: [{ tool: 'Read', times: 1, failed: 0 }], asked: 'Add a test for leeway' },
    },
    {
      id: 'one-e3',
      project: 'app',
      at: '2026-10-01T10:03:00.000Z',
      snippet: 'I look at the signing code.',
      touched: {
        files: ['/home/dev/app/src/auth/jwt.ts'],
        tools: [
          { tool: 'Edit', times: 2, failed: 1 },
          { tool: 'Read', times: 1, failed: 0 },
        ],
        prompt: 'one-e0',
        asked: 'Tokens expire too early, mend that',
      },
    },
  ]);
});

it('takes a full path, one relative to the project, or the end of one, at a folder boundary', async () => {
  const memory = await memoryWithTouches();
  const app = ['one-e6', 'one-e3'];
  expect(await ids(memory, '/home/dev/app/src/auth/jwt.ts')).toEqual(app);
  expect(await ids(memory, '/home/dev/other/src/auth/jwt.ts')).toEqual(['two-e2']);
  expect(await ids(memory, 'app/src/auth/jwt.ts')).toEqual(app);
  expect(await ids(memory, './src/auth/jwt.ts')).toEqual(['two-e2', ...app]);
  expect(await ids(memory, 'test/auth/jwt.ts')).toEqual(['one-e6']);
  expect(await ids(memory, 'jwt.ts')).toEqual(['two-e2', ...app]);
  expect(await ids(memory, 'lib/myjwt.ts')).toEqual(['two-e1']);
  expect(await ids(memory, 'c/auth/jwt.ts')).toEqual([]);
  expect(await ids(memory, 'JWT.ts')).toEqual([]);
  expect(await ids(memory, '/src/auth/jwt.ts')).toEqual([]);
});

it('requires the words of a query in the same turn, and shows them', async () => {
  const memory = await memoryWithTouches();
  const [only, ...others] = await byFile(memory, 'jwt.ts', { query: 'clock skew' });
  expect(only).toMatchObject({ id: 'one-e3', snippet: expect.stringContaining('«clock» «skew»') });
  expect(others).toEqual([]);
  expect(await ids(memory, 'jwt.ts', { query: 'helper' })).toEqual(['two-e2']);
  expect(await ids(memory, 'jwt.ts', { query: 'unheard' })).toEqual([]);
});

it('groups by session if sessions are wanted, and respects filters and the limit', async () => {
  const memory = await memoryWithTouches();
  expect(await ids(memory, 'jwt.ts', { kind: 'session' })).toEqual(['two', 'one']);
  expect(await ids(memory, 'jwt.ts', { kind: 'session', project: 'app' })).toEqual(['one']);
  expect(await ids(memory, 'jwt.ts', { until: '2026-10-01' })).toEqual(['one-e6', 'one-e3']);
  expect(await ids(memory, 'jwt.ts', { limit: 1 })).toEqual(['two-e2']);
});

it('finds a file in a moved folder under its new path too', async () => {
  const memory = await memoryWithTouches();
  await projectsLink.run(memory.context, projectsLink.input.parse({ from: '/home/dev/app', to: '/srv/app' }));
  expect(await ids(memory, '/srv/app/src/auth/jwt.ts')).toEqual(['one-e6', 'one-e3']);
});

it('refuses text that names no file, and a search without words or file', async () => {
  const memory = await emptyMemory();
  for (const file of ['/', '..', 'src/', '../'])
    await expect(byFile(memory, file), file).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect(() => search.input.parse({ file: '' })).toThrow();
  await expect(search.run(memory.context, search.input.parse({}))).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

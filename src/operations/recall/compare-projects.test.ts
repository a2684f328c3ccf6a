import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { projectsCompare } from './compare-projects.ts';
import { sessions } from './sessions.ts';

const since = '2026-09-01';

async function twoProjects() {
  const memory = await emptyMemory();
  const edit = (file: string) => ({ name: 'Edit', input: { file_path: file } });
  await tell(memory, 's-one', '/home/dev/tide', '2026-10-01T10:00:00Z', [
    { by: 'user', text: 'Mend the gate' },
    { by: 'assistant', text: 'Mended.', uses: [edit('/home/dev/tide/gate.ts'), edit('/home/dev/tide/gate.ts')] },
  ]);
  await tell(memory, 's-two', '/home/dev/gulls', '2026-10-02T10:00:00Z', [
    { by: 'user', text: 'Count the gulls' },
    { by: 'assistant', text: 'I try.', uses: [{ name: 'Bash', input: { command: 'count' }, failed: 'no gulls' }] },
  ]);
  const one = { model: 'claude-sonnet-4-5', answers: 1, input: 1000, output: 100 };
  const models = [{ ...one, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }];
  await memory.context.store.usage.keep({ agent: 'claude-code', session: 's-one' }, 1, models);
  return memory.context;
}

it('compares activity, tokens and files of projects', async () => {
  const context = await twoProjects();
  const { projects } = await projectsCompare.run(context, { projects: ['tide', 'gulls'], since });
  expect(projects).toMatchObject([
    { name: 'tide', sessions: 1, prompts: 1, entries: 2, days: 1, tokens: 1100, counted: 1, failed: 0 },
    { name: 'gulls', sessions: 1, prompts: 1, entries: 2, tokens: 0, counted: 0, failed: 1, files: [] },
  ]);
  expect(projects[0]?.files).toEqual([{ file: 'gate.ts', modified: 2, read: 0 }]);
  expect(projects[0]?.cost).toBeCloseTo((1000 * 3 + 100 * 15) / 1e6);
  expect(projects[0]?.months).toEqual([{ month: '2026-10', entries: 2 }]);
});

it('refuses a project that no session worked in, and fewer than two', async () => {
  const context = await twoProjects();
  await expect(projectsCompare.run(context, { projects: ['tide', 'nowhere'], since })).rejects.toThrow('nowhere');
  expect(projectsCompare.input.safeParse({ projects: ['tide'] }).success).toBe(false);
});

it('refuses a name that several projects have, since their figures would look like those of one', async () => {
  const memory = await emptyMemory();
  for (const folder of ['ada/cli', 'bob/cli', 'tide'])
    await tell(memory, folder.replace('/', '-'), `/home/dev/${folder}`, '2026-10-01T10:00:00Z', [
      { by: 'user', text: 'Mend the gate' },
    ]);
  const refused = projectsCompare.run(memory.context, { projects: ['tide', 'cli'], since });
  await expect(refused).rejects.toMatchObject({ code: 'AMBIGUOUS', hint: expect.stringContaining('ada/cli, bob/cli') });
  const { projects } = await projectsCompare.run(memory.context, { projects: ['ada/cli', 'bob/cli'], since });
  expect(projects.map(({ name, sessions }) => [name, sessions])).toEqual([
    ['ada/cli', 1],
    ['bob/cli', 1],
  ]);
});

it('lists sessions with their tokens, cost and outcome', async () => {
  const context = await twoProjects();
  const { sessions: found } = await sessions.run(context, {});
  expect(found.map(({ id, tokens, outcome }) => [id, tokens, outcome])).toEqual([
    ['s-two', undefined, 'failed'],
    ['s-one', 1100, undefined],
  ]);
});

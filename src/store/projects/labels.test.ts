import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { search } from '../../operations/recall/search.ts';
import { sessions } from '../../operations/recall/sessions.ts';
import { timeline } from '../../operations/recall/timeline.ts';
import { labelOf, labelsOf } from './labels.ts';

it('projects of the same name get the shortest path that tells them apart, and worktrees stand behind their repository', () => {
  const paths = ['/home/ada/cli', '/home/bob/cli', '/cli', '/x/a/cli', '/y/a/cli'];
  expect(Object.fromEntries(labelsOf(paths))).toEqual({
    '/home/ada/cli': 'ada/cli',
    '/home/bob/cli': 'bob/cli',
    '/cli': 'cli',
    '/x/a/cli': 'x/a/cli',
    '/y/a/cli': 'y/a/cli',
  });
  const trees = ['/home/ada/cli/.worktrees/3', '/home/ada/web/.claude/worktrees/3', '/srv/3'];
  expect([...labelsOf(trees).values()]).toEqual(['cli › 3', 'web › 3', 'srv/3']);
});

it('a name that very many projects share stays as it is', () => {
  const paths = Array.from({ length: 101 }, (_, i) => `/home/${i}/cli`);
  expect(labelOf('/home/1/cli', 'cli', paths)).toBeNull();
  expect(labelOf('/home/1/cli', 'cli', paths.slice(0, 100))).toBe('1/cli');
});

it('sessions, hits and the timeline name a project alike, and its name chooses it', async () => {
  const memory = await emptyMemory();
  const say = (session: string, folder: string, hour: number) =>
    tell(memory, session, folder, `2026-03-01T0${hour}:00:00Z`, [{ by: 'user', text: `Paint the ${session} buoy` }]);
  await say('red', '/home/ada/cli', 1);
  const { context } = memory;
  const names = async () => {
    const { sessions: listed } = await sessions.run(context, {});
    const { hits } = await search.run(context, search.input.parse({ query: 'paint the buoy' }));
    const { items } = await timeline.run(context, { limit: 30 });
    return [listed, hits, items].map((all) => all.map(({ project }) => project).sort());
  };
  expect(await names()).toEqual(Array(3).fill(['cli']));
  await say('green', '/home/bob/cli', 2);
  await say('white', '/home/bob/web', 3);
  expect(await names()).toEqual(Array(3).fill(['ada/cli', 'bob/cli', 'web']));
  const of = async (project: string) => (await sessions.run(context, { project })).sessions.map(({ id }) => id).sort();
  expect(await of('bob/cli')).toEqual(['green']);
  expect(await of('cli')).toEqual(['green', 'red']);
  await context.store.projects.link({ from: '/home/bob', to: '/home/eve' }, [
    { from: '/home/bob/cli', to: '/home/eve/tool' },
  ]);
  expect((await names())[0]).toEqual(['cli', 'tool', 'web']);
});

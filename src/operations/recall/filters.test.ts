import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { distillAll } from '../../../test/distilled.ts';
import { memoryList } from '../memory/memory.ts';
import { rememberThis } from '../memory/memory-change.ts';
import { activity } from './activity.ts';
import { conversations } from './conversations.ts';
import { day } from './day.ts';
import { observations } from './observations.ts';
import { search } from './search.ts';
import { sessions } from './sessions.ts';
import { summaries } from './summaries.ts';
import { timeline } from './timeline.ts';

async function twoNamedCli(): Promise<Memory> {
  const memory = await emptyMemory();
  for (const person of ['ada', 'bob'])
    await tell(memory, `s-${person}`, `/home/dev/${person}/cli`, '2026-10-01T10:00:00Z', [
      { by: 'user', text: 'Mend the gate of the tide' },
      {
        ...{ by: 'assistant', text: 'I mended the gate of the tide: it closes again.' },
        uses: [{ name: 'Edit', input: { file_path: `/home/dev/${person}/cli/gate.ts` } }],
      },
    ]);
  return memory;
}

const since = '2026-01-01';
const asked: readonly (readonly [string, (memory: Memory, project: string) => Promise<unknown>])[] = [
  ['sessions', ({ context }, project) => sessions.run(context, { project })],
  ['search', ({ context }, project) => search.run(context, search.input.parse({ query: 'gate', project }))],
  ['timeline', ({ context }, project) => timeline.run(context, timeline.input.parse({ project }))],
  ['day', ({ context }, project) => day.run(context, { date: '2026-10-01', project })],
  ['activity', ({ context }, project) => activity.run(context, { since, project })],
  ['observations', ({ context }, project) => observations.run(context, { limit: 5, project })],
  ['summaries', ({ context }, project) => summaries.run(context, { limit: 5, past: false, project })],
  ['conversations', ({ context }, project) => conversations.run(context, { project })],
  ['memory list', ({ context }, project) => memoryList.run(context, { project })],
];

describe('a project that no session worked in', () => {
  it.each(asked)('is an error of %s, which names similar ones', async (_, ask) => {
    const memory = await twoNamedCli();
    const there = 'There is no project';
    for (const project of ['clip', 'bob/clip'])
      await expect(ask(memory, project)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining(there),
      });
    await expect(ask(memory, 'ob/cli')).rejects.toMatchObject({ hint: 'Did you mean: bob/cli?' });
    for (const project of ['cli', 'bob/cli', '/home/dev/bob/cli/src', '/home/dev/empty', '.'])
      await expect(ask(memory, project)).resolves.toBeDefined();
  });

  it('may be one that memories are about', async () => {
    const memory = await twoNamedCli();
    const wish = { text: 'The lamp is lit at dusk', project: 'harbour' };
    await rememberThis.run(memory.context, rememberThis.input.parse(wish));
    const { pages } = await memoryList.run(memory.context, { project: 'harbour' });
    expect(pages.map(({ memories }) => memories)).toEqual([1]);
    const request = search.input.parse({ query: 'lamp', kind: 'memory', project: 'harbour' });
    expect((await search.run(memory.context, request)).hits).toHaveLength(1);
  });
});

it('names a project the same in every list', async () => {
  const memory = await twoNamedCli();
  await distillAll(memory.store);
  const { context } = memory;
  const names = (rows: readonly { readonly project: string }[]) =>
    [...new Set(rows.map(({ project }) => project))].sort();
  const both = ['ada/cli', 'bob/cli'];
  expect(names((await sessions.run(context, {})).sessions)).toEqual(both);
  expect(names((await conversations.run(context, {})).conversations)).toEqual(both);
  expect(names((await observations.run(context, { limit: 50 })).observations)).toEqual(both);
  expect(names((await summaries.run(context, { limit: 50, past: true })).summaries)).toEqual(both);
  const request = search.input.parse({ query: 'gate', kind: 'observation' });
  expect(names((await search.run(context, request)).hits)).toEqual(both);
});

import { expect, it } from 'vitest';
import { demoMemory } from '../../../../test/demo-memory.ts';
import { show } from '../../../operations/recall/show.ts';
import { styles } from '../style.ts';
import { renderShow } from './show.ts';

it('a part of a transcript says which part it is, and that there is nothing beyond the end', async () => {
  const { context } = await demoMemory();
  const shown = async (part: { from?: number; limit?: number }) =>
    renderShow(show.output.parse(await show.run(context, { id: '019a', subagents: false, ...part })), {
      style: styles(false),
      ...{ width: 80, now: 0 },
      timeZone: 'UTC',
    });
  expect(await shown({})).not.toContain('shown');
  expect(await shown({ from: 2, limit: 3 })).toContain('shown    entries 3 to 5 of 10');
  expect(await shown({ limit: 1 })).toContain('shown    entry 1 of 10');
  expect(await shown({ from: 999 })).toContain('shown    no entry of 10');
});

import { expect, it } from 'vitest';
import { emptyMemory } from '../../../test/demo-memory.ts';
import { apply, conversation, filesOf, folderOf } from '../../../test/memory-stand.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { historyOf } from './history.ts';

const page = 'projects/tide/overview.md';
const on = (day: number) => `2026-09-${String(day).padStart(2, '0')}T08:00:00.000Z`;
const says = (...statements: KeyedStatement[]) => ({ projects: [{ name: 'tide', statements }] });

const chosen: KeyedStatement = {
  ...{ key: 'choice: gauge readings', saidBy: 'person' },
  text: 'Asked “Gauges: Should readings stay in memory or go to the store at once?”, the person chose: Write each reading to the store, and keep the last hour in memory.',
};
const planned: KeyedStatement = {
  ...{ key: 'Storage (Gauges)', saidBy: 'agent' },
  text: 'Each reading is written to the store; memory keeps the last hour.',
};
const compacted: KeyedStatement = {
  ...{ key: 'Reading store', saidBy: 'agent' },
  text: 'Gauge readings are written to the store and the last hour stays in memory.',
};
const other: KeyedStatement = {
  ...{ key: 'Upload', saidBy: 'agent' },
  text: 'Each reading is sent to the harbour office at noon; the last hour is never sent.',
};
const half: KeyedStatement = {
  ...{ key: 'Storage limit', saidBy: 'agent' },
  text: 'Memory keeps the readings of the last 24 hours before the store writes each of them.',
};

it('what a plan, a choice and a compaction say of one decision stands on the page once, in any order', async () => {
  const texts = new Set<string>();
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ]) {
    const memory = await emptyMemory();
    const sessions = [
      ['s1', on(1), says(chosen)],
      ['s2', on(2), says(planned, other)],
      ['s3', on(3), says(compacted, half)],
    ] as const;
    for (const i of order) {
      const [id, at, gave] = sessions[i] as (typeof sessions)[number];
      await apply(memory, conversation(id, at), gave);
    }
    texts.add(filesOf(folderOf(memory))[page] ?? '');
  }
  expect(texts.size).toBe(1);
  const [text = ''] = [...texts];
  for (const { text: kept } of [chosen, other, half]) expect(text).toContain(kept);
  for (const { text: repeated } of [planned, compacted]) expect(text).not.toContain(repeated);
});

it('the history says which line repeats it, and it comes back when that line is gone', async () => {
  const memory = await emptyMemory();
  const wider = { ...planned, key: 'Storage', text: `${planned.text} The store is asked for older ones.` };
  await apply(memory, conversation('s1', on(1)), says(planned));
  await apply(memory, conversation('s2', on(2)), says(wider));
  const pageNow = () => filesOf(folderOf(memory))[page] ?? '';
  expect(pageNow()).not.toContain('Storage (Gauges)');
  const lines = (await historyOf({ ...memory, clock: () => Date.parse(on(9)) }, page)).map(({ versions }) => versions);
  const line = lines.find(([first]) => first?.text.endsWith(planned.text));
  expect(line?.at(-1)?.why).toContain('Another line says it too: “Each reading is written');
  await apply(memory, conversation('s3', on(3)), says({ ...wider, change: 'retire', text: 'It went away.' }));
  expect(pageNow()).toContain(planned.text);
});

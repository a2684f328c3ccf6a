import { expect, it } from 'vitest';
import { rounds } from './chores.ts';

it('runs chores in order, and the rest even if one fails', async () => {
  const said: string[] = [];
  const round = rounds(
    [
      { name: 'first', run: () => said.push('first') },
      {
        name: 'second',
        run: async () => {
          throw new Error('no space');
        },
      },
      { name: 'third', run: () => said.push('third') },
    ],
    ({ name }, error) => said.push(`${name}: ${(error as Error).message}`),
  );
  await round();
  expect(said).toEqual(['first', 'second: no space', 'third']);
  await round();
  expect(said).toHaveLength(6);
});

it('does not start a round while another one runs', async () => {
  let go: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  let count = 0;
  const round = rounds(
    [
      {
        name: 'slow',
        run: () => {
          count++;
          return held;
        },
      },
    ],
    () => {},
  );
  const first = round();
  await round();
  expect(count).toBe(1);
  go();
  await first;
  await round();
  expect(count).toBe(2);
});

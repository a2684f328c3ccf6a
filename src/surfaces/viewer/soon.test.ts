import { expect, it } from 'vitest';
import { soon } from './soon.ts';

it('does in order what the page can wait for, and continues after a failure', async () => {
  const done: number[] = [];
  const all = [1, 2, 3].map((one) =>
    soon(() => {
      done.push(one);
      if (one === 2) throw new Error('no');
      return one;
    }),
  );
  expect(done).toEqual([]);
  expect(await Promise.allSettled(all)).toMatchObject([{ value: 1 }, { reason: { message: 'no' } }, { value: 3 }]);
  expect(await soon(() => done)).toEqual([1, 2, 3]);
});

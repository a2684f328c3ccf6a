import { expect, it } from 'vitest';
import { quiet } from './quiet.ts';

/** A clock that moves only while someone rests; `during` runs at each rest. */
function clock(during: (now: number) => void = () => {}) {
  let now = 1000;
  return {
    now: () => now,
    rest: async (ms: number) => {
      now += ms;
      during(now);
    },
  };
}

it('background work continues at once if no request came, and after the last request of a burst', async () => {
  const time = clock((now) => now < 1500 && door.asked());
  const door = quiet(time.now, time.rest);
  await door.wait();
  expect(time.now()).toBe(1000);
  door.asked();
  await door.wait();
  // At 1300 another request came, at 1600 none.
  expect(time.now()).toBe(1600);
});

it('requests without end delay background work for a while only', async () => {
  const time = clock(() => door.asked());
  const door = quiet(time.now, time.rest);
  door.asked();
  await door.wait();
  expect(time.now()).toBe(3000);
});

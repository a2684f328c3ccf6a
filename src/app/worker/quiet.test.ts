import { expect, it } from 'vitest';
import { quiet } from './quiet.ts';

/** A clock that moves only while someone rests; `during` runs at each rest. */
function clock(during: (now: number) => void = () => {}) {
  let now = 1000;
  const rests: number[] = [];
  const stop = new AbortController();
  const rest = async (ms: number) => {
    rests.push(ms);
    now += ms;
    during(now);
  };
  return { now: () => now, rests, stop, door: quiet(stop.signal, () => now, rest) };
}

it('background work continues at once if no request came, and after the last request of a burst', async () => {
  const time = clock((now) => now < 1500 && time.door.asked());
  await time.door.wait();
  expect(time.now()).toBe(1000);
  time.door.asked();
  await time.door.wait();
  // At 1300 another request came, at 1600 none.
  expect(time.now()).toBe(1600);
});

it('requests without end delay background work for a while only', async () => {
  const time = clock(() => time.door.asked());
  time.door.asked();
  await time.door.wait();
  expect(time.now()).toBe(3000);
});

it('background work rests while a session starts, and a request meanwhile does not end the rest', async () => {
  const time = clock();
  time.door.starts();
  time.door.asked();
  await time.door.wait();
  expect(time.now()).toBe(3000);
  await time.door.wait();
  expect(time.now()).toBe(3000);
});

it('a worker that stops does not wait for the rest', async () => {
  const time = clock(() => time.stop.abort());
  time.door.starts();
  time.door.asked();
  await time.door.wait();
  expect(time.rests).toHaveLength(1);
  await time.door.wait();
  expect(time.rests).toHaveLength(1);
  // With the real clock, too: the signal ends the rest that has begun.
  const stop = new AbortController();
  const own = quiet(stop.signal, () => 0);
  own.starts();
  const waited = own.wait();
  stop.abort();
  await waited;
  expect(stop.signal.aborted).toBe(true);
});

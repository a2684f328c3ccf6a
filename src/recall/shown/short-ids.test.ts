import { expect, it } from 'vitest';
import { shortIds } from './short-ids.ts';

it('ids of random digits keep eight, ids that begin with the time keep the whole time, others stay', () => {
  const random = ['3f7fa8be-2f80-491a-9244-a1466e9ebb4e', '67096c2b-dd0a-4251-9e62-a74f249013d6'];
  const timed = ['019ed917-1cf7-72a3-92f5-c0aa98fb134e', '019ed917-2002-7a21-ad41-d1eed95dc4df'];
  const short = shortIds([...random, ...timed, 'session-of-monday']);
  expect(timed.map(short)).toEqual(['019ed917-1cf7', '019ed917-2002']);
  expect(random.map(shortIds(random))).toEqual(['3f7fa8be', '67096c2b']);
  expect(short('session-of-monday')).toBe('session-of-monday');
});

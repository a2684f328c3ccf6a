import { describe, expect, it } from 'vitest';
import { timeWords } from './time-words.ts';

/** A Tuesday, at noon. */
const now = Date.parse('2026-11-03T12:00:00Z');
const say = async (query: string, timeZone = 'UTC', at = now) => {
  const { ranges, rest } = await timeWords(query, { now: at, timeZone });
  return {
    days: ranges.map(({ from, until }) => `${day(from)}…${day(until)}`),
    rest,
    said: ranges.map(({ said }) => said),
  };
};
const day = (moment: number) => (moment === 0 ? '' : new Date(moment).toISOString().replace('T00:00:00.000Z', ''));

describe('times in a query', () => {
  it.each([
    ['yesterday', '2026-11-02…2026-11-03'],
    ['what did we fix today', '2026-11-03…2026-11-04'],
    ['this morning', '2026-11-03…2026-11-04'],
    ['the day before yesterday', '2026-11-01…2026-11-02'],
    ['what did we decide last Tuesday about retries', '2026-10-27…2026-10-28'],
    ['on Friday', '2026-10-30…2026-10-31'],
    ['the monday meeting', '2026-11-02…2026-11-03'],
    ['last weekend', '2026-10-31…2026-11-02'],
    ['last week', '2026-10-26…2026-11-02'],
    ['this week', '2026-11-02…2026-11-09'],
    ['this month', '2026-11-01…2026-12-01'],
    ['this year', '2026-01-01…2027-01-01'],
    ['two weeks ago', '2026-10-19…2026-10-26'],
    ['3 days ago', '2026-10-31…2026-11-01'],
    ['the last 3 days', '2026-10-31…2026-11-04'],
    ['in the past week', '2026-10-27…2026-11-04'],
    ['3 months ago', '2026-08-01…2026-09-01'],
    ['last month', '2026-10-01…2026-11-01'],
    ['last year', '2025-01-01…2026-01-01'],
    ['in 2023', '2023-01-01…2024-01-01'],
    ['the release of 2025, please', '2025-01-01…2026-01-01'],
    ['in May', '2026-05-01…2026-06-01'],
    ['in may we dropped the queue', '2026-05-01…2026-06-01'],
    ['in December', '2025-12-01…2026-01-01'],
    ['in November', '2026-11-01…2026-12-01'],
    ['in late September', '2026-09-01…2026-10-01'],
    ['December 2025', '2025-12-01…2026-01-01'],
    ['in May 2024', '2024-05-01…2024-06-01'],
    ['between May and July', '2026-05-01…2026-08-01'],
    ['from November to February', '2025-11-01…2026-03-01'],
    ['between March 2024 and May 2025', '2024-03-01…2025-06-01'],
    ['on 3 March 2023', '2023-03-03…2023-03-04'],
    ['March 3rd', '2026-03-03…2026-03-04'],
    ['the 5th of december', '2025-12-05…2025-12-06'],
    ['2026-10-05', '2026-10-05…2026-10-06'],
    ['am 5.10.2026 um', '2026-10-05…2026-10-06'],
    ['since monday', '2026-11-02…2026-11-04'],
    ['since March', '2026-03-01…2026-11-04'],
    ['before May', '…2026-05-01'],
    ['until 3 March 2023', '…2023-03-04'],
    ['after June 2026', '2026-07-01…2026-11-04'],
    ['between 3 March and 5 March', '2026-03-03…2026-03-06'],
    ['from Monday to Tuesday', '2026-11-02…2026-11-04'],
    ['was haben wir letzten Dienstag entschieden', '2026-10-27…2026-10-28'],
    ['gestern', '2026-11-02…2026-11-03'],
    ['vor zwei Wochen', '2026-10-19…2026-10-26'],
    ['im Mai', '2026-05-01…2026-06-01'],
    ['seit März', '2026-03-01…2026-11-04'],
    ['am 3. März 2023', '2023-03-03…2023-03-04'],
    ['la semaine dernière', '2026-10-26…2026-11-02'],
    ["qu'avons-nous fait hier", '2026-11-02…2026-11-03'],
    ['en mai', '2026-05-01…2026-06-01'],
    ['вчера', '2026-11-02…2026-11-03'],
    ['на прошлой неделе', '2026-10-26…2026-11-02'],
    ['в мае', '2026-05-01…2026-06-01'],
    ['昨日の障害', '2026-11-02…2026-11-03'],
    ['昨天的错误', '2026-11-02…2026-11-03'],
    ['2023年3月3日', '2023-03-03…2023-03-04'],
  ])('%s', async (query, days) => {
    expect((await say(query)).days).toEqual([days]);
  });

  it.each([
    'we may need a second cache',
    'may I ask',
    'This may or may not be it',
    'the last may fail',
    'this march of errors',
    'the parser may fail in many cases',
    'march forward',
    'a forced march through the tables',
    'sun and moon',
    'sat solver',
    'mon ami',
    'wed',
    'second attempt',
    'now',
    'what runs now',
    'not right now please',
    'upgrade to 1.2.3',
    'v2.10.3 and 12.11.2024.1',
    'port 8080',
    'listen on 3000',
    'in 2023 files',
    'RFC 2024',
    'node 20',
    'error 2026',
    'at Object.run (src/x.ts:12:30)',
    '12:30',
    'failed at 12:30:45',
    'meet at 8',
    '10/05',
    '3/4 of the tests',
    'timeout after 30 seconds',
    'a 10 min timeout',
    'two months after the launch',
    'in 5 minutes',
    'next week',
    'tomorrow',
    'in March 2031',
    'backup-2026-10-05.tar.gz',
    '2026-10-05T12:00:01Z',
    'commit 20261005',
    'useFriday.ts',
    'src/monday/index.ts',
    'last-week.md',
    'dec(x) and oct(y)',
    'jan-persson',
    'hier ist der Fehler',
    'ein Fehler vor dem Test',
    'the last time it broke',
    'this is the last test',
    'May',
    'June said no',
    'april',
    'from a to b',
    'before christmas',
    'the day the queue died',
    'week',
    '一昨日',
    '',
    `${'yesterday '.repeat(100)}`,
  ])('no time is meant in: %s', async (query) => {
    expect((await say(query)).days).toEqual([]);
  });

  it('removes times from the query, and leaves the rest unchanged', async () => {
    expect(await say('retry queue in May, why?')).toMatchObject({ rest: 'retry queue , why?', said: ['in May'] });
    expect(await say('what did we decide last Tuesday about retries')).toMatchObject({
      rest: 'what did we decide about retries',
      said: ['last Tuesday'],
    });
    expect(await say('since monday')).toMatchObject({ rest: '', said: ['since monday'] });
    expect(await say('no  times')).toMatchObject({ rest: 'no  times', said: [] });
  });

  it('recognises several in one query', async () => {
    expect((await say('login in May or in 2024, not yesterday')).days.toSorted()).toEqual([
      '2024-01-01…2025-01-01',
      '2026-05-01…2026-06-01',
      '2026-11-02…2026-11-03',
    ]);
  });

  it('starts days at midnight of the zone, also when the clocks change', async () => {
    expect((await say('yesterday', 'America/New_York')).days).toEqual([
      '2026-11-02T05:00:00.000Z…2026-11-03T05:00:00.000Z',
    ]);
    const sunday = Date.parse('2026-10-26T12:00:00Z');
    expect((await say('yesterday', 'Europe/Berlin', sunday)).days).toEqual([
      '2026-10-24T22:00:00.000Z…2026-10-25T23:00:00.000Z',
    ]);
    expect((await say('in March', 'Europe/Berlin')).days).toEqual([
      '2026-02-28T23:00:00.000Z…2026-03-31T22:00:00.000Z',
    ]);
    const night = Date.parse('2026-11-03T16:00:00Z');
    expect((await say('today', 'Asia/Tokyo', night)).days).toEqual([
      '2026-11-03T15:00:00.000Z…2026-11-04T15:00:00.000Z',
    ]);
    expect((await say('last Tuesday', 'Asia/Tokyo', night)).days).toEqual([
      '2026-11-02T15:00:00.000Z…2026-11-03T15:00:00.000Z',
    ]);
  });
});

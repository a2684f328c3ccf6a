import { describe, expect, it } from 'vitest';
import { edit, read, run, say, session, turn } from '../../../test/turns.ts';
import { SummaryText } from '../../schema/summary.ts';
import { summaryOf } from '../rows.ts';
import { summarizeSession } from './summarize.ts';

const work = session([
  turn('/clear', [], { prompt: 1 }),
  turn(
    'Hey, can you fix the tide table? It is an hour late in summer.',
    [
      read('/home/dev/tide/src/clock.ts'),
      run('grep -rn "hour" src'),
      run('npm test', '2 failed', true),
      edit('/home/dev/tide/src/table.ts'),
      run('npm test', '12 passed'),
      say(
        'Fixed the hour of the tide table in summer. The root cause was that daylight saving was added twice to the table.',
      ),
    ],
    { prompt: 2 },
  ),
  turn(
    "ok. let's use luxon instead of our own clock",
    [
      edit('/home/dev/tide/src/clock.ts'),
      run('git commit -m "refactor: luxon for the clock"'),
      run('npm run build', 'error TS1: missing', true),
      say('Replaced our own clock by luxon in the table.\n\n## Still open\n- Remove the old clock from the docs.'),
    ],
    { prompt: 3 },
  ),
]);

describe('the summary of a session', () => {
  it('tells what was asked, investigated, learned, completed and left open, and what still fails', () => {
    const text = summarizeSession(work);
    expect(SummaryText.parse(text)).toEqual(text);
    expect(text).toEqual({
      title: 'Luxon for the clock',
      request:
        'Hey, can you fix the tide table? It is an hour late in summer. Then: Use luxon instead of our own clock.',
      investigated: 'Looked with `grep -rn "hour" src`.',
      learned: 'The root cause was that daylight saving was added twice to the table.',
      completed:
        'Fixed the hour of the tide table in summer. Replaced our own clock by luxon in the table. Modified `table.ts` and `clock.ts`. ' +
        'Committed: “refactor: luxon for the clock”. At the end `npm test` passed.',
      outcome: 'Fixed the hour of the tide table in summer. Replaced our own clock by luxon in the table.',
      nextSteps: 'Last run failed: Bash npm run build (error TS1: missing). Remove the old clock from the docs.',
      notes: '`npm run build` failed at the end: error TS1: missing.',
    });
  });

  it('is the same every time, and has the files, commits and times of the session', () => {
    const text = summarizeSession(structuredClone(work)) as SummaryText;
    expect(text).toEqual(summarizeSession(work));
    expect(summaryOf(work, text, { by: 'offline', tokens: 0 })).toMatchObject({
      session: 's',
      at: work.endedAt,
      prompts: 3,
      filesModified: ['src/table.ts', 'src/clock.ts'],
      filesRead: [],
      commits: ['refactor: luxon for the clock'],
    });
  });

  it('has the commits of the session also if a model wrote the text', () => {
    const said = { ...(summarizeSession(work) as SummaryText), completed: 'Luxon now.', outcome: 'Luxon now.' };
    expect(summaryOf(work, said, { by: 'a model', tokens: 9 })).toMatchObject({
      ...{ by: 'a model', outcome: 'Luxon now.', commits: ['refactor: luxon for the clock'] },
    });
  });

  it('has the title that the agent gave', () => {
    expect(summarizeSession({ ...work, title: 'Summer tides', titleSource: 'agent' })?.title).toBe('Summer tides');
    expect(summarizeSession({ ...work, title: 'Hey, can you fix the tide' })?.title).toBe('Luxon for the clock');
  });

  it('reports no open failure of a line with several checks if one of them passed later', () => {
    const work = (later: string) =>
      session([
        turn('mention the instructions folder', [
          edit('/home/dev/tide/src/logo.ts'),
          run('bun run test && bun run lint', '1309 pass 0 fail\nFound 1 error.', true),
          run(later, 'ok'),
          say('Added the folder.'),
        ]),
      ]);
    expect(summarizeSession(work('bun run lint:fix'))?.notes).toBe('');
    expect(summarizeSession(work('bun run css'))?.notes).toContain('failed at the end');
  });

  it('names the unanswered request, and leaves out interruptions on the way', () => {
    const stopped = session([
      turn('add a chart of the moon', [edit('/home/dev/tide/moon.ts'), { machine: '[Request interrupted by user]' }]),
      turn('what is the phase of the moon today?', [], { prompt: 2 }),
    ]);
    expect(summarizeSession(stopped)).toMatchObject({
      nextSteps: 'Asked and not answered: what is the phase of the moon today?',
      notes: '',
    });
  });

  it('counts the answer to a question as learned if the agent used tools for it', () => {
    const answer = 'The table is read before the clock is set, so the first hour of summer is missing.';
    const asked = session([
      turn('why is the first hour missing?', [read('/home/dev/tide/src/table.ts'), say(answer)]),
      turn('ok, add it', [edit('/home/dev/tide/src/table.ts'), say('Added the first hour to the table.')], {
        prompt: 2,
      }),
    ]);
    expect(summarizeSession(asked)?.learned).toBe(answer);
  });

  it('is not made of a session without work', () => {
    expect(summarizeSession(session([turn('/model', []), turn('hello', [say('Hi!')])]))).toBeUndefined();
  });
});

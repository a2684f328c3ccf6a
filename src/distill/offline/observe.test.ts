import { describe, expect, it } from 'vitest';
import { edit, read, run, type Step, say, turn } from '../../../test/turns.ts';
import { ObservationText } from '../../schema/observation.ts';
import { observationOf } from '../rows.ts';
import { observeTurn } from './observe.ts';

const long =
  'The tide table is computed from the moon and the sun, with a correction for the shape of the coast. '.repeat(3);
const typeOf = (request: string, ...steps: Step[]) => observeTurn(turn(request, steps))?.type;

describe('the type of an observation', () => {
  it('depends on both the words and the tool uses', () => {
    expect(typeOf('fix the crash in the tide table', edit('/home/dev/tide/a.ts'))).toBe('bugfix');
    expect(typeOf('the tide table shows a wrong hour', edit('/home/dev/tide/a.ts'))).toBe('bugfix');
    expect(typeOf('add a chart of the tides', edit('/home/dev/tide/a.ts'))).toBe('feature');
    expect(typeOf('rename ebb to low tide', edit('/home/dev/tide/a.ts'))).toBe('refactor');
    expect(typeOf('make the grey a little brighter', edit('/home/dev/tide/a.css'))).toBe('change');
    expect(typeOf('add a section on tides to the readme', edit('/home/dev/tide/README.md'))).toBe('change');
    expect(typeOf('why is the table late in summer?', read('/home/dev/tide/a.ts'), say(long))).toBe('discovery');
    expect(typeOf("let's use sqlite instead of a text file", say(long))).toBe('decision');
    expect(typeOf('copy the dark theme over', run('cp dark.json light.json'))).toBe('change');
    expect(typeOf('fix it all', edit('/home/dev/tide/a.ts'), run('git commit -m "feat: tides"'))).toBe('feature');
  });
});

describe('a failed command', () => {
  const failures = (...steps: Step[]) =>
    observeTurn(turn('fix the tide table', [edit('/home/dev/tide/a.ts'), ...steps]))?.facts.filter((fact) =>
      fact.includes('failed'),
    );

  it('is told as it was typed, with what went wrong', () => {
    const output = '$ biome check --error-on-warnings\n(pass) fails on a bad date\n 12 | throw error;\nFound 1 error.';
    expect(failures(run('rtk npm run lint', output, true))).toEqual(['`rtk npm run lint` failed once: Found 1 error.']);
  });

  it('is not told if only the program failed that should have run it', () => {
    const usage = "error: unrecognized subcommand 'npm'\n\nUsage: rtk [OPTIONS] <COMMAND>";
    expect(failures(run('rtk npm test', usage, true), run('npm test', '3 passed'))).toEqual([]);
    expect(failures(run('rtk npm test | tail -5', usage))).toEqual([]);
  });
});

describe('the title of an observation', () => {
  const title = (request: string, steps: Step[], before: string[] = []) =>
    observeTurn(turn(request, steps, { before }))?.title;

  it('is what was asked', () => {
    expect(title('can you please fix the tide table?', [edit('/home/dev/tide/a.ts')])).toBe('Fix the tide table');
  });

  it('is what was done, when the prompt says nothing', () => {
    const changed = edit('/home/dev/tide/src/moon.ts');
    expect(title('ok', [changed, run('git commit -m "fix(moon): count leap days"')])).toBe('Count leap days');
    expect(title('yes', [changed, say('Added a correction for leap days to the moon table.')])).toBe(
      'Added a correction for leap days to the moon table',
    );
    expect(title('do it', [changed, edit('/home/dev/tide/sun.ts')])).toBe('Changed moon.ts and sun.ts');
    expect(title('continue', [changed], ['fix the tide table in the summer months'])).toBe(
      'Continued: Fix the tide table in the summer months',
    );
    expect(title('go', [run('npm run seed', 'boom', true)])).toBe('Ran `npm run seed`, which failed');
    expect(title('ok', [read('/home/dev/tide/a.md')])).toBe('Read a.md');
  });

  it('is the commit rather than the request to deliver it', () => {
    const commit = run('git commit -m "feat: show the moon above the chart"');
    expect(title('commit and update @CHANGELOG.md', [commit])).toBe('Show the moon above the chart');
  });

  it('is the issue that the agent looked up', () => {
    const view = run('gh issue view 12', 'title:\tTides are late\nnumber:\t12\n');
    expect(title('can you take a look at https://github.com/o/tide/issues/12', [view, say(long)])).toBe(
      'Issue #12: Tides are late',
    );
  });

  it('says what went on when the prompt only agrees', () => {
    expect(title('yes', [read('/home/dev/tide/a.ts')], ['Add the moon to the chart'])).toBe(
      'Continued: Add the moon to the chart',
    );
  });

  it('keeps code in backticks whole', () => {
    const said = say('Moved the clock to `/home/dev/tide/src/clock.ts` and the moon to `src/moon.ts` as asked.');
    expect(title('ok', [edit('/home/dev/tide/a.ts'), said])).toBe(
      'Moved the clock to `clock.ts` and the moon to `moon.ts` as asked',
    );
  });
});

describe('facts', () => {
  const facts = (request: string, ...steps: Step[]) => observeTurn(turn(request, steps))?.facts;

  it('name the modified files, and the commands with their outcomes', () => {
    expect(
      facts(
        'fix the failing tests of the moon',
        run('npm test', '2 failed\nError: expected 3', true),
        edit('/home/dev/tide/src/moon.ts'),
        run('npm test', '12 passed'),
        run('git commit -m "fix: leap days"'),
      ),
    ).toEqual([
      'Modified `src/moon.ts`.',
      'Committed: fix: leap days.',
      '`npm test` failed: 2 failed (it passed later).',
      '`npm test` passed.',
    ]);
  });

  it('name a failure that was not resolved', () => {
    expect(facts('run the build of the chart', run('npm run build', 'error TS1: no such member', true))).toEqual([
      '`npm run build` failed once: error TS1: no such member.',
    ]);
  });

  it('leave out refused tool uses, and a search that found nothing', () => {
    const refusal = "The user doesn't want to proceed with this tool use.";
    expect(
      facts(
        'look for the moon in the sources',
        run('rm -rf /', refusal, true),
        run('grep moon *.ts', '', true),
        say(long),
      ),
    ).toEqual([]);
  });

  it('quote a decision and a finding', () => {
    const found = facts(
      "let's use sqlite instead of a text file for the tides",
      edit('/home/dev/tide/a.ts'),
      say('Done. The root cause was that the text file was read anew for every hour of the day.'),
    );
    expect(found).toContain("The person decided: “Let's use sqlite instead of a text file for the tides”");
    expect(found).toContain('The root cause was that the text file was read anew for every hour of the day.');
  });
});

describe('an observation', () => {
  it.each([
    ['a greeting', turn('hello', [say('Hello! How can I help?')])],
    ['a command of the client', turn('/clear', [{ machine: '<local-command-stdout></local-command-stdout>' }])],
    ['an interruption', turn('fix the tide table', [{ machine: '[Request interrupted by user]' }])],
    ['thanks', turn('thanks, great work', [say(long)])],
    ['a prompt without an answer', turn('fix the tide table', [])],
  ])('is not made of %s', (_, one) => expect(observeTurn(one)).toBeUndefined());

  it('is made of an answer with substance, without any tool', () => {
    expect(observeTurn(turn('how are the tides computed?', [say(long)]))).toMatchObject({
      type: 'discovery',
      title: 'How are the tides computed?',
    });
  });

  it('is made of work before the first prompt', () => {
    expect(
      observeTurn(turn(undefined, [edit('/home/dev/tide/a.ts'), say('Fixed the order of the tides in the table.')])),
    ).toMatchObject({
      title: 'Fixed the order of the tides in the table',
    });
  });

  it('is the same every time, is valid, and cites the prompt and its sources', () => {
    const one = turn('fix the tide table, the moon is wrong', [
      read('/home/dev/tide/src/moon.ts'),
      edit('/home/dev/tide/src/moon.ts'),
      edit('/home/dev/other/x.ts'),
      say(`Fixed. ${long}`),
    ]);
    const text = observeTurn(one) as ObservationText;
    expect(ObservationText.parse(text)).toEqual(observeTurn(structuredClone(one)));
    expect(text.concepts).toContain('moon');
    expect(text.narrative).toMatch(/^The person asked: Fix the tide table.*Modified|modified moon\.ts/i);
    expect(observationOf(one, text, { by: 'offline', tokens: 0 })).toMatchObject({
      filesModified: ['src/moon.ts', '/home/dev/other/x.ts'],
      filesRead: [],
      tools: ['Read', 'Edit'],
      entries: ['p1e0', 'p1e2', 'p1e3', 'p1e4'],
      at: one.endedAt,
      by: 'offline',
    });
  });

  it('fits its schema, whatever the turn contains', () => {
    const odd = [
      '\ud800',
      '<private>x</private>'.repeat(50),
      '{"a":'.repeat(500),
      '🐙'.repeat(300),
      'x'.repeat(16_000),
      '\n'.repeat(5000),
    ];
    for (const text of odd)
      for (const request of [text, undefined]) {
        const made = observeTurn(turn(request, [run(text, text, true), edit(text), say(text), say(long)]));
        expect(ObservationText.safeParse(made).success).toBe(true);
      }
  });
});

it('tells of no failure if the person stopped the command or refused it with a remark', () => {
  const told = (output: string) =>
    observeTurn(turn('check the harbour', [edit('/home/dev/tide/a.go'), run('npm test', output, true), say('ok')]))
      ?.facts ?? [];
  expect(told('Error: no tide').join(' ')).toContain('failed');
  expect(told('running 3 tests\n\nCommand aborted').join(' ')).not.toContain('failed');
  expect(told('please add the harbour map first').join(' ')).not.toContain('failed');
});

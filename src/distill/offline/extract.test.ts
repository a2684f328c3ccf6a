import { describe, expect, it } from 'vitest';
import { edit, run, say, session, turn } from '../../../test/turns.ts';
import { Extraction } from '../../schema/extraction.ts';
import type { Turn } from '../material.ts';
import { extractConversation } from './extract.ts';

const extract = (...turns: Turn[]): Extraction => {
  const made = extractConversation({ ...session(turns), id: 1 });
  expect(Extraction.parse(made)).toEqual(made);
  return made;
};
const asked = (text: string) => turn(text, [edit('/home/dev/tide/a.ts'), say('Done.')]);
const statements = (...turns: Turn[]) =>
  Object.fromEntries(extract(...turns).projects.flatMap((one) => one.statements.map(({ key, text }) => [key, text])));
const facts = (...texts: string[]) =>
  extract(...texts.map(asked)).facts.map(({ about, key, text }) => [about, key, text]);

describe('statements about a project', () => {
  it('come from commands that succeeded again and again', () => {
    const made = statements(
      turn('fix the table', [
        run('pnpm test src/a.test.ts', '1 passed'),
        run('pnpm test', '9 passed'),
        run('pnpm install'),
        run('pnpm run lint', 'ok'),
        run('npm run deploy', 'boom', true),
        edit('/home/dev/tide/a.ts'),
        edit('/home/dev/tide/b.ts'),
        edit('/home/dev/tide/c.tsx'),
      ]),
    );
    expect(made).toEqual({
      'test command': 'Tests are run with `pnpm test`.',
      'lint command': 'It is linted with `pnpm run lint`.',
    });
  });

  it('do not come from commands that disagree or failed', () => {
    expect(
      statements(
        turn('look at it', [
          run('npm ci'),
          run('yarn install'),
          run('npm run x'),
          run('npm test', '1 failed', true),
          say('x'),
        ]),
      ),
    ).toEqual({});
  });

  it('come from tools that the person names and from decisions; the key says what a tool is for', () => {
    expect(statements(asked('We use Postgres for everything here. Add a table.'))).toMatchObject({
      database: 'We use Postgres for everything here.',
    });
    expect(statements(asked("let's use apple container instead of docker"))).toMatchObject({
      'container runtime': "Let's use apple container instead of docker.",
    });
    expect(statements(asked('We decided to drop support for old browsers.'))).toMatchObject({
      'decision: decided drop support': 'We decided to drop support for old browsers.',
    });
  });

  it.each([
    'Should we use Postgres?',
    'Do we use postgres here?',
    'let us do that',
    'why use docker instead of podman?',
  ])('do not come from %j', (text) => expect(Object.keys(statements(asked(text)))).toEqual([]));
});

describe('facts', () => {
  it('about the user are lasting preferences that they stated outright', () => {
    expect(facts('I prefer tabs over spaces in this code.')).toEqual([
      ['user', 'preference: tabs spaces', 'I prefer tabs over spaces in this code.'],
    ]);
    expect(facts('From now on always run the linter before you commit.')[0]?.[0]).toBe('user');
    expect(facts('Never push to main without asking me.')[0]?.[2]).toBe('Never push to main without asking me.');
    expect(facts('I always use pnpm for new projects.')).toEqual([
      ['user', 'preferred package manager', 'I always use pnpm for new projects.'],
    ]);
  });

  it('about the user name nothing of one project: its page keeps such a wish, with the reason before it', () => {
    const wish = 'No longer need docker. Just run dashboard directly going forward.';
    expect(facts(wish)).toEqual([]);
    expect(Object.values(statements(asked(wish)))).toEqual([wish]);
    for (const text of [
      'From now on start the harbour server with a fresh database.',
      'Always run `mise run lint` before you commit.',
      'In this repo, we never use default exports.',
    ]) {
      expect(facts(text), text).toEqual([]);
      expect(Object.values(statements(asked(text)))).toEqual([text]);
    }
  });

  it.each([
    "I'd like you to fix this.",
    'Would you prefer tabs?',
    'never mind, it works',
    'I never saw this error before.',
    'I like this idea, go on with it please.',
    'For now I prefer the short form of it.',
  ])('do not come from a momentary wish: %j', (text) => expect(facts(text)).toEqual([]));

  it('about procedures name their purpose', () => {
    expect(facts('To deploy the site, run make release on the main branch.')).toEqual([
      ['procedure', 'how to deploy the site', 'To deploy the site, run make release on the main branch.'],
    ]);
  });
});

describe('an extraction contains', () => {
  it('an episode that tells what was done in the conversation', () => {
    const [episode, ...more] = extract(
      turn('fix the tide table', [edit('/home/dev/tide/a.ts'), say('Fixed the hour of the table in summer.')]),
      turn('thanks!', [], { prompt: 2 }),
    ).episodes;
    expect(more).toEqual([]);
    expect(episode).toEqual({
      at: '2026-03-01T10:01:00.000Z',
      title: 'Fix the tide table',
      text: 'Fix the tide table. Fixed the hour of the table in summer.\nModified `a.ts`.',
    });
  });

  it('milestones from tags, releases and pull requests that succeeded', () => {
    const made = extract(
      turn('release it as a minor version', [
        run('git tag v1.2.0'),
        run('npm publish', 'npm ERR! 403', true),
        run('gh pr create --title "Tides in summer" --body x'),
      ]),
    );
    expect(made.milestones.map(({ title }) => title)).toEqual([
      'Tagged v1.2.0',
      'Opened a pull request: Tides in summer',
    ]);
  });

  it('insights that the agent stated clearly, but no guesses on the way', () => {
    const made = extract(
      turn('why is the table late?', [
        say('The issue is that the table might be read twice, maybe by the sun.'),
        run('npm run show'),
        say('It turns out that `addHours` in table.ts adds daylight saving twice to every hour.'),
      ]),
    );
    expect(made.insights.map(({ title }) => title)).toEqual([
      'It turns out that `addHours` in table.ts adds daylight saving twice to every hour',
    ]);
  });

  it('people whom the person names with their role', () => {
    expect(extract(asked('My colleague Anna wants the table in blue.')).people).toEqual([
      {
        name: 'Anna',
        statements: [
          { key: 'relation', text: 'Anna is a colleague.', saidBy: 'person' },
          { key: 'last mentioned', text: 'My colleague Anna wants the table in blue.', saidBy: 'person' },
        ],
      },
    ]);
    expect(extract(asked('Ask Claude or the Manager about Docker.')).people).toEqual([]);
  });

  it('a question that the agent did not answer', () => {
    expect(
      extract(asked('fix the table'), turn('why does the moon rise later every day?', [], { prompt: 2 })).questions,
    ).toEqual([{ text: 'Why does the moon rise later every day?' }]);
    expect(extract(asked('why does the moon rise later every day?')).questions).toEqual([]);
    expect(extract(turn('can you rebase this branch on main please?', [])).questions).toEqual([]);
    expect(extract(turn('why does this happen only at night in the harbour?', [])).questions).toEqual([]);
  });

  it('nothing if the conversation has neither work nor wishes', () => {
    expect(extract(turn('hello', [say('Hi!')]))).toEqual({
      ...{ episodes: [], projects: [], people: [], milestones: [], insights: [], facts: [], questions: [] },
    });
  });
});

it('takes time linear in the length of the text, even for hostile text', () => {
  const hostile = [
    'great '.repeat(2500),
    'i prefer '.repeat(1500),
    'let us use '.repeat(1400),
    `to deploy ${'a '.repeat(6000)}`,
    'my colleague '.repeat(1200),
    'because of the issue is that '.repeat(500),
    `we use ${'"'.repeat(9000)}`,
    `${'x, '.repeat(5000)}instead of`,
    'git commit -m "'.repeat(900),
  ];
  for (const text of hostile) {
    const made = extract(turn(text, [run(text, text, true), say(text), say(text)]), turn(text, [], { prompt: 2 }));
    expect(made.episodes.length).toBeLessThanOrEqual(1);
  }
});

it('a check that the person asked for is marked if it passed at the end and the answer names it', () => {
  const marked = (request: string, answer: string, ...lines: [line: string, failed?: boolean][]) => {
    const steps = lines.map(([line, failed = false]) => run(line, failed ? '2 failed' : '', failed));
    const made = extractConversation({ ...session([turn(request, [...steps, say(answer)])]), id: 1 });
    return made.projects.flatMap(({ statements }) =>
      statements.flatMap(({ text, why }) => (why === undefined ? [] : text)),
    );
  };
  const asked = 'Please make sure that lint and types pass.';
  const told = 'Both `npm run lint` and `npx tsc` are clean.';
  expect(marked(asked, told, ['npm run lint'], ['npx tsc'])).toEqual([
    'It is linted with `npm run lint`.',
    'Types are checked with `npx tsc`.',
  ]);
  expect(marked('Paint the lamp red.', told, ['npm run lint'])).toEqual([]);
  expect(marked(asked, 'All is clean.', ['npm run lint'])).toEqual([]);
  expect(marked(asked, told, ['npm run lint'], ['npm run lint', true])).toEqual([]);
});

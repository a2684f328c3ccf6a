import { describe, expect, it } from 'vitest';
import { edit, run, type Step, say, session, turn } from '../../../test/turns.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Turn } from '../material.ts';
import { extractConversation } from './extract.ts';
import { sharesNames } from './notable.ts';

const insights = (answer: string, next = 'thanks, and what about the quay?'): string[] =>
  extractConversation({
    ...session([
      turn('how does the forecast of the harbour work?', [edit('/home/dev/tide/a.go'), say(answer)]),
      turn(next, [say('The quay is made of stone.')], { prompt: 2 }),
    ]),
    id: 1,
  }).insights.map(({ text }) => text);

const rule = '`tide-cli` does not read `TIDE_URL` for the local provider, only `REMOTE_TIDE_URL` for the remote one.';

describe('the last answer of a turn', () => {
  it('yields how something works, if it names at least two things and a limit', () => {
    expect(insights(`Short answer first.\n\n${rule}`)).toEqual([rule]);
  });

  it.each([
    '`berth` was replaced by flat fields of the mooring.',
    'Vercel has no SSH keys of the harbour, so no build can clone via `git@tide`.',
    'Pictures of the quay go on `harbour-private:evidence` for each change of the tide.',
  ])('yields what holds from then on, or how a service works: %s', (text) => expect(insights(text)).toEqual([text]));

  it.each([
    'The old list was replaced by a new one of the harbour.',
    'It was replaced by `berth` in the whole harbour.',
    '`berth` will probably be replaced by flat fields of the mooring.',
  ])('yields no change that is not named or not sure: %s', (text) => expect(insights(text)).toEqual([]));

  it('yields the sentence with its point: what follows from it, or what to do about it', () => {
    for (const point of [
      'Use `REMOTE_TIDE_URL` for all of the quays of the harbour.',
      'So each request of the local provider goes out without the address.',
      'That hides `TIDE_URL` from every tool that the harbour starts.',
    ])
      expect(insights(`${rule} ${point}`)).toEqual([`${rule} ${point}`]);
    for (const next of [
      'If you want, I can change `TIDE_URL` for you.',
      'So that is it.',
      'So yes, each request of the local provider goes out without the address.',
      'The quay is long.',
    ])
      expect(insights(`${rule} ${next}`)).toEqual([rule]);
  });

  it('yields what is said of a name, also with its place in a file', () => {
    const named = '`tide-cli`: addresses stay as they are without `TIDE_URL`, since the provider never reads others.';
    expect(insights(`- ${named}`)).toEqual([named]);
    const placed =
      'The check (`limitOf`, `harbour.go:1304`) only fires when `tide-cli` knows `TIDE_URL` of the server.';
    expect(insights(placed)).toEqual([placed.replace(', `harbour.go:1304`', '')]);
    expect(insights('Order: addresses stay without `TIDE_URL`, since `tide-cli` never reads others.')).toEqual([]);
  });

  it('yields nothing if the person objects', () => {
    expect(insights(rule, 'no, that is wrong')).toEqual([]);
    expect(insights(rule, "I don't think so")).toEqual([]);
  });

  it('yields a change that a list shows, up to its colon', () =>
    expect(insights('`berth` was replaced by flat fields of the mooring:\n\n- `size`\n- `pier`')).toEqual([
      '`berth` was replaced by flat fields of the mooring.',
    ]));

  it('yields nothing that a later turn changed or decided', () => {
    const answered = turn('how does it work?', [run('tide help'), say(rule)]);
    const held = (next: Turn) => extractConversation({ ...session([answered, next]), id: 1 }).insights.length;
    const edited = (text: string): Step => ({ ...edit('/home/dev/tide/a.go'), input: { new_string: text } });
    expect(held(turn('thanks', [edited('read TIDE_URL in the lock')], { prompt: 2 }))).toBe(1);
    expect(held(turn('change it', [edited('the tide-cli reads TIDE_URL')], { prompt: 2 }))).toBe(0);
    const others = 'Since npm only allows one publisher for `tide-cli`, only `release.yml` may publish the package.';
    const publishes = turn('who publishes?', [run('tide help'), say(others)]);
    const moved = turn('move it', [edited('release.yml: publish tide-cli')], { prompt: 2 });
    expect(extractConversation({ ...session([publishes, moved]), id: 1 }).insights).toHaveLength(1);
    const committed = run('git commit -m "Let `tide-cli` read TIDE_URL"');
    expect(held(turn('commit', [committed], { prompt: 2 }))).toBe(0);
  });

  it.each([
    ['names one thing', 'The provider `tide-cli` does not read the address of the local provider without a key.'],
    ['tells how it was', '`tide-cli` did not read `TIDE_URL` for the local provider, because the flag was missing.'],
    ['tells of the work', 'The new test in `tide_test.go` only covers `TIDE_URL`, because the rest needs a server.'],
    ['tells of a new text', 'The new note says that `tide-cli` never reads `TIDE_URL` without `--remote` before it.'],
    ['is a proposal', 'Keep `TIDE_URL` only for the remote provider, because `tide-cli` does not read it locally.'],
    [
      'is about one version',
      'Latest Tide package `0.79.6` does not read `TIDE_URL`, because only `--remote` needs it.',
    ],
    [
      'has a version as its subject',
      'Root cause: `v4.40.1` and `v4.40.2` exist on GitHub, but npm never published `tide`.',
    ],
    ['guesses', '`tide-cli` probably does not read `TIDE_URL` for the local provider, only for the remote one.'],
    ['is about the speaker', 'I never saw `tide-cli` read `TIDE_URL` for the local provider without `--remote`.'],
    ['points into a file', '`tide.go:120` never reads `TIDE_URL`, because `tide-cli` only has the remote provider.'],
    ['has a subject without a name', 'The answer is small, so `tide-cli` never reads `TIDE_URL` a second time for it.'],
    ['has a label before a dash', 'Local providers (`a`, `b_c`) — no `TIDE_URL`, because `tide-cli` never reads one.'],
    ['is an item with a label', 'Provider: `tide-cli` does not read `TIDE_URL`, because only `--remote` needs it.'],
    [
      'needs the text before it',
      'When false, `tide-cli` never reads `TIDE_URL`, because only the remote one needs it.',
    ],
  ])('yields no sentence that %s', (_, sentence) => expect(insights(sentence)).toEqual([]));

  it('yields no sentence below a heading about the work', () => {
    expect(insights(`## What I would change\n\n${rule}`)).toEqual([]);
    expect(insights(`## How it works\n\n${rule}`)).toEqual([rule]);
  });

  it('yields a sentence that the agent announces as the answer, without the announcement and places in files', () => {
    const short = '`tide-cli` takes `--remote` (`tide.go:12`), but not `--local` with an address.';
    expect(insights(`## What I would change\n\nShort answer: ${short}`)).toEqual([
      short.replace(' (`tide.go:12`)', ''),
    ]);
    expect(insights(`The address is kept as it is. ${rule}`)).toEqual([rule]);
  });

  it('yields a cause with the sentence that explains it', () => {
    const cause = 'Root cause: `tide-cli` exists on GitHub, but npm never published it.';
    const mechanism = 'The workflow creates tags with `HARBOUR_TOKEN`, and such tags do not start another workflow.';
    expect(insights(`${cause} ${mechanism} I pushed the fix.`)[0]).toContain(`${cause} ${mechanism}`);
    expect(insights(`${cause} I pushed the fix.`)[0]).not.toContain('pushed');
  });
});

it.each([
  ['`tide-cli` never reads `TIDE_URL`.', 'The Tide CLI does not read `tide_url` for `--remote`.', true],
  ['`tide-cli` never reads `TIDE_URL`.', 'The `quay-cli` does not read `TIDE_URL`.', false],
])('two texts are about the same things even if they spell names differently: %s %s', (a, b, same) =>
  expect(sharesNames(a, b)).toBe(same),
);

describe('the errors in a compaction', () => {
  const compaction = `4. Errors and fixes:
   - **Provider error**: Using \`TideView\` from \`@tide/react\` failed without \`TideProvider\`. Fixed by the parts of \`@tide/core\`, which need none.
   - **Lost lock**:
     - \`TryLock\` returned early when \`tide.lock\` was stale
     - Fixed by checking \`lockAge\` first
   - **Lint formatting errors**: Biome reported the indentation of \`a.ts\` and \`b.ts\`. Fixed with \`lint:fix\`.
   - **Duplicate keys (CURRENT)**: \`buildTree\` adds the paths of \`skills\` twice, and it is not fixed yet.

6. All user messages:
   - **Message**: use \`TideView\` and \`TideProvider\` for the page`;

  it('are kept with their cure, unless a tool reports them or they are not solved', () => {
    const asked = turn('continue', [edit('/home/dev/tide/a.go'), say('Done.')]);
    const entry = { ...(asked.entries[0] as Entry), id: 'c', form: 'compaction' as const, author: 'machine' as const };
    const made = extractConversation({
      ...session([{ ...asked, entries: [...asked.entries, { ...entry, text: compaction }] }]),
      id: 1,
    });
    expect(made.insights.map(({ text }) => text)).toEqual([
      'Provider error: Using `TideView` from `@tide/react` failed without `TideProvider`. Fixed by the parts of `@tide/core`, which need none.',
      'Lost lock: `TryLock` returned early when `tide.lock` was stale. Fixed by checking `lockAge` first.',
    ]);
  });
});

describe('a text between two commands', () => {
  const lessons = (text: string): string[] =>
    extractConversation({
      ...session([
        turn('run the forecast', [run('tide forecast', 'no', true), say(text), run('tide forecast'), say('Done.')]),
      ]),
      id: 1,
    }).insights.map((insight) => insight.text);

  it.each([
    [
      'It gets past the import, but it rejected `/tmp` because current Tide enforces run folders under `.tide/results/<port>`. I’m switching.',
      'Tide enforces run folders under `.tide/results/<port>`.',
    ],
    [
      'The forecast exits now; its score is 0% because `--dry-run` uses the answers of a mock, not a model.',
      '`--dry-run` uses the answers of a mock, not a model.',
    ],
  ])('yields what something demands, from the reason of an error: %j', (text, lesson) =>
    expect(lessons(text)).toEqual([lesson]),
  );

  it.each([
    'I chose `/tmp` because Tide uses folders under `.tide/results/<port>` for all of its forecasts.',
    'The forecast failed because it requires folders under `.tide/results/<port>` for all ports.',
    'The forecast failed because `tide forecast` was called without `--port` before the folder existed.',
    'The forecast failed because the harbour needs a pilot for all of the boats in it.',
  ])('yields nothing without an error, a name or a subject, or of the past: %j', (text) =>
    expect(lessons(text)).toEqual([]),
  );
});

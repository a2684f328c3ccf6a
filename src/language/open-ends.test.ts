import { describe, expect, it } from 'vitest';
import type { Entry } from '../schema/entry.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import { fulfils, openEnds } from './open-ends.ts';

const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;

const entry = (author: Entry['author'], text: string, minute: number): Entry => ({
  id: `e${minute}`,
  session: 's',
  agent: 'claude-code',
  role: author === 'model' ? 'assistant' : 'user',
  author,
  at: at(minute),
  text,
  tools: [],
  abandoned: false,
});

const use = (outcome: 'ok' | 'error', output: string, minute = 1): ToolUse => ({
  id: 'u',
  entry: `e${minute}`,
  tool: 'Bash',
  at: at(minute),
  input: '{"command":"npm test"}',
  files: [],
  outcome,
  output,
});

const endsOf = (entries: readonly Entry[], toolUses: readonly ToolUse[] = []): string[] =>
  openEnds({ prompts: entries.filter(({ author }) => author === 'person').reverse(), entries, toolUses }).map(
    ({ text }) => text,
  );

const answered = (text: string) => endsOf([entry('person', 'Make it fast.', 0), entry('model', text, 1)]);

describe('what a session left open', () => {
  it.each([
    'Two of the tests still fail on Windows.',
    'TODO: remove the flag after the release.',
    'The client side is not yet done.',
    'Remaining work: the retry of failed uploads.',
    'This is blocked on the new API key.',
    'Pushed. Still open if you want them later: the gap in the denylist, and a reply to the review.',
    'I could not reproduce the crash on Windows.',
  ])('is found in %j', (text) => expect(answered(text).join(' ')).not.toBe(''));

  it.each([
    'All tests pass.',
    'No remaining issues.',
    'All remaining tests pass now.',
    'The next page shows the list.',
    'The remaining unstaged changes are unrelated.',
    'Not yet configured: shows the interactive prompt.',
    'The migration is written. Next step: deploy it on staging.',
    'Listed in the backlog = not yet implemented.',
    'pending - not yet implemented',
    'I recommend to rotate the keys tonight.',
    'There are two ways. Shall I use the lock or the queue?',
    'Done.\n\n## Next steps\n- You can deploy it when you like.\n- If the tests fail, run them again.',
    'Let me know if you need anything else, and what is left to do!',
    'Is there anything else I can help you with?',
  ])('is not found in %j', (text) => expect(answered(text)).toEqual([]));

  it('are the items under a heading that says so', () => {
    expect(answered('Done with the parser.\n\n## Still open\n- wire it into the server\n- measure the upload')).toEqual(
      ['wire it into the server', 'measure the upload'],
    );
  });

  it('is a prompt without an answer, but not a command or a thank-you', () => {
    const before = [entry('person', 'Make it fast.', 0), entry('model', 'It is fast.', 1)];
    expect(endsOf([...before, entry('person', 'And the import?', 2)])).toEqual([
      'Asked and not answered: And the import?',
    ]);
    expect(endsOf([...before, entry('person', '/clear', 2)])).toEqual([]);
    expect(endsOf([...before, entry('person', 'ok thanks!', 2)])).toEqual([]);
    expect(endsOf([...before, entry('person', 'And the import?', 2)], [use('ok', '', 3)])).toEqual([]);
  });

  it('is an interruption, reported without the words of the machine', () => {
    const open = endsOf([
      entry('person', 'Rename all tables.', 0),
      entry('machine', '[Request interrupted by user]', 1),
    ]);
    expect(open).toEqual(['Interrupted while working on: Rename all tables.']);
  });

  it('is not an interruption if a plan was refused, or if the prompt leaves nothing to do', () => {
    const stop = entry('machine', '[Request interrupted by user]', 1);
    expect(endsOf([{ ...entry('person', '[Rejected the plan]', 0), form: 'verdict' }, stop])).toEqual([]);
    expect(endsOf([entry('person', 'try again', 0), stop])).toEqual([]);
    expect(answered('If this still fails, we can build it locally.')).toEqual([]);
  });

  it('is not an interruption if the person accepted a plan, which continues in another session', () => {
    const said = [entry('person', 'Rename all tables.', 0), entry('machine', '[Request interrupted by user]', 1)];
    expect(endsOf(said, [{ ...use('ok', ''), tool: 'ExitPlanMode' }])).toEqual([]);
  });

  it('is not a search that found nothing, nor a failure that the answer says is fixed', () => {
    const said = [entry('person', 'Run the tests.', 0), entry('model', 'Running.', 1)];
    const search = { ...use('error', 'nothing'), input: '{"command":"grep -rn tide docs"}' };
    expect(endsOf(said, [search])).toEqual([]);
    const over = [entry('person', 'Run the tests.', 0), entry('model', 'All 12 tests pass now.', 2)];
    expect(endsOf(over, [use('error', 'Error: 2 tests failed')])).toEqual([]);
  });

  it('is a last command that failed, unless the person refused it or a later one worked', () => {
    const said = [entry('person', 'Run the tests.', 0), entry('model', 'Running.', 1)];
    expect(endsOf(said, [use('ok', ''), use('error', 'building\nError: 2 tests failed\nmore')])).toEqual([
      'Last run failed: Bash npm test (Error: 2 tests failed)',
    ]);
    expect(endsOf(said, [use('error', 'x'), use('ok', '')])).toEqual([]);
    expect(endsOf(said, [use('error', "The user doesn't want to proceed with this tool use.")])).toEqual([]);
  });

  it('is not a failure with another cause than the work', () => {
    const failed = [use('error', 'Error: 2 tests failed')];
    for (const text of ['The two failures are pre-existing.', 'They fail because Docker is not installed here.'])
      expect(endsOf([entry('person', 'Run the tests.', 0), entry('model', text, 2)], failed), text).toEqual([]);
  });

  it('is not an interruption after the report, or of a commit that the person makes by hand', () => {
    const stop = entry('machine', '[Request interrupted by user for tool use]', 3);
    const asked = entry('person', 'Rename all tables.', 0);
    expect(endsOf([asked, entry('model', 'All tests pass. Let me also look at the docs.', 1), stop])).toEqual([]);
    const commit = { ...use('error', "doesn't want to proceed", 2), input: '{"command":"git commit -m \\"x\\""}' };
    expect(endsOf([asked, stop], [commit])).toEqual([]);
    expect(endsOf([asked, entry('model', 'Let me rename the first one.', 1), stop])).toHaveLength(1);
  });

  it.each([
    'The charts are vendored for now; re-pin `tide-lib` once the release is tagged.',
    'Once #41 is merged, bump `tide-lib` to the new version.',
    'Remove the fallback for old charts as soon as tide-lib 3 is published.',
  ])('is a step that waits for something else: %s', (text) => expect(answered(`Done. ${text}`)).toEqual([text]));

  it.each([
    'I removed the fallback for old charts after tide-lib 3 was published.',
    'If you want, bump `tide-lib` once it is released.',
    'Should I re-pin `tide-lib` once the release is tagged?',
    'Delete the branch after it is merged.',
    'The harbour lights switch on when the boat lands.',
  ])('is no step that was taken, that is an offer, or that belongs to no work: %s', (text) =>
    expect(answered(`Done. ${text}`)).toEqual([]),
  );

  it('is over when a later commit takes the step', () => {
    const pledge = 'Re-pin `tide-lib` once the release is tagged.';
    expect(fulfils(pledge, 'Pin tide-lib to v3.0.0')).toBe(true);
    expect(fulfils(pledge, 'Pin the node version')).toBe(false);
    expect(fulfils(pledge, 'Read charts with tide-lib')).toBe(false);
  });

  it('is what the person put off and named', () => {
    const said = (text: string) => endsOf([entry('person', text, 0), entry('model', 'Fine.', 1)]);
    expect(said("Good. We'll finish the retry of uploads later.")).toEqual([
      "The person said: We'll finish the retry of uploads later.",
    ]);
    for (const text of [
      'Everything works! Lets continue tomorrow',
      'OK, remind me where we stand on the review.',
      'So we learn from this for the next time.',
      'First we need to come back to the colours.',
      "Don't forget to run the tests.",
    ])
      expect(said(text), text).toEqual([]);
  });
});

describe('a commit or push that the person asked for', () => {
  const git = (command: string, outcome: 'ok' | 'error'): ToolUse => ({
    ...use(outcome, '', 2),
    input: JSON.stringify({ command }),
  });
  const asked = (text: string, uses: ToolUse[], answer = 'The hook refused.') =>
    endsOf([entry('person', 'Make it fast.', 0), entry('person', text, 1), entry('model', answer, 3)], uses);

  it('is open if the command failed, and none of the answers says that it is done', () => {
    expect(asked('ok, commit this', [git('git commit -m "x"', 'error')])).toEqual([
      'Asked for, and not done: ok, commit this.',
    ]);
  });

  it('is not open if the agent never tried: a person or another session has mostly done it', () => {
    const stop = entry('machine', '[Request interrupted by user]', 1);
    expect(endsOf([entry('person', 'commit this', 0), stop])).toEqual([]);
    expect(asked('push', [git('git commit -m "x"', 'ok')])).toEqual([]);
  });

  it('is done if a command did it, or an answer says so', () => {
    expect(asked('commit', [git('git -C /a commit -m "x"', 'ok')])).toEqual([]);
    expect(asked('push it', [git('git push', 'ok')])).toEqual([]);
    expect(asked('commit this', [], 'There is nothing to commit.')).toEqual([]);
    expect(asked('commits should be small', [])).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { withoutPreamble } from './preamble.ts';
import { readRequest, saysNothing } from './request.ts';
import { typedText } from './typed-text.ts';

describe('the title of a request', () => {
  it.each([
    [
      'Hey Claude, can you please add a Github Action to run tests and linting?',
      'Add a Github Action to run tests and linting',
    ],
    ['ok, make muted a little brighter', 'Make muted a little brighter'],
    [
      'i think the theme selector needs to push the update to the next tick',
      'The theme selector needs to push the update to the next tick',
    ],
    ["Let's also Migrate to AudioWorklet", 'Migrate to AudioWorklet'],
    ['move @packages/agent/src/utils/config.ts to src/', 'Move config.ts to src/'],
    ['can we rebase on main, please?', 'Rebase on main'],
    [
      "The redirection doesn't work :( we might need to move it to @vercel.json ?",
      "The redirection doesn't work we might need to move it to vercel.json?",
    ],
    ['why are there 2 subscription handlers?', 'Why are there 2 subscription handlers?'],
    ['userName is not used it seems?', 'userName is not used it seems?'],
    ['support .tar and .tar.gz archives', 'Support .tar and .tar.gz archives'],
  ])('of %j is %j', (text, title) => expect(readRequest(text).title).toBe(title));

  it('comes from the sentence that asks, not from the talk before it', () => {
    const text =
      'OK, so this was just so you know what there is now, but after a decade I want to pick it up and fix the broken APIs.';
    expect(readRequest(text).title).toBe('Pick it up and fix the broken APIs');
    expect(readRequest("It's been a while. How are you? Please update the changelog for the release.").title).toBe(
      'Update the changelog for the release',
    );
  });

  it('is not taken from a pasted log, code, JSON, path or shell session', () => {
    const pasted = [
      '➜  tide git:(main) ✗ npm start',
      "Error: ENOENT: no such file or directory, open '/home/dev/tide/x.json'",
      '    at Object.openSync (node:fs:443:3)',
      '  errno: -2,',
      '{"type":"message","content":[]}',
      'const a = await load({ force: true });',
      '2026-03-01T10:00:00Z ERROR boom',
      "'/var/folders/T/Screenshot 2026-03-01.png'",
      'npm ERR! code ELIFECYCLE',
      '🐳 Building container image...',
    ];
    for (const line of pasted) expect(readRequest(line), line).toMatchObject({ title: '' });
    expect(readRequest(`${pasted.join('\n')}\n\nwhy does the loader crash here?`).title).toBe(
      'Why does the loader crash here?',
    );
    expect(typedText('see:\n```\nfenced code\n```\nplease')).toBe('see:\nplease');
  });

  it('ends where a clause ends, or between words, and is never long', () => {
    const long = `Change the tide table to read from the cache, but keep the old reader for files ${'that are very old '.repeat(9)}`;
    expect(readRequest(long).title).toBe('Change the tide table to read from the cache');
    for (const text of [
      'fix '.repeat(300),
      `rename ${'x'.repeat(80)} to ${'y'.repeat(80)}`,
      `add ${'ä b '.repeat(400)}`,
    ])
      expect(readRequest(text).title.length).toBeLessThanOrEqual(110);
  });

  it.each([
    'ok',
    'OK.',
    'continue',
    'yes',
    'go ahead',
    '/clear',
    '! ls',
    'thanks!',
    'Excellent work, thank you!',
    'A',
    '',
    '   ',
    'do it',
  ])('is empty for %j, which says nothing', (text) => {
    expect(saysNothing(text)).toBe(true);
    expect(readRequest(text).title).toBe('');
  });

  it('is found in a prompt that was typed in haste', () => {
    expect(readRequest('ok. uh. the footer should be dimmer. look into the footer sources').title).toMatch(/footer/i);
    expect(withoutPreamble('ok, so, to be fair, maybe also list 5 strengths')).toBe('list 5 strengths');
    expect(withoutPreamble('no console logs')).toBe('no console logs');
  });

  it('is found in linear time, even in hostile pasted text', () => {
    const hostile = [
      'a/'.repeat(3000),
      '('.repeat(6000),
      ', '.repeat(3000),
      'fix it. '.repeat(800),
      `"${'\\"'.repeat(3000)}`,
      '@x '.repeat(2000),
    ];
    for (const text of hostile) expect(readRequest(text).title.length).toBeLessThanOrEqual(110);
  });

  it.each([
    ['can you look at https://github.com/o/tide/pull/66 and fix the clock?', 'Fix the clock'],
    [
      'should we close https://github.com/o/tide/issues/1263 as done by the moon clock',
      'Should we close issue #1263 as done by the moon clock',
    ],
    [
      'research how https://github.com/o/tide-eval finds changed charts',
      'Research how o/tide-eval finds changed charts',
    ],
    ['move ./a/tides.json to ./b/tides.json', 'Move ./a/tides.json to ./b/tides.json'],
  ])('names what an address or a path leads to: %j', (text, title) => expect(readRequest(text).title).toBe(title));

  it.each([
    [
      'implement the tide clock in a new branch, do meaningful commits, run /simplify when done',
      'Implement the tide clock',
    ],
    ['review our open charts and let me know if any of them are stale', 'Review our open charts'],
    ['remove the old harbour map and push directly to main', 'Remove the old harbour map'],
    ['commit and push', 'Commit and push'],
  ])('does not say how to deliver: %j', (text, title) => expect(readRequest(text).title).toBe(title));

  it.each([
    ['I got this error when running the "Moon" clock', 'Error when running the "Moon" clock'],
    ['I cannot open a chart of the harbour', 'Cannot open a chart of the harbour'],
    ['We should not display the moon for lakes', 'Do not display the moon for lakes'],
    ['Is there an easy way to show the height of the tide?', 'Show the height of the tide'],
    ['there is a bug in the tide clock', 'Bug in the tide clock'],
    [
      'I ran an import with the new reader but got these errors: [Reader] failed\n[Reader] again',
      'An import with the new reader fails',
    ],
    ['Different question: does the tide clock know the moon?', 'Does the tide clock know the moon?'],
    ['please help me with porting the harbour map', 'Porting the harbour map'],
    ['While we wait, draw the moon above the chart', 'Draw the moon above the chart'],
    ['As one last step: rename the tide clock', 'Rename the tide clock'],
  ])('says the matter rather than who noticed it: %j', (text, title) => expect(readRequest(text).title).toBe(title));

  it.each([
    [
      'read tide.md in full, then the sources. we still need to port over harbour.ts to the new theme',
      'Port over harbour.ts to the new theme',
    ],
    [
      'You are the coordinator. Do not write code yourself. Review the open charts of the harbour',
      'Review the open charts of the harbour',
    ],
    ['we did a big cleanup and now all the browser checks are failing', 'All the browser checks are failing'],
    ['have a look at the diff of tide.ts and explain what countTides does', 'Explain what countTides does'],
  ])('comes from the purpose, not from preparation or rules: %j', (text, title) =>
    expect(readRequest(text).title).toBe(title),
  );

  it.each([
    'expanded.renderable = "" mock.display = "none"',
    'test/test_tide.py:74: AssertionError',
    '=== RUN   TestTides',
    'CommandUsage`login`Sign in`tide login``logout`Sign out',
    'tide-sync sync --tags --all https://example.org/a.git $REMOTE',
  ])('is not the pasted line %j', (line) => expect(readRequest(line).title).toBe(''));

  it.each([
    'we moved the chart from `harbour/tide` to `harbour/tides` and the module stays `tide`',
    `we are going to adopt the buoy contract. see https://example.org/${'a-very-long-path/'.repeat(8)}`,
    'how does tide --mirror handle this?',
  ])('may come from a typed line that holds code or an address: %j', (line) => expect(typedText(line)).toBe(line));

  it.each([
    'Add the moon to the chart',
    'Why does `countTides` start at one?',
    'Update README.md so that it names the moon',
  ])('is sound: %j', (text) => expect(readRequest(text).sound).toBe(true));
  it.each([
    'Replace them with a single link',
    'Investigate whether this issue is stale',
    'take a look at the harbour map',
    'Here is the log of the harbour from the console',
    'fix the tests',
    'It was supposed to show the moon of the harbour',
  ])('is not sound: %j', (text) => expect(readRequest(text).sound).toBe(false));

  it('is cut where a thought ends, without dots', () => {
    const { title } = readRequest(
      'Update the index of the harbour map to contain all the heights of the tides added up and also the time of the last change of the moon',
    );
    expect(title).toBe('Update the index of the harbour map to contain all the heights of the tides added up');
  });
});

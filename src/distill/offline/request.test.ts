import { describe, expect, it } from 'vitest';
import { readRequest, saysNothing, typedText, withoutPreamble } from './request.ts';

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
      expect(readRequest(text).title.length).toBeLessThanOrEqual(100);
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
    for (const text of hostile) expect(readRequest(text).title.length).toBeLessThanOrEqual(100);
  });
});

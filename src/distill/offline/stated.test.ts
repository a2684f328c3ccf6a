import { describe, expect, it } from 'vitest';
import { session, turn } from '../../../test/turns.ts';
import { extractConversation } from './extract.ts';

const kept = (...prompts: string[]): string[] =>
  extractConversation({
    ...session(prompts.map((text, i) => turn(text, [], { prompt: i + 1 }))),
    id: 1,
  }).projects.flatMap(({ statements }) => statements.map(({ text }) => text));

describe('a prompt', () => {
  it.each([
    ['the tide backend is in ../buoys', 'The tide backend is in ../buoys.'],
    ['btw, our charts live in ~/src/charts-next.', 'Our charts live in ~/src/charts-next.'],
    [
      'ok, ../../libtide is where libtide is checked out, so open a PR there',
      'Libtide is checked out in ../../libtide.',
    ],
  ])('says where something is: %s', (prompt, text) => expect(kept(prompt)).toEqual([text]));

  it.each([
    ['the go package name stays `tidelib`', 'The go package name stays `tidelib`.'],
    ['the repo is now: github.com/harbour/tide-sync', 'The repo is now github.com/harbour/tide-sync.'],
    [
      'we renamed the repo from `harbour/tide` to `harbour/tide-sync` can you fix the names?',
      'The repo is now `harbour/tide-sync`.',
    ],
    ['the npm package is called tide-charts', 'The npm package is called tide-charts.'],
  ])('says how something is called: %s', (prompt, text) => expect(kept(prompt)).toEqual([text]));

  it('keeps both names of one sentence, and the last name of each thing', () => {
    expect(kept('the repo is now github.com/harbour/tides but the cli binary is still tide-sync')).toEqual([
      'The repo is now github.com/harbour/tides.',
      'The cli binary is still tide-sync.',
    ]);
    expect(
      kept('the repo is now github.com/harbour/tides', 'we renamed the repo from harbour/tides to harbour/tide-sync'),
    ).toEqual(['The repo is now harbour/tide-sync.']);
  });

  it.each([
    [
      'we explicitly do not want pixel comparisons in the forecast checks.',
      'We explicitly do not want pixel comparisons in the forecast checks.',
    ],
    [
      'for charts, i know we want something that works with vector and raster tiles',
      'We want something that works with vector and raster tiles (for charts).',
    ],
    [
      'and remember that I would rather build it as small composable shell tools than one big desktop program',
      'I would rather build it as small composable shell tools than one big desktop program.',
    ],
  ])('states what is wanted for sure: %s', (prompt, text) => expect(kept(prompt)).toEqual([text]));

  it.each([
    'is the tide backend in ../buoys?',
    'the log is in /tmp/tide.log',
    'the bug is in ../buoys/lock.go:17',
    'it is in ../buoys',
    'the commit is on harbour/fix-lease locally',
    'the repo is now broken',
    'I would rather do it tomorrow than today',
    'we definitely want to fix this first',
    'i know we want that too',
    'is the package called `tide`?',
  ])('yields nothing of the moment: %s', (prompt) => expect(kept(prompt)).toEqual([]));

  it('yields nothing that was pasted or is far down a long prompt', () => {
    expect(kept(`I get this:\n\nthe tide backend is in ../buoys\nretrying\n`)).toEqual([]);
    expect(kept(`${'The harbour opens at dawn. '.repeat(60)}the tide backend is in ../buoys`)).toEqual([]);
  });
});

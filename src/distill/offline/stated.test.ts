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

  it('states a rule about all of a kind', () => {
    expect(kept('anything that only shipped in the beta can be removed at once, maybe note that somewhere')).toEqual([
      'Anything that only shipped in the beta can be removed at once.',
    ]);
    expect(
      kept('no need to check anything in the harbour', 'every chart should be green?', 'all of it must go'),
    ).toEqual([]);
  });

  it('that rejects a plan says what the person wants instead, with the title of the plan', () => {
    const proposes = turn('make it installable', [
      {
        tool: 'ExitPlanMode',
        input: { plan: '## Plan: Make Tides Installable\n\n1. Rename tide-run.py' },
        failed: true,
      },
    ]);
    const refuses = (comment: string) => {
      const second = turn(`[Rejected the plan]\n${comment}`, [], { prompt: 2 });
      const entries = second.entries.map((entry) => ({ ...entry, form: 'verdict' as const }));
      return extractConversation({ ...session([proposes, { ...second, entries }]), id: 1 }).projects.flatMap(
        ({ statements }) => statements.map(({ text }) => text),
      );
    };
    expect(refuses('keep `tide-run.py` as the name of the script and let pyproject refer to it')).toEqual([
      'Of the plan “Make Tides Installable” the person said: keep `tide-run.py` as the name of the script and let pyproject refer to it.',
    ]);
    expect(refuses('scripts of the harbour should never be renamed')).toHaveLength(1);
    expect(refuses('keep the name of the script and let pyproject refer to it')).toEqual([]);
    expect(refuses('keep the name of tide-run.py as the script, otherwise gtg')).toEqual([]);
    expect(refuses('why not rename the script in pyproject instead?')).toEqual([]);
    expect(refuses('hm')).toEqual([]);
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
      'and remember that I would rather ship small composable shell tools than one big desktop program',
      'I would rather ship small composable shell tools than one big desktop program.',
    ],
  ])('states what is wanted for sure: %s', (prompt, text) => expect(kept(prompt)).toEqual([text]));

  it.each([
    ['subharbour should not be the default mode', 'Subharbour should not be the default mode.'],
    ['ok, no longer need docker.', 'No longer need docker.'],
    ['the `--moor` flag should be optional', 'The `--moor` flag should be optional.'],
    ['tide-abe: subharbour should not be the default mode', 'Subharbour should not be the default mode.'],
    [
      'and we don’t need backward compatibility this will make things over complicated',
      'We don’t need backward compatibility.',
    ],
    [
      'In cloud mode we should not display the choice of the harbour in the module of repairs',
      'In cloud mode we should not display the choice of the harbour in the module of repairs.',
    ],
  ])('states what something is to be for good: %s', (prompt, text) => expect(kept(prompt)).toEqual([text]));

  it.each([
    'the header should be wider',
    'should the header be optional?',
    'it should be the default',
    'we no longer need the second one',
    'in this case we should not display the choice of the harbour',
    'when it is done we should only push the branch of the harbour',
    'we do not need the second window of the harbour',
  ])('does not take a single change for a trait: %s', (prompt) => expect(kept(prompt)).toEqual([]));

  it.each([
    'is the tide backend in ../buoys?',
    'the log is in /tmp/tide.log',
    'the bug is in ../buoys/lock.go:17',
    'it is in ../buoys',
    'the commit is on harbour/fix-lease locally',
    'the repo is now broken',
    'I would rather do it tomorrow than today',
    'I would rather build it as small composable shell tools than one big desktop program',
    'we definitely want to fix this first',
    'i know we want that too',
    'is the package called `tide`?',
  ])('yields nothing of the moment: %s', (prompt) => expect(kept(prompt)).toEqual([]));

  it('yields nothing that was pasted or is far down a long prompt', () => {
    expect(kept(`I get this:\n\nthe tide backend is in ../buoys\nretrying\n`)).toEqual([]);
    expect(kept(`${'The harbour opens at dawn. '.repeat(60)}the tide backend is in ../buoys`)).toEqual([]);
  });
});

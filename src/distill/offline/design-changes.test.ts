import { describe, expect, it } from 'vitest';
import { run, type Step, session, turn } from '../../../test/turns.ts';
import { extractConversation } from './extract.ts';

const statements = (...steps: Step[]) =>
  extractConversation({ ...session([turn('commit it', steps)]), id: 1 }).projects.flatMap((one) => one.statements);
const kept = (...titles: string[]): string[] =>
  statements(...titles.map((title) => run(`git commit -m "${title}"`)))
    .filter(({ change }) => change !== 'retire')
    .map(({ text }) => text);

describe('the title of a commit', () => {
  it.each([
    ['Replace polling for tides with a subscription to the buoy feed'],
    ['Split --draft into --draft-local and --draft-shared'],
    ['Rename the harbour module to quay_registry'],
    ['Change default chart format from svg to png'],
    ['Make forecast the default command of tidectl'],
    ['Use monotonic clocks instead of wall time for lease expiry'],
    ['Reject identical source and target harbours before any request'],
    ['Stop forcing TIDE_OFFLINE=1 on the forecast subprocess'],
  ])('that changes the design is kept: %s', (title) =>
    expect(kept(title)).toEqual([`Decided in a commit: ${title.charAt(0).toLowerCase()}${title.slice(1)}.`]),
  );

  it('keeps the part of the code that it names, and only the deciding half', () => {
    expect(kept('lease: defer renewal until half of the term has passed')).toEqual([
      'Decided in a commit: defer renewal until half of the term has passed (lease).',
    ]);
    expect(kept('Tidy the parser; rename --moor to --moor-mode')).toEqual([
      'Decided in a commit: rename --moor to --moor-mode.',
    ]);
  });

  it.each([
    ['adds something', 'Add a subscription to the buoy feed of the harbour'],
    ['concerns tests', 'Replace the fake harbour with a real one in tests'],
    ['concerns wording', 'Replace the typo in the README with the right word'],
    ['concerns looks', 'Replace the corrupted logo with the official one'],
    ['concerns dead code', 'Stop exporting unused helpers of the forecast package'],
    ['moves one file', 'move config.ts from utils/ to the src/ folder of the server'],
    ['gives one thing another name', 'Rename the big harbour picture to quay_picture'],
    ['says too little', 'Rename foo to bar'],
    ['follows a convention for small things', 'chore: move the release script to the scripts folder'],
  ])('that %s is not kept', (_, title) => expect(kept(title)).toEqual([]));

  it('is not kept if the commit failed or was taken back', () => {
    const title = 'Split --draft into --draft-local and --draft-shared';
    expect(statements(run(`git commit -m "${title}"`, '', true))).toEqual([]);
    expect(statements(run(`git commit -m "${title}"`), run('git reset --hard HEAD~1'))).toEqual([]);
  });

  const gone = (title: string) =>
    statements(run(`git commit -m '${title}'`))
      .filter(({ change }) => change === 'retire')
      .map(({ ends }) => ends?.of);

  it('that puts other names in the place of a name retires what is known about it', () => {
    expect(gone('cli: split --draft into --draft-local and --draft-shared')).toEqual(['--draft']);
    expect(gone('Rename the field from tide_at to ebbs_at')).toEqual(['tide_at']);
    expect(gone('Replace TideCursor with TideReader')).toEqual(['TideCursor']);
    expect(gone('Replace TideCursor with TideReader in the harbour page')).toEqual([]);
    expect(gone('Replace `git` with `libgit`')).toEqual([]);
    expect(gone('Rename the harbour page to the quay page')).toEqual([]);
  });

  it('that removes a name retires what is known about it', () => {
    expect(statements(run('git commit -m "store: drop TideCursor per review"'))).toEqual([
      {
        ...{ key: 'removed: TideCursor', ends: { by: 'removal', of: 'TideCursor' }, change: 'retire', saidBy: 'agent' },
        text: 'The commit “store: drop TideCursor per review” removed TideCursor.',
      },
    ]);
    expect(statements(run('git commit -m "Drop unused name parameter of openTide"'))).toEqual([]);
    expect(gone('Drop --moor per review')).toEqual(['--moor']);
    expect(gone('Remove telemetry'), 'a plain word').toEqual([]);
    expect(statements(run('git commit -m "Remove --moor from the tests"'))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { run, type Step, session, turn } from '../../../test/turns.ts';
import { isArrangement, isContract, redoes, whyIn } from './contracts.ts';
import { extractConversation } from './extract.ts';

const kept = (...steps: Step[]): string[] =>
  extractConversation({ ...session([turn('commit it', steps)]), id: 1 }).projects.flatMap(({ statements }) =>
    statements.filter(({ change }) => change !== 'retire').map(({ text }) => text),
  );
const commit = (title: string, body: string) =>
  run(`git commit -m "$(cat <<'EOF'\n${title}\n\n${body}\n\nCo-Authored-By: A <a@b.c>\nEOF\n)"`);
const sentence = (text: string, heading = '') => ({ text, heading });

describe('a sentence of a description', () => {
  it.each([
    'moor --strict stays fatal even with --quiet; other rejections continue to become warnings.',
    'Without --berth, the harbour master assigns a place on remote quays.',
    'Only TIDE.md at the root of each harbour is read when the tables are built.',
    'Rather than patching the old wire, the push of boats was rewritten to use PilotStream directly.',
    'moor --all now also implies --lights for barges and tugs so that the log is whole.',
    'Callers of the library keep the two flags (AllBoats, BestEffort) apart.',
    'An explicit flag still wins over the environment of the harbour.',
    'Boats with a pilot of their own can pass a PilotFinder to NewHarbour.',
    'After a storm on /quays/open, the master that answers is in `res.Master`, which can differ from `c.Home`.',
  ])('says how something behaves from then on: %s', (text) => expect(isContract(sentence(text))).toBe(true));

  it.each([
    ['tells how it was', 'Previously moor --strict treated any rejection of the harbour as fatal.'],
    ['is an order', 'Update `moor.json` so that the list only shows boats of the harbour.'],
    ['is an order about a name', 'Encapsulate BerthStore so that NewHarbour never reads its fields.'],
    ['lacks its subject', 'Falls back to the plan of each quay when HarbourMaster is empty.'],
    ['begins with a label', 'MoorRejectsOtherKinds: the relay of the harbour only takes HarbourBoats.'],
    ['points back', 'Validation of the harbour accepts those boats only when AllBoats is set.'],
    ['is about tests', 'The harbour test only covers the path that `moor --strict` rejects.'],
    ['says how the code is made', 'BerthStore is kept as a thin layer over HarbourStore for old callers.'],
    ['states no limit', 'The list of boats in HarbourView shows the name and the flag.'],
    ['names nothing that people use', 'The gulls of the harbour only sleep on the northern mole at night.'],
  ])('does not, if it %s', (_, text) => expect(isContract(sentence(text))).toBe(false));

  it('does not below a heading about the past or the checks', () => {
    const text = 'Without --berth, the harbour master assigns a place on remote quays.';
    for (const heading of ['Problem', 'Test plan', 'Root cause', 'Follow-ups'])
      expect(isContract(sentence(text, heading)), heading).toBe(false);
  });
});

describe('a commit', () => {
  it('gives each contract of its numbered items with its title, but not if it only arranges the code', () => {
    const body = `Three findings:

1. Quiet runs hid the strict ones. \`MoorStrict\` stays fatal even with \`--quiet\`.

2. The bell rang twice. Only TIDE.md at the root of each harbour is read when the tables are built.`;
    const from = '(From the commit “Address findings about the harbour”.)';
    expect(kept(commit('Address findings about the harbour', body))).toEqual([
      `\`MoorStrict\` stays fatal even with \`--quiet\`. ${from}`,
      `Only TIDE.md at the root of each harbour is read when the tables are built. ${from}`,
    ]);
    expect(kept(commit('Simplify the harbour', body))).toEqual([]);
    expect(isArrangement('harbour: post-review cleanup')).toBe(true);
    expect(isArrangement('Cover moor --strict from end to end')).toBe(false);
  });

  it('writes a command at the beginning of a statement as it is typed', () =>
    expect(kept(commit('Cover the lights', 'moor --dry leaves lights alone when --lights is absent.'))).toEqual([
      'moor --dry leaves lights alone when --lights is absent. (From the commit “Cover the lights”.)',
    ]));

  it('gives way to a later one that does the same in another way', () => {
    const first = 'Only AnchorReader bodies of the harbour get stored on disk.';
    const other = 'Only ChainReader bodies of the harbour get stored on disk.';
    const steps = [
      commit('moor: store anchor bodies to avoid a stall', first),
      commit('moor: store chain bodies to avoid the stall', other),
    ];
    expect(kept(...steps)).toEqual([`Decided in a commit: store chain bodies to avoid the stall (moor). ${other}`]);
    expect(redoes('moor: show anchor bodies to avoid a stall', 'moor: store anchor bodies to avoid a stall')).toBe(
      false,
    );
  });
});

describe('a title that decides something', () => {
  it('is told with what was wrong before', () => {
    const body =
      'The previous --anchor always held two boats: AnchorStore kept the first chain and refused the second.';
    expect(kept(commit('Split --anchor into --bow-anchor and --stern-anchor', body))).toEqual([
      `Decided in a commit: split --anchor into --bow-anchor and --stern-anchor. ${body}`,
    ]);
    expect(
      whyIn([sentence('Reviewed by the harbour master, who never sleeps before the tide.')], 'Split x'),
    ).toBeUndefined();
  });
});

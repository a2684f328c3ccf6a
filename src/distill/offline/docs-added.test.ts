import { describe, expect, it } from 'vitest';
import { type Step, turn } from '../../../test/turns.ts';
import { docsAdded } from './docs-added.ts';

const change = (file: string, before: string, after: string, failed = false): Step => ({
  ...{ tool: 'Edit', input: { file_path: file, old_string: before, new_string: after }, files: [file], failed },
});
const added = (...steps: Step[]) => docsAdded([turn('write it down', steps)]).map(({ text }) => text);
const guide = '/home/dev/tide/docs/mooring.md';
const old = 'The harbour takes boats of all sizes.';
const strict = '`--strict` stays fatal for boats without a pilot, even under `--all`.';
const apart = 'Callers of the library set `AllBoats` and `BestEffort` apart: the two flags are independent.';

describe('an edit of the documentation', () => {
  it('yields the sentences it adds that say how something behaves, with the name of the document', () => {
    const text = `${old} The harbour is old and beautiful.\n\n${strict}\n\n- ${apart}\n\n\`\`\`sh\nmoor --strict never fails\n\`\`\``;
    expect(added(change(guide, old, text))).toEqual([
      `${strict} (Added to \`mooring.md\`.)`,
      `${apart} (Added to \`mooring.md\`.)`,
    ]);
  });

  it('yields nothing that stood there before, or that begins or ends within a sentence', () => {
    expect(added(change(guide, `${old} ${strict}`, `${strict} ${old}`))).toEqual([]);
    expect(added(change(guide, old, 'and `--strict` never takes boats that have no pilot of their own.'))).toEqual([]);
    expect(added(change(guide, old, 'The `--strict` flag only takes boats that have a pilot or'))).toEqual([]);
    expect(
      added(change(guide, old, `${strict.slice(0, 30)} … [90 characters left out] … ${strict.slice(30)}`)),
    ).toEqual([]);
  });

  it('yields nothing that a later edit takes out again, nor one that failed', () => {
    expect(added(change(guide, old, strict), change(guide, strict, old))).toEqual([]);
    expect(added(change(guide, old, strict, true))).toEqual([]);
  });

  it('tells a thing once, and without a reference to another chapter', () => {
    const first = 'Foreign boats (`pull/*`, `merge/*`) are excluded even under `--all` — see Foreign boats.';
    const again = 'Even under `--all`, the command skips `pull/*` and `merge/*` of foreign harbours.';
    expect(added(change(guide, old, `${first}\n\n${again}`))).toEqual([
      'Foreign boats (`pull/*`, `merge/*`) are excluded even under `--all`. (Added to `mooring.md`.)',
    ]);
  });

  it.each([
    '/home/dev/tide/CHANGELOG.md',
    '/home/dev/tide/CLAUDE.md',
    '/home/dev/.claude/plans/moor.md',
    '/home/dev/tide/test/fixtures/guide.md',
    '/home/dev/tide/src/moor.ts',
  ])('yields nothing from %s', (file) => expect(added(change(file, old, strict))).toEqual([]));
});

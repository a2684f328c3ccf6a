import { describe, expect, it } from 'vitest';
import { isAside, isMinor, isTrivial, namesWork, repeatsCommit, repeatsTitle, tellsOutcome } from './worth-telling.ts';

describe('an outcome', () => {
  it.each([
    ['Upgrade ferry-lib to v3', 'Upgraded `github.com/acme/ferry-lib` to `v3.0.0` (and `tide` to v2).'],
    ['Name harbour requests by a user agent', 'useragent: name the harbour in each request'],
    ['HTML Berth Table Conversion for Old Browsers', 'Converted the berth list to a proper HTML table.'],
  ])('repeats the title %j: %j', (title, outcome) => expect(repeatsTitle(title, outcome)).toBe(true));

  it.each([
    ['Review the sync hint in the error', 'Dropped `; use sync` from the failure of `moorAll`.'],
    ['Fix unsupported scheme in tide-sync', 'Route other URL schemes through remote helpers'],
  ])('says more than the title %j: %j', (title, outcome) => expect(repeatsTitle(title, outcome)).toBe(false));

  it('may share the subject with another commit of the session', () => {
    expect(repeatsCommit('Add tide helper transport', 'Route other schemes through tide helpers')).toBe(false);
    expect(repeatsCommit('Add a base tag for the pier', 'Update harbour with base tag for the pier')).toBe(true);
  });

  it.each([
    'Spawned the research worker.',
    'Handle: `berth-research`.',
    'Branch/worktree: `berth` at `/srv/tide/worktrees/berth`.',
    'Let me know if the harbour needs more.',
    'Added proper imports: Added `unittest.mock.Mock` for mocking.',
    'Removed an unused import from `tide.py`.',
    'Uses `isinstance()` to check the entry.',
    'Type-safe approach: Uses `isinstance()` to check the entry.',
    'For `Berth`: uses `last_seen`.',
    'Created a CLAUDE.md file for this repository.',
    'Updated the README.md with installation steps.',
    'All browser tests are now passing.',
  ])('is not told by %j', (sentence) => expect(tellsOutcome(sentence)).toBe(false));

  it.each([
    'Six tests pass, 200 times in a row.',
    'Switched to Hatchling: changed from setuptools to the recommended backend.',
    'Imported 400 berths from the old harbour.',
    'Created `.markdownlintrc.json`, which disables the MD034 rule.',
    'Sidechain messages got no CSS class; fixed by a check of `isSidechain`.',
  ])('is told by %j', (sentence) => expect(tellsOutcome(sentence)).toBe(true));
});

describe('a title', () => {
  it.each([
    'Does expected_output call the grader or is it ignored',
    'Should we close issue #1263 as resolved by the tide PRs',
    'Why is the berth empty?',
    'Explain what does _moor_all do',
    'Fix these lint errors (test_tide.py)',
    'A lot of the harbour tests are failing',
    '',
  ])('names no work: %j', (title) => expect(namesWork(title)).toBe(false));

  it.each([
    'Split --force in two',
    'Can-bus reader for the tide gauge',
    'Document what the harbour does',
    'Fix this-binding of the berth listener',
  ])('names its work: %j', (title) => expect(namesWork(title)).toBe(true));

  it.each([
    'Fix Berth UI Layout - Alignment & Border Issues',
    'Update home page to mention the harbour',
    'Clarify moorings in README.md',
    'Remove Print button from the tide table',
  ])('is about looks or wording: %j', (title) => expect(isTrivial(title)).toBe(true));

  it.each(['Split --force in two', 'Send refs in batches', 'Change layout of the tide index on disk'])(
    'is about how it works: %j',
    (title) => expect(isTrivial(title)).toBe(false),
  );
});

describe('the title of an earlier session', () => {
  it.each([
    'Created the release 0.3.0',
    'Bump golang.org/x/crypto to v0.54.0',
    'Tide Version Tests Added',
    'Ssh docker test: detach the context',
    'Updated 5 failing tests to expect the last berth',
    'Test --prune respects the pier',
    'Fixed possibly-unbound-berth warning: added a null check',
    'Fixed type assignment issues: replaced `Berth` by `Pier`',
    'Remove Print button from the tide table',
  ])('is minor: %j', (title) => expect(isMinor(title)).toBe(true));

  it.each([
    'Release the berth lock on abort',
    'Add a test mode to the pier',
    'Publish from the trusted workflow',
    'Add a workflow to run tests and linting',
    'Fix test runner that hangs at low tide',
    'Fix berth errors of the compiler pier',
  ])('is worth a line: %j', (title) => expect(isMinor(title)).toBe(false));
});

describe('a file', () => {
  it.each([
    'test/tide_test.go',
    'src/tide.spec.ts',
    'README.md',
    'package-lock.json',
    'web/yarn.lock',
    'go.sum',
    'dist/tide.js',
    'src/api.generated.ts',
    'public/app.min.js',
    'src/__snapshots__/tide.snap',
    '.entire/settings.json',
  ])('follows the work: %s', (file) => expect(isAside(file)).toBe(true));

  it.each(['src/tide.ts', 'src/distance.ts', '.github/workflows/publish.yml', 'src/locks/lock.ts', 'pyproject.toml'])(
    'is part of the work: %s',
    (file) => expect(isAside(file)).toBe(false),
  );
});

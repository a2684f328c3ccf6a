// npm test: everything, from a fresh clone. The last line is always `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, runQuietly } from './child.mjs';
import { setUp } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (...names) => path.join(root, 'node_modules', ...names);
const counts = { passed: 0, failed: 0, skipped: 0 };

process.on('exit', (code) => {
  // An interruption or a failed setup counts as a failure, even if no test could say so.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  if (counts.skipped > 0) console.log(`${counts.skipped} skipped`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
});

await setUp({ tests: true });
if ((await runQuietly('Linting', tool('.bin', 'biome'), ['check', '--error-on-warnings', '.'], { cwd: root })) !== 0)
  fail('lint');
for (const [what, project] of [
  ['types', 'tsconfig.json'],
  ['types of the viewer', 'src/surfaces/viewer'],
])
  if ((await runQuietly(`Checking ${what}`, tool('.bin', 'tsc'), ['--noEmit', '-p', project], { cwd: root })) !== 0)
    fail(what);
await runTests(process.argv.slice(2));
process.exitCode = counts.failed === 0 ? 0 : 1;

function fail(what) {
  console.error(`FAIL ${what}`);
  counts.failed += 1;
}

async function runTests(filters) {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-test-'));
  const report = path.join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await run(process.execPath, [tool('vitest', 'vitest.mjs'), 'run', ...reporters, ...filters], {
      cwd: root,
    });
    count(report);
    // An error outside of any test (such as an unhandled rejection) shows only in the exit code.
    if (code !== 0 && counts.failed === 0) fail('vitest');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function count(report) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    fail(`vitest left no report: ${error.message}`);
    return;
  }
  counts.passed += result.numPassedTests;
  counts.failed += result.numFailedTests;
  counts.skipped += result.numPendingTests + (result.numTodoTests ?? 0);
  // A file that could not be loaded has no tests that could fail.
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  counts.failed += broken.length;
}

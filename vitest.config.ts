import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryFolder } from './test/memory-folder.ts';

// unit: beside the code, no build needed. e2e: contracts and whole processes under test/, run after a build. All limits are for a machine
// that is many times slower than a developer's, and has other work: one that is never reached costs nothing.
const patient = (seconds: number) => ({
  testTimeout: seconds * 1000,
  hookTimeout: seconds * 1000,
  expect: { poll: { timeout: seconds * 500 } },
});

const env = memoryFolder();

/** End-to-end files take up to minutes, unit files seconds. So end-to-end files start first, and the last minutes are not one file alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project }: TestSpecification) => project.name === 'e2e';
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    // Vitest would take one worker on two cores. End-to-end tests wait for processes, browsers and timers most of the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/contracts/**/*.test.ts'],
          env,
          // Files share the modules that a worker has loaded: to load them takes longer than most tests.
          isolate: false,
          ...patient(120),
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], env, ...patient(1200) } },
    ],
  },
});

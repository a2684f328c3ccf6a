import { defineConfig } from 'vitest/config';

// unit: beside the code, no build needed. e2e: contracts and whole processes under test/, run after a build. All limits are for a machine
// that is many times slower than a developer's, and has other work: one that is never reached costs nothing.
const patient = (seconds: number) => ({
  testTimeout: seconds * 1000,
  hookTimeout: seconds * 1000,
  expect: { poll: { timeout: seconds * 500 } },
});

export default defineConfig({
  test: {
    // Vitest would take one worker on two cores. End-to-end tests wait for processes, browsers and timers most of the time.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/contracts/**/*.test.ts'],
          ...patient(120),
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...patient(1200) } },
    ],
  },
});

import { defineConfig } from 'vitest/config';

// unit: beside the code, no build needed. e2e: contracts and whole processes under test/, run after a build.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/contracts/**/*.test.ts'] } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 120_000 } },
    ],
  },
});

import { defineConfig } from 'vitest/config';

// npm run test:agents: the real programs of other agents, from npm, against a mock of their models. A download of more than a gigabyte.
export default defineConfig({
  test: {
    name: 'agents',
    maxWorkers: 1,
    include: ['test/agents/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

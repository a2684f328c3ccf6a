import { defineConfig } from 'vitest/config';

// npm run test:long: what takes too long for every change.
export default defineConfig({
  test: {
    name: 'long',
    maxWorkers: 3,
    include: [
      'test/long/**/*.test.ts',
      // The races run there too, for half a minute each.
      'src/system/beneath.test.ts',
      'test/contracts/groups-race.test.ts',
      // Those that kill at random, with many more rounds.
      ...[
        'kill',
        'claude-trouble',
        'host',
        'host-agent',
        'host-killed',
        'forget',
        'hub-random',
        'hub-search',
        'memory',
        'embedding',
        'distill',
        'renewal',
        'reread',
        'transfer',
        'session-library',
      ].map((name) => `test/e2e/${name}.test.ts`),
    ],
    env: { HOLDFAST_LONG: '1' },
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 600_000 } },
  },
});

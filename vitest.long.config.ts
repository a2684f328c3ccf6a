import { defineConfig } from 'vitest/config';

// npm run test:long: what takes too long for every change.
export default defineConfig({
  test: {
    name: 'long',
    // The races run there too, for half a minute each.
    include: ['test/long/**/*.test.ts', 'src/beneath.test.ts', 'test/contracts/groups-race.test.ts'],
    env: { HOLDFAST_LONG: '1' },
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
  },
});

import { defineConfig } from 'vitest/config';

// npm run test:long: what takes too long for every change.
export default defineConfig({
  test: { name: 'long', include: ['test/long/**/*.test.ts'], testTimeout: 3_600_000, hookTimeout: 600_000 },
});

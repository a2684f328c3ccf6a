import { defineConfig } from 'vitest/config';

/** Files of more than some seconds. `npm run unit` and `npm test` run them. */
const slow = [
  'test/contracts/**',
  'src/**/scripts.test.ts',
  'src/capture/{redact,live}.test.ts',
  'src/capture/pull/**',
  'src/capture/secrets/find.test.ts',
  'src/embedding/{endpoint,minilm}.test.ts',
  'src/host/{chat,confine,host}.test.ts',
  'src/distill/run.test.ts',
  'src/http/{attacks,catch-up,mcp,routes}.test.ts',
  'src/mcp/server.test.ts',
  'src/memory/{librarian,orders}.test.ts',
  'src/operations/{backups,forget,operations,prepare-briefings,process,purge,recover,transfer}.test.ts',
  'src/recall/{briefing,derived,on-prompt,search}.test.ts',
  'src/recall/vectors/{entry-index,kernel}.test.ts',
  'src/sessions/{archives,groups}.test.ts',
  'src/sessions/library/manager.test.ts',
  'src/store/segment.test.ts',
  'src/store/sqlite/ledger.test.ts',
  'src/worker/{briefings,process,run}.test.ts',
];

// npm run check: what can be known within a minute.
export default defineConfig({
  test: {
    name: 'quick',
    maxWorkers: 3,
    include: ['src/**/*.test.ts', 'test/*.test.ts'],
    exclude: ['**/node_modules/**', ...slow],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

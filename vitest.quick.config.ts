import { defineConfig } from 'vitest/config';
import { memoryFolder } from './test/memory-folder.ts';

/** Files of more than some seconds. `npm run unit` and `npm test` run them. */
const slow = [
  'test/contracts/**',
  'src/agents/hook-scripts.test.ts',
  'src/capture/redaction/redact.test.ts',
  'src/capture/live/live.test.ts',
  'src/capture/pull/**',
  'src/capture/redaction/secrets/find.test.ts',
  'src/embedding/{endpoint,minilm}.test.ts',
  'src/host/{chat,confine,host}.test.ts',
  'src/distill/run.test.ts',
  'src/surfaces/http/{attacks,catch-up,mcp,routes}.test.ts',
  'src/surfaces/mcp/server.test.ts',
  'src/distill/memory/{librarian,orders,proposals}.test.ts',
  'src/operations/operations.test.ts',
  'src/operations/data/{backups,forget,process,process-memory,purge,recover,transfer}.test.ts',
  'src/operations/recall/prepare-briefings.test.ts',
  'src/recall/{derived,search}.test.ts',
  'src/recall/briefing/{briefing,on-prompt}.test.ts',
  'src/recall/vectors/{entry-index,kernel}.test.ts',
  'src/sessions/{archives,groups}/{archives,groups}.test.ts',
  'src/sessions/library/manager.test.ts',
  'src/store/search/segment.test.ts',
  'src/store/sqlite/ledger.test.ts',
  'src/app/worker/{briefings,run}.test.ts',
  'src/processes/worker-process.test.ts',
];

// npm run check: what can be known within a minute.
export default defineConfig({
  test: {
    name: 'quick',
    maxWorkers: 3,
    include: ['src/**/*.test.ts', 'test/*.test.ts'],
    exclude: ['**/node_modules/**', ...slow],
    env: memoryFolder(),
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

// npm start: from a fresh clone to a running worker.
import { setUp } from './setup.mjs';

await setUp();
// In this very process, not in a child: Ctrl+C and signals then reach the one who must act, and nobody is orphaned.
process.argv.splice(2, 0, 'start');
await import('../bin/holdfast');

// npm start: from a fresh clone to a running worker.
import { setUp } from './setup.mjs';

await setUp();
// In this process, not in a child: Ctrl+C and signals reach the program itself, and nothing is orphaned.
process.argv.splice(2, 0, 'start');
await import('../bin/holdfast');

// Search by words and by meaning over a million entries, asked over HTTP. Takes a quarter of an hour and 8 GB of disk.
import { askWorker } from './asked.mjs';

await askWorker({ entries: 1_000_000, port: 42_801, goals: { p50: 150 } });

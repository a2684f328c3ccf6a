// Search by words and by meaning over 100,000 entries, asked over HTTP.
import { askWorker } from './asked.mjs';

await askWorker({ entries: 100_000, port: 42_800, goals: { p50: 25, p95: 80, memory: 200, cold: 600 } });

// Rebuilds models/static-256.bin: fetches, reads the corpus to the teacher, trains, writes. Takes an hour or two on two cores, and skips
// finished parts. After `npm run build`: nice node --max-old-space-size=8000 scripts/embedding/make.mjs
await import('./fetch.mjs');
await import('./corpus.mjs');
await import('./vocabulary.mjs');
const { dismissTeacher, teach } = await import('./teacher.mjs');
await teach('vocabulary');
await teach('books', 30_720);
await teach('docs', 110_592);
await teach('wordnet');
await import('./train.mjs');
await dismissTeacher();

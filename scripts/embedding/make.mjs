// Makes models/static-256.bin anew: fetches, reads the corpus to the teacher, trains, writes. An hour or two on two cores; a part that is done is not
// done again. After `npm run build`:
//   nice node --max-old-space-size=8000 scripts/embedding/make.mjs
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

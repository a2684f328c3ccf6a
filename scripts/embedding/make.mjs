// Makes models/static-256.bin anew: fetches, reads the corpus to the teacher, trains, writes. An hour or two on two cores; a part that is done is not
// done again. After `npm run build`:
//   nice node --max-old-space-size=8000 scripts/embedding/make.mjs
await import('./fetch.mjs');
await import('./corpus.mjs');
await import('./vocabulary.mjs');
const { teach } = await import('./teacher.mjs');
await teach('vocabulary');
await teach('wordnet');
await teach('docs', 110_592);
await teach('books', 20_480);
await teach('talk', 20_480);
await import('./train.mjs');

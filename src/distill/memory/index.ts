// Everything that a person can do with memory. Only the commands that need it load this file.
export { consolidate, separate } from './consolidate.ts';
export { editMemory } from './edit.ts';
export { findNamed } from './find.ts';
export { readPage } from './folder.ts';
export { forgetMemory, forgetSource } from './forget.ts';
export { commitPages, isRepository } from './git.ts';
export { historyOf, revert } from './history.ts';
export { bringInLine } from './librarian.ts';
export { promote, remember } from './remember.ts';

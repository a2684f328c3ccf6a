import type { Choice, Said } from './choice.ts';

/** Where the picker gets its choices from. */
export interface Source {
  search(words: string): Promise<readonly Choice[]>;
  /** Lines of text that show what a choice is. */
  preview(choice: Choice): Promise<readonly Said[]>;
  close(): Promise<void>;
}

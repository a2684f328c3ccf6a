// The messages between the picker and its thread.
import type { z } from 'zod';
import type { search } from '../../../operations/recall/search.ts';
import type { Hit } from '../../../schema/hit.ts';

export type SearchInput = z.output<typeof search.input>;

export type SearchAnswer =
  | { readonly id: number; readonly hits: Hit[] }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } };

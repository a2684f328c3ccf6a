import { z } from 'zod';

/** A word that a person tags sessions with. */
export const Tag = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._/-]{0,39}$/u, 'must be a word of letters, digits and ._/- (at most 40)')
  .transform((tag) => tag.toLowerCase());

export const mostTags = 20;
export const longestName = 200;

/** A person's labels on a session: a name, a star, tags. */
export const SessionLabel = z.object({
  name: z.string().optional(),
  starred: z.boolean(),
  tags: z.array(z.string()),
});
export type SessionLabel = z.infer<typeof SessionLabel>;

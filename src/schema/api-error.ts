import { z } from 'zod';

/** The form of an error on every surface. */
export const ApiError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional().describe('what to do'),
  }),
});
export type ApiError = z.infer<typeof ApiError>;

import { z } from 'zod';

/** Whether the worker can be reached over HTTP; if not, why and what to do. */
export const HttpState = z.object({
  port: z.int(),
  open: z.boolean().describe('whether the worker answers there'),
  message: z.string().optional(),
  hint: z.string().optional(),
});
export type HttpState = z.infer<typeof HttpState>;

import { z } from 'zod';

/** What one pass over transcripts did. */
export const IngestReport = z.object({
  files: z.object({
    seen: z.number().int(),
    imported: z.number().int(),
    skipped: z.number().int().describe('files that are empty or have nothing new'),
    failed: z.number().int(),
  }),
  entries: z.object({ added: z.number().int(), malformed: z.number().int() }),
  conversations: z.number().int().describe('conversations in the store now'),
  bytes: z.number().int().describe('bytes read in this pass'),
  seconds: z.number(),
  problems: z.array(z.object({ file: z.string(), message: z.string(), hint: z.string().optional() })),
});
export type IngestReport = z.infer<typeof IngestReport>;

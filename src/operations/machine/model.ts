import { z } from 'zod';
import type { Turn } from '../../distill/material.ts';
import { ObservationText } from '../../schema/observation.ts';
import { type Context, operation } from '../operation.ts';

export const modelTest = operation({
  name: 'model test',
  ending: 'orderly',
  summary: 'Try the chosen model on a small sample, and show time and tokens',
  input: z.object({}),
  output: z.object({
    by: z.string().describe('offline, or the model'),
    ms: z.int(),
    calls: z.int(),
    tokens: z.int(),
    observation: ObservationText.optional(),
  }),
  surfaces: ['cli'],
  examples: ['holdfast model test', 'HOLDFAST_DISTILL_MODEL=claude holdfast model test'],
  withoutStore: true,
  async run({ config, signal = new AbortController().signal }: Context<never>) {
    const [{ openDistiller, asHoldfastError }, { redact }] = await Promise.all([
      import('../../distill/open.ts'),
      import('../../capture/redaction/redact.ts'),
    ]);
    const distiller = await openDistiller(config, redact);
    const began = performance.now();
    const { value, usage } = await distiller.observe([sample], signal).catch((error: unknown) => {
      throw asHoldfastError(error);
    });
    const [observation] = value;
    return {
      by: distiller.name,
      ms: Math.round(performance.now() - began),
      calls: usage.calls,
      tokens: usage.input + usage.output,
      ...(observation === undefined ? {} : { observation }),
    };
  },
});

const at = '2026-03-01T10:00:00.000Z';
const place = {
  agent: 'claude-code',
  session: 'sample',
  project: 'tide',
  projectPath: '/srv/tide',
  cwd: '/srv/tide',
} as const;
const request = {
  id: 'sample-1',
  session: 'sample',
  agent: 'claude-code',
  role: 'user',
  author: 'person',
  at,
  text: 'The login test fails now and then. Find out why and fix it.',
  tools: [],
  abandoned: false,
} as const;

/** Invented, so that testing a model sends nothing of the person's. */
const sample: Turn = {
  ...place,
  prompt: 1,
  request: { ...request, tools: [] },
  before: [],
  entries: [
    { ...request, tools: [] },
    {
      ...request,
      id: 'sample-2',
      role: 'assistant',
      author: 'model',
      text: 'The test reads the clock twice around midnight. I froze the clock in test/login.test.ts; 200 runs passed.',
      tools: ['Edit', 'Bash'],
    },
  ],
  toolUses: [
    {
      id: 'use-1',
      entry: 'sample-2',
      tool: 'Edit',
      at,
      input: '{"file_path":"/srv/tide/test/login.test.ts"}',
      files: ['/srv/tide/test/login.test.ts'],
      outcome: 'ok',
      output: 'done',
    },
    {
      id: 'use-2',
      entry: 'sample-2',
      tool: 'Bash',
      at,
      input: '{"command":"npm test -- --repeat 200"}',
      files: [],
      outcome: 'ok',
      output: '200 passed',
    },
  ],
  startedAt: at,
  endedAt: at,
};

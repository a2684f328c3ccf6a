// The programs of src/app/, each loaded when it runs: a command must not load the others.
import type { Programs } from '../operations/programs.ts';

export const programs: Programs = {
  open: async (env) => (await import('./open.ts')).openHoldfast(env),
  worker: async (context) => (await import('./worker.ts')).runAsWorker(context),
  host: async (context) => (await import('./host.ts')).runAsHost(context),
  chat: async (...request) => (await import('./host.ts')).chatWith(...request),
  mcp: async (...request) => (await import('./mcp.ts')).serve(...request),
};

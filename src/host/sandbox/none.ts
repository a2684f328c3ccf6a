// No sandbox at all, for machines that have none. Paths are those of this machine, and nothing is hidden from the agent.
import type { Sandbox } from './sandbox.ts';

export const none: Sandbox = {
  name: 'none',
  bringsSdk: false,
  trouble: async () => undefined,
  inside: (here) => here,
  command: async ({ argv: [file = '', ...args], environment, cwd }) => ({
    ...{ file, args, cwd },
    environment: { ...environment },
  }),
  unheld: async ({ memoryMb, cpus, processes, fileMb }) =>
    Object.entries({ memoryMb, cpus, processes, fileMb })
      .filter(([, value]) => value > 0)
      .map(([name]) => name),
};

// Installs a service with the service manager; the worker and the host share this.
import { z } from 'zod';
import { ensureHome } from '../../config/config.ts';
import type { Service } from '../../processes/worker-service.ts';
import type { Context } from '../operation.ts';

const Input = z.object({ dryRun: z.boolean().default(false).describe('only show what would be written and run') });
type Input = z.output<typeof Input>;

export const serviceInstall = {
  input: Input,
  output: z.object({
    manager: z.enum(['systemd', 'launchd']),
    file: z.string(),
    text: z.string().describe('content of the file, without keys'),
    changed: z.boolean().describe('the file did not exist, or had other content'),
    running: z.boolean().describe('the service manager is running it now'),
    commands: z
      .array(z.string())
      .describe('the commands that were run; if the service manager cannot be reached, the commands to run'),
  }),
  surfaces: ['cli'],
  withoutStore: true,
} as const;

export const serviceUninstall = {
  input: Input,
  output: z.object({
    manager: z.enum(['systemd', 'launchd']),
    file: z.string(),
    found: z.boolean().describe('there was something to remove'),
    commands: z.array(z.string()).describe('the commands that were run'),
  }),
  surfaces: ['cli'],
  withoutStore: true,
} as const;

export async function installed({ config }: Context<never>, service: Service, { dryRun }: Input) {
  if (!dryRun) ensureHome(config);
  const { installService, runProgram } = await import('../../processes/worker-service.ts');
  const { platform } = process;
  const done = await installService({ service, config, platform, run: runProgram(config.environment) }, dryRun);
  return { ...done, commands: [...done.commands] };
}

export async function uninstalled({ config }: Context<never>, service: Service, { dryRun }: Input) {
  const { uninstallService, runProgram } = await import('../../processes/worker-service.ts');
  const { platform } = process;
  const done = await uninstallService({ service, config, platform, run: runProgram(config.environment) }, dryRun);
  return { ...done, commands: [...done.commands] };
}

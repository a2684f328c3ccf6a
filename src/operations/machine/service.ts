// What it is to hand something to the service manager, the same for the worker and the host.
import { z } from 'zod';
import { ensureHome } from '../../config/config.ts';
import type { Service } from '../../processes/worker-service.ts';
import type { Context } from '../operation.ts';

const Input = z.object({ dryRun: z.boolean().default(false).describe('only say what would be written and run') });
type Input = z.output<typeof Input>;

export const serviceInstall = {
  input: Input,
  output: z.object({
    manager: z.enum(['systemd', 'launchd']),
    file: z.string(),
    text: z.string().describe('what stands in the file, keys left out'),
    changed: z.boolean().describe('the file was not there, or said something else'),
    running: z.boolean().describe('the service manager runs it now'),
    commands: z.array(z.string()).describe('what was run; where the service manager cannot be reached, what to run'),
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
    commands: z.array(z.string()).describe('what was run'),
  }),
  surfaces: ['cli'],
  withoutStore: true,
} as const;

export async function installed({ config }: Context, service: Service, { dryRun }: Input) {
  if (!dryRun) ensureHome(config);
  const { installService, runProgram } = await import('../../processes/worker-service.ts');
  const { platform } = process;
  const done = await installService({ service, config, platform, run: runProgram(config.environment) }, dryRun);
  return { ...done, commands: [...done.commands] };
}

export async function uninstalled({ config }: Context, service: Service, { dryRun }: Input) {
  const { uninstallService, runProgram } = await import('../../processes/worker-service.ts');
  const { platform } = process;
  const done = await uninstallService({ service, config, platform, run: runProgram(config.environment) }, dryRun);
  return { ...done, commands: [...done.commands] };
}

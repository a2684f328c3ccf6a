// The table of sandboxes, best first.
import type { Config } from '../../config/config.ts';
import { HoldfastError } from '../../system/errors.ts';
import { bubblewrap } from './bubblewrap.ts';
import { docker } from './docker.ts';
import { none } from './none.ts';
import type { Sandbox } from './sandbox.ts';

export const sandboxes = [bubblewrap, docker, none] as const satisfies readonly Sandbox[];

/** The one that the settings name, or the first that works here. `warnings` are for the person who starts the host. */
export async function chooseSandbox(
  config: Config,
  table: readonly Sandbox[] = sandboxes,
): Promise<{ sandbox: Sandbox; warnings: readonly string[] }> {
  const { sandbox: wanted, memoryMb, cpus, processes, fileMb } = config.settings.host;
  const troubles: string[] = [];
  for (const sandbox of table) {
    if (wanted !== 'auto' && wanted !== sandbox.name) continue;
    const trouble = await sandbox.trouble(config);
    if (trouble === undefined) {
      const unheld = await sandbox.unheld({ memoryMb, cpus, processes, fileMb }, config);
      const warnings = [
        ...troubles,
        ...unheld.map((limit) => `${sandbox.name} cannot enforce the limit ${limit} here`),
        ...((await sandbox.warnings?.(config)) ?? []),
      ];
      return { sandbox, warnings: sandbox.name === 'none' ? [nothingIsolated, ...warnings] : warnings };
    }
    troubles.push(`${sandbox.name}: ${trouble}`);
  }
  throw new HoldfastError('CONFLICT', `The sandbox ${wanted} does not work here: ${troubles.join('; ')}`, {
    hint: 'Choose another with: holdfast config set host.sandbox auto',
  });
}

export const nothingIsolated =
  'NO SANDBOX: agents run as you. They can read and change everything that you can: your files, your keys, every group.';

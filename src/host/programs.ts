// The programs that run inside a sandbox, and where they are on this machine.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { claudeProgramBeside, findClaudeSdk, installClaudeSdk } from '../agents/claude-code/sdk.ts';
import type { Config } from '../config/config.ts';
import { packageRoot } from '../package.ts';
import { HoldfastError } from '../system/errors.ts';
import type { Inside, Sandbox } from './sandbox/sandbox.ts';

/** Throws NOT_FOUND with what to install. */
export function findPrograms(config: Config, sandbox: Sandbox): Pick<Inside, 'node' | 'runner' | 'sdk' | 'program'> {
  const runner = path.join(packageRoot, 'dist', 'host', 'runner.js');
  const node = realpathSync(process.execPath);
  if (sandbox.bringsSdk) return { node, runner, sdk: '', program: undefined };
  const sdk = findClaudeSdk(config.home);
  if (sdk === undefined)
    throw new HoldfastError('NOT_FOUND', 'The Claude Agent SDK is not installed', {
      hint: installClaudeSdk(config.home),
    });
  const program = config.settings.host.program ?? claudeProgramBeside(sdk);
  if (program === undefined || !existsSync(program))
    throw new HoldfastError(
      'NOT_FOUND',
      `There is no Claude Code ${program === undefined ? 'beside the Agent SDK' : `at ${program}`}`,
      {
        hint: 'Install the SDK with its optional packages, or set host.program to the path of Claude Code.',
      },
    );
  return { node, runner, sdk: realpathSync(path.dirname(sdk)), program: realpathSync(program) };
}

// Tests that need something which a machine may lack: they are skipped under a name that says what is missing.
import { spawnSync } from 'node:child_process';

/** The name of a test, with the reason why it is skipped. */
export const because = (title: string, why: string | undefined): string =>
  why === undefined ? title : `${title} (skipped: ${why})`;

/** Why tests with this program cannot run. The CI setup installs it, so in CI these tests fail without it. */
export const without = (program: string, version = '--version', env = process.env): string | undefined =>
  !env.CI && spawnSync(program, [version], { stdio: 'ignore', env }).error !== undefined
    ? `${program} is not installed`
    : undefined;

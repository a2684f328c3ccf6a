// Finds the Claude Agent SDK, which is not installed with us, and the client that comes with it.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { systemCode } from '../../system/errors.ts';

const sdkName = '@anthropic-ai/claude-agent-sdk';

/** Its main file: from the data folder, where a person can install it, or else from beside us. */
export function findClaudeSdk(home: string): string | undefined {
  for (const from of [join(home, 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve(sdkName);
    } catch (error) {
      if (systemCode(error) !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

export const installClaudeSdk = (home: string): string => `Install it: npm install --prefix ${home} ${sdkName}`;

/** The client that was installed with it, for this platform. */
export function claudeProgramBeside(sdk: string): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  return [platform, `${platform}-musl`]
    .map((name) => join(`${dirname(sdk)}-${name}`, 'claude'))
    .find((file) => existsSync(file));
}

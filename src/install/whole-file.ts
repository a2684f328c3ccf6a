// A file of our own that an agent loads by itself: writes, inspects and removes it. A file of that name that we did not
// write is left alone.
import { dirname } from 'node:path';
import type { AgentHookFile, HookLink, HooksFound } from '../agents/hooks.ts';
import { HoldfastError } from '../system/errors.ts';

export const isWhole = (hooks: object): hooks is AgentHookFile => 'whole' in hooks;

const firstLine = /^\/\/ holdfast (\S+); ("(?:[^"\\]|\\.)*")/;
const event = 'plugin';

export function findWhole(hooks: AgentHookFile, text: string | undefined, link: HookLink): HooksFound {
  const [, version, home] = firstLine.exec(text ?? '') ?? [];
  if (version === undefined)
    return { events: [], missing: [event], outdated: [], version: undefined, elsewhere: false };
  const elsewhere = home !== JSON.stringify(link.home);
  return { events: [event], missing: [], outdated: text === hooks.whole(link) ? [] : [event], version, elsewhere };
}

/** Throws if we did not write the file. */
export function assertOurs(file: string, text: string | undefined): void {
  if (text !== undefined && text.trim() !== '' && !firstLine.test(text))
    throw new HoldfastError('CONFLICT', `${file} was not written by Holdfast`, {
      hint: `Move it out of ${dirname(file)}; nothing was changed.`,
    });
}

export const isOurs = (text: string | undefined): boolean => firstLine.test(text ?? '');

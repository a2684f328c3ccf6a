// The files that a patch in OpenAI's form changes. Several agents offer the model a tool for such patches.
import { asObject } from './json.ts';

export const mostFiles = 200;

/** The files of a patch, also inside a literal, where lines end with an escape or a quote. */
export function patchedFiles(patch: unknown): string[] {
  if (typeof patch !== 'string') return [];
  const files = new Set<string>();
  for (const [, file = ''] of patch.matchAll(/\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n\r"`\\]+)/g)) {
    if (files.size === mostFiles) break;
    files.add(file.trim());
  }
  return [...files];
}

const fields = ['input', 'patch', 'patchText', 'arguments'];

/** Of a call whose input is a patch, or has one in a field; empty for all other calls. */
export function filesOfPatch(input: unknown): string[] {
  const candidates = typeof input === 'string' ? [input] : fields.map((name) => asObject(input)[name]);
  const patch = candidates.find((text) => typeof text === 'string' && text.includes('*** Begin Patch'));
  return patchedFiles(patch);
}

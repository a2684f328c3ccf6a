import { plural } from '../../../language/plural.ts';
import { bytes, clean } from '../style.ts';
import type { View } from '../view.ts';

interface Vault {
  readonly folder: string;
  readonly enabled: boolean;
  readonly keptDays: number;
  readonly transcripts: number;
  readonly bytes: number;
  readonly read: number;
  readonly due: number;
  readonly missing: number;
}

export function renderVault(vault: Vault, { style }: View): string {
  const kept = vault.keptDays === 0 ? 'no expiry' : `kept for ${vault.keptDays} days after the last change`;
  return [
    `${plural(vault.transcripts, 'transcript')} in ${bytes(vault.bytes)}, of ${bytes(vault.read)}; ${kept}`,
    ...(vault.enabled ? [] : ['No more copies are made: the setting `vault` is false.']),
    ...(vault.due > 0 && vault.enabled
      ? [`${vault.due} are not fully copied; the worker copies the rest, or: holdfast vault --fill`]
      : []),
    ...(vault.missing > 0 ? [`${vault.missing} copies are missing.`] : []),
    style.dim(clean(vault.folder)),
  ].join('\n');
}

import type { View } from '../view.ts';

export function renderOpen(
  { address, opened }: { address: string; opened: boolean },
  { style }: View,
  { print }: { print: boolean },
): string {
  if (print) return address;
  return opened
    ? `The viewer is open in your browser. ${style.dim('Should it not be, this address opens it once:')}\n${address}`
    : `No browser could be called. This address opens the viewer once, within ten minutes:\n${address}`;
}

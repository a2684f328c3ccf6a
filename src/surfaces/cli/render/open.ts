import { clean, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

interface Opened {
  readonly address?: string | undefined;
  readonly opened: boolean;
  readonly browsers?: readonly Known[] | undefined;
  readonly revoked?: readonly string[] | undefined;
}
interface Known {
  readonly id: string;
  readonly label: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly expiresAt: string;
}

export function renderOpen(output: Opened, view: View, { print }: { print: boolean }): string {
  const { address = '', opened, browsers, revoked } = output;
  if (browsers !== undefined) return listed(browsers, revoked, view);
  if (print) return address;
  return opened
    ? `The viewer is open in your browser. ${view.style.dim('If it is not: holdfast open --print')}`
    : `No browser could be opened. This address opens the viewer once, within ten minutes:\n${address}`;
}

function listed(browsers: readonly Known[], revoked: readonly string[] | undefined, view: View): string {
  const { style } = view;
  const ended = revoked?.map((id) => `The browser ${id} no longer has access.\n`).join('') ?? '';
  if (browsers.length === 0) return `${ended}No browser has access. ${style.dim('To give one access: holdfast open')}`;
  const rows = browsers.map(({ id, label, createdAt, usedAt, expiresAt }) => [
    id,
    clean(label),
    ...[createdAt, usedAt, expiresAt].map((moment) => localTime(moment, view)),
  ]);
  const paint = [style.cyan, undefined, style.dim, style.dim, style.dim];
  const head = ['id', 'browser', 'since', 'last used', 'until'];
  return ended + table([head, ...rows], (cell, column) => (paint[column] ?? ((text: string) => text))(cell));
}

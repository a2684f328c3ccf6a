// Which process listens on a port of this machine: from /proc on Linux, from lsof elsewhere, or unknown.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface PortHolder {
  /** Unknown if the process belongs to another user. */
  readonly pid?: number | undefined;
  readonly command?: string | undefined;
}

/** Undefined if no process listens, or if the system does not tell. Contract: never throws. */
export async function portHolder(port: number): Promise<PortHolder | undefined> {
  try {
    return process.platform === 'linux' ? await holderByProc(port) : await holderByLsof(port);
  } catch {
    // Naming the holder is a courtesy.
    return undefined;
  }
}

/** Contract: the message says what is wrong, the hint says what to do. */
export function describeTaken(port: number, holder: PortHolder | undefined): { message: string; hint: string } {
  const who =
    holder?.pid === undefined
      ? 'another program, perhaps of another user'
      : `process ${holder.pid}${holder.command ? ` (${holder.command})` : ''}`;
  return {
    message: `Port ${port} is held by ${who}; the worker runs without HTTP and only reads transcripts`,
    hint: `Stop that program, or move Holdfast: holdfast config set port ${port === 65_535 ? 37_778 : port + 1} && holdfast repair`,
  };
}

/** Every address on which a process listens on this port. Undefined if the system does not tell. */
export async function listenersOn(port: number): Promise<(PortHolder & { address: string })[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  return Promise.all(
    (await socketsOn(port)).map(async ({ address, inode }) => ({ address, ...(await holderOf([inode])) })),
  );
}

async function holderByProc(port: number): Promise<PortHolder | undefined> {
  const sockets = await socketsOn(port);
  return sockets.length === 0 ? undefined : holderOf(sockets.map(({ inode }) => inode));
}

/** Listening sockets, from the kernel's table. */
async function socketsOn(port: number): Promise<{ address: string; inode: string }[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return (
    tables
      .flatMap((table) => table.split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      // 0A: the socket listens.
      .filter(([, local = '', , state]) => state === '0A' && local.endsWith(suffix))
      .map(([, local = '', ...rest]) => ({ address: addressIn(local.slice(0, -5)), inode: `socket:[${rest[7]}]` }))
  );
}

/** The kernel writes each four bytes of an address in machine byte order. */
function addressIn(hex: string): string {
  if (hex.length === 8)
    return (hex.match(/../g) ?? [])
      .map((byte) => Number.parseInt(byte, 16))
      .reverse()
      .join('.');
  if (/^0{24}01000000$/.test(hex)) return '::1';
  const mapped = /^0{16}FFFF0000([0-9A-F]{8})$/.exec(hex)?.[1];
  return mapped === undefined ? (/^0+$/.test(hex) ? '::' : `[${hex}]`) : addressIn(mapped);
}

async function holderOf(inodes: readonly string[]): Promise<PortHolder> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // The process may have ended, or belong to another user.
    const links = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const link of links) {
      const target = await readlink(`/proc/${pid}/fd/${link}`).catch(() => '');
      if (inodes.includes(target)) return { pid: Number(pid), command: await commandOf(pid) };
    }
  }
  return {};
}

async function commandOf(pid: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.replaceAll('\0', ' ').trim().slice(0, 120) || undefined;
}

async function holderByLsof(port: number): Promise<PortHolder | undefined> {
  const { stdout } = await promisify(execFile)('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    timeout: 3000,
  });
  const field = (letter: string) =>
    stdout
      .split('\n')
      .find((line) => line.startsWith(letter))
      ?.slice(1);
  const pid = field('p');
  return pid === undefined ? undefined : { pid: Number(pid), command: field('c') };
}

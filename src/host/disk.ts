// How much of the disk a group's folders take. Its agent writes there freely, and a full disk stops all groups and the person.
import { lstat, opendir, readdir, readFile, stat as statOf } from 'node:fs/promises';
import path from 'node:path';
import { HoldfastError, systemCode } from '../system/errors.ts';

export interface DiskUse {
  readonly bytes: number;
  /** There is more; counting stopped here. */
  readonly over: boolean;
  /** A folder that cannot be counted: its path is too long, or the agent has closed it even to its owner. */
  readonly hidden?: string;
}

/** More files than any project has. Counting more would take too long. */
const mostFiles = 2_000_000;
const atOnce = 64;

/** Counts until the limit is exceeded. Follows no link. Files that disappear during the count do not count. */
export async function diskUse(folders: readonly string[], most: number): Promise<DiskUse> {
  const waiting = [...folders];
  let [bytes, files] = [0, 0];
  let batch: string[] = [];
  const count = async () => {
    const stats = await Promise.all(batch.map((file) => lstat(file).catch(ignoreGone)));
    batch = [];
    for (const stat of stats) bytes += (stat?.blocks ?? 0) * 512;
  };
  while (waiting.length > 0) {
    const folder = waiting.pop() as string;
    try {
      for await (const item of await opendir(folder)) {
        const at = path.join(folder, item.name);
        files++;
        batch.push(at);
        if (item.isDirectory()) waiting.push(at);
        if (batch.length >= atOnce) await count();
        if (bytes > most || files > mostFiles) return { bytes, over: true };
      }
    } catch (error) {
      if (await isHidden(folder, error)) return { bytes, over: true, hidden: folder };
      ignoreGone(error);
    }
  }
  await count();
  return { bytes, over: bytes > most };
}

/** A path that is too long, or a folder of ours that the agent has closed. With an engine, folders may belong to users of the container. */
async function isHidden(folder: string, error: unknown): Promise<boolean> {
  const code = systemCode(error);
  if (code !== 'EACCES') return code === 'ENAMETOOLONG';
  return (await lstat(folder).catch(ignoreGone))?.uid === process.getuid?.();
}

function ignoreGone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '')) return undefined;
  throw error;
}

/**
 * What files take that processes hold open after removing their names: they are on the disk, but in no folder. Counts the process `root`, which
 * has a group of its own, and its descendants; only files on the same disk as one of the folders. Linux only; elsewhere 0.
 */
export async function unnamedUse(root: number, folders: readonly string[]): Promise<number> {
  const disks = new Set(
    (await Promise.all(folders.map((folder) => statOf(folder).catch(ignoreGone)))).map((one) => one?.dev),
  );
  const files = new Map<string, number>();
  for (const pid of await descendants(root)) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      // The process, or the file, may be gone by now.
      const stat = await statOf(`/proc/${pid}/fd/${fd}`).catch(() => undefined);
      if (stat?.isFile() && stat.nlink === 0 && disks.has(stat.dev)) files.set(`${stat.dev} ${stat.ino}`, stat.blocks);
    }
  }
  return [...files.values()].reduce((sum, blocks) => sum + blocks * 512, 0);
}

/** A process and all that it has started, directly or not. */
async function descendants(root: number): Promise<Set<number>> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name of the program, in parentheses, may hold anything.
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const found = new Set([root]);
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.add(child);
  return found;
}

const shortestMs = 5000;

export interface DiskQuota {
  /** Throws CONFLICT when the folders hold more than they may. */
  check(): Promise<void>;
  /** Calls `over` once with the reason, as soon as they do. Files without a name count if a process below `pid` holds them open. */
  watch(over: (why: string) => void, pid?: Promise<number>): { stop(): void };
}

/** `mb` 0: no limit. */
export function diskQuota(group: string, folders: readonly string[], mb: number): DiskQuota {
  const most = mb * 1024 * 1024;
  /** The reason why it is too much. */
  const look = async (pid?: Promise<number>): Promise<string | undefined> => {
    if (mb === 0) return undefined;
    const { bytes, over, hidden } = await diskUse(folders, most);
    if (hidden !== undefined) return `the disk space of ${group} cannot be counted below ${hidden.slice(0, 200)}`;
    const isOver = over || (pid !== undefined && bytes + (await unnamedUse(await pid, folders)) > most);
    return isOver ? `the folders of ${group} hold more than the ${mb} MB that host.diskMb allows` : undefined;
  };
  return {
    async check() {
      const why = await look();
      if (why === undefined) return;
      throw new HoldfastError('CONFLICT', why, {
        hint: `Remove something from ${folders.join(' or ')}, or raise the limit: holdfast config set host.diskMb <MB>`,
      });
    },
    watch(over, pid) {
      let timer: NodeJS.Timeout | undefined;
      let stopped = mb === 0;
      // Counting many files takes a while, so the watch mostly rests.
      const again = (ms: number) => {
        timer = setTimeout(async () => {
          const began = Date.now();
          // If counting fails, for example because a folder has vanished, the next look counts again.
          const why = await look(pid).catch(() => undefined);
          if (stopped) return;
          if (why !== undefined) return over(why);
          again(Math.max(shortestMs, 20 * (Date.now() - began)));
        }, ms);
        timer.unref();
      };
      if (!stopped) again(shortestMs);
      return {
        stop() {
          stopped = true;
          clearTimeout(timer);
        },
      };
    },
  };
}

// How much of the disk a group's folders take. Its agent writes there freely, and a full disk stops all groups and the person.
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { HoldfastError, systemCode } from '../system/errors.ts';

export interface DiskUse {
  readonly bytes: number;
  /** There is more; counting stopped here. */
  readonly over: boolean;
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
      ignoreGone(error);
    }
  }
  await count();
  return { bytes, over: bytes > most };
}

function ignoreGone(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '')) return undefined;
  throw error;
}

const shortestMs = 5000;

export interface DiskQuota {
  /** Throws CONFLICT when the folders hold more than they may. */
  check(): Promise<void>;
  /** Calls `over` once with the reason, as soon as they do. */
  watch(over: (why: string) => void): { stop(): void };
}

/** `mb` 0: no limit. */
export function diskQuota(group: string, folders: readonly string[], mb: number): DiskQuota {
  const look = async () => (mb === 0 ? false : (await diskUse(folders, mb * 1024 * 1024)).over);
  const why = `the folders of ${group} hold more than the ${mb} MB that host.diskMb allows`;
  return {
    async check() {
      if (!(await look())) return;
      throw new HoldfastError('CONFLICT', why, {
        hint: `Remove something from ${folders.join(' or ')}, or raise the limit: holdfast config set host.diskMb <MB>`,
      });
    },
    watch(over) {
      let timer: NodeJS.Timeout | undefined;
      let stopped = mb === 0;
      // Counting many files takes a while, so the watch mostly rests.
      const again = (ms: number) => {
        timer = setTimeout(async () => {
          const began = Date.now();
          // If counting fails, for example because a folder has vanished, the next look counts again.
          const isOver = await look().catch(() => false);
          if (stopped) return;
          if (isOver) return over(why);
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

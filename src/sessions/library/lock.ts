// One writer at a time in a folder. A dead process cannot leave the folder locked.
//
// Locks are numbered files. The process that makes the next number holds the lock. It releases the lock by renaming `7` to `7.free`, or
// to `7.broken` if its work failed. The highest number is never removed before a higher one exists, so a process that acts on an old
// view and makes an old number sees the higher one and steps back. If the holder has died, any process may make the next number, and
// learns that the earlier work may be half done.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, draftOf, readIfThere, removeIfThere, type SessionFileSystem } from './files.ts';

interface Lock {
  readonly number: number;
  readonly ending: '' | 'free' | 'broken';
}

export interface Held {
  /** The previous holder died or failed while it held the lock, so its writes may be half done. */
  readonly afterFailure: boolean;
}

/** Holders finish in milliseconds. After this time with the same number, the lock counts as broken. */
const givenUpAfterMs = 60_000;

export function folderLock(files: SessionFileSystem, folder: string) {
  const pathOf = ({ number, ending }: Lock) => join(folder, ending === '' ? `${number}` : `${number}.${ending}`);

  async function all(): Promise<Lock[]> {
    const locks = (await files.readdir(folder)).flatMap((name): Lock[] => {
      const found = /^(\d+)(?:\.(free|broken))?$/.exec(name);
      return found ? [{ number: Number(found[1]), ending: (found[2] ?? '') as Lock['ending'] }] : [];
    });
    return locks.sort((a, b) => b.number - a.number);
  }

  async function stateOf(lock: Lock | undefined, seenForMs: number): Promise<'free' | 'held' | 'broken'> {
    if (lock === undefined || lock.ending === 'free') return 'free';
    if (lock.ending === 'broken' || seenForMs > givenUpAfterMs) return 'broken';
    const text = await readIfThere(files, pathOf(lock));
    if (text === undefined) return 'held'; // released a moment ago: look again
    const [pid, host] = text.split(' ');
    return host === hostname() && !isAlive(Number(pid)) ? 'broken' : 'held';
  }

  /** False if another process has the number. Uses link, so that the file appears with its holder in it, never empty. */
  async function make(lock: Lock): Promise<boolean> {
    const draft = draftOf(pathOf(lock));
    try {
      await files.createFile(draft, `${process.pid} ${hostname()}`);
      await files.link(draft, pathOf(lock));
      return true;
    } catch (error) {
      // ENOENT: the holder of a higher number has removed the draft.
      if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
      throw error;
    } finally {
      await removeIfThere(files, draft).catch(() => undefined); // the next holder removes it
    }
  }

  async function take(): Promise<{ lock: Lock; afterFailure: boolean }> {
    let seen: { number: number; since: number } | undefined;
    for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
      const locks = await all();
      const number = locks[0]?.number ?? 0;
      if (seen?.number !== number) seen = { number, since: Date.now() };
      const state = await stateOf(locks[0], Date.now() - seen.since);
      const next: Lock = { number: number + 1, ending: '' };
      if (state !== 'held' && (await make(next))) {
        let alone = false;
        try {
          // A released lock of the same number also means that this number is an old one.
          const [first, second] = await all();
          alone = first?.number === next.number && second?.number !== next.number;
        } finally {
          // Lower numbers still exist, so stepping back restores the earlier state.
          if (!alone) await removeIfThere(files, pathOf(next));
        }
        if (alone) return { lock: next, afterFailure: state === 'broken' };
      }
      await sleep(wait * Math.random());
    }
  }

  /** Removes everything older than the held lock. */
  async function clear(held: Lock): Promise<void> {
    for (const name of await files.readdir(folder))
      if (Number.parseInt(name, 10) < held.number) await removeIfThere(files, join(folder, name));
  }

  return {
    /** Runs the work while no other process holds the lock. */
    async hold<T>(work: (held: Held) => Promise<T>): Promise<T> {
      await files.mkdir(folder);
      const { lock, afterFailure } = await take();
      const release = (ending: 'free' | 'broken') => files.rename(pathOf(lock), pathOf({ ...lock, ending }));
      try {
        await clear(lock);
        const result = await work({ afterFailure });
        await release('free');
        return result;
      } catch (error) {
        await release('broken').catch(() => undefined); // report the first error
        throw error;
      }
    },
    /** Whether the last holder died or failed. */
    async isBroken(): Promise<boolean> {
      try {
        return (await stateOf((await all())[0], 0)) === 'broken';
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return false;
        throw error;
      }
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
  try {
    // A zombie keeps its pid until its parent waits for it. It counts as dead.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Not every system has /proc.
    return true;
  }
}

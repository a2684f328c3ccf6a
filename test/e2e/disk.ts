// An strace log → what a disk holds after a power cut. Only bytes written before an fsync of their file are certain, and only names created
// before an fsync of their folder.
import path from 'node:path';

export interface Moment {
  /** What the program printed at this moment. */
  readonly said: string;
  /** Files by name. `keep` decides for each piece that was written but not synced whether it had reached the disk. */
  disk(keep: () => boolean): Map<string, Buffer>;
  /** Bytes written to a file so far. */
  writtenTo(name: string): number;
}

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

interface Inode {
  /** In the order of the calls. */
  readonly changes: Change[];
  /** How many of them an fsync has made durable. */
  synced: number;
  written: number;
}

/** A disk keeps or loses a sector as a whole. */
const sector = 4096;

/** Follows the files of one folder, and records the disk whenever `marker` is written to standard output. */
export function diskAfter(log: string, folder: string, marker: RegExp): Moment[] {
  const files = new Map<string, Inode>();
  /** The names as of the last fsync of the folder. */
  let sure: ReadonlyMap<string, Inode> = new Map();
  const moments: Moment[] = [];
  const nameOf = (file: string) => (path.dirname(file) === folder ? path.basename(file) : undefined);

  for (const { call, args, result } of callsOf(log)) {
    if (result < 0) continue;
    const file = /^\d+<(.*?)>$/.exec(args[0] ?? '')?.[1];
    const target = file === undefined ? undefined : text(file);
    const name = target === undefined ? undefined : nameOf(target);
    const inode = name === undefined ? undefined : files.get(name);
    if (call === 'openat') {
      const opened = nameOf(text(args[1] ?? ''));
      const creates = (args[2] ?? '').includes('O_CREAT');
      if (opened !== undefined && creates && !files.has(opened))
        files.set(opened, { changes: [], synced: 0, written: 0 });
      if (opened !== undefined && (args[2] ?? '').includes('O_TRUNC')) files.get(opened)?.changes.push({ size: 0 });
    } else if (call === 'pwrite64' && inode !== undefined) {
      write(inode, Number(args[3]), bytesOf(args[1] ?? '').subarray(0, result));
    } else if (call === 'ftruncate' && inode !== undefined) {
      inode.changes.push({ size: Number(args[1]) });
    } else if ((call === 'fsync' || call === 'fdatasync') && target === folder) {
      sure = new Map(files);
    } else if ((call === 'fsync' || call === 'fdatasync') && inode !== undefined) {
      inode.synced = inode.changes.length;
    } else if (call === 'unlink') {
      files.delete(nameOf(text(args[0] ?? '')) ?? '');
    } else if (call === 'write' && args[0]?.startsWith('1<')) {
      const said = marker.exec(bytesOf(args[1] ?? '').toString('utf8'))?.[1];
      if (said !== undefined) moments.push(momentOf(said, files, sure));
    } else if (/^(write|writev|pwritev|rename|unlinkat|fallocate|lseek|msync|truncate)/.test(call)) {
      // A write that this file does not follow would prove nothing.
      const touched = args
        .map((arg) => nameOf(text(/<(.*?)>$/.exec(arg)?.[1] ?? arg)))
        .find((each) => each !== undefined);
      if (touched !== undefined && !touched.endsWith('-shm') && call !== 'lseek')
        throw new Error(`${call} of ${touched} is not followed`);
    }
  }
  return moments;
}

function write(inode: Inode, at: number, bytes: Buffer): void {
  inode.written += bytes.length;
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + sector - ((at + from) % sector));
    inode.changes.push({ at: at + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
}

function momentOf(said: string, files: ReadonlyMap<string, Inode>, sure: ReadonlyMap<string, Inode>): Moment {
  const now = new Map(files);
  const lengths = new Map(
    [...now.values(), ...sure.values()].map((inode) => [inode, { ...inode, count: inode.changes.length }]),
  );
  return {
    said,
    disk(keep) {
      const disk = new Map<string, Buffer>();
      for (const name of new Set([...now.keys(), ...sure.keys()])) {
        const inode = now.get(name) === sure.get(name) || !keep() ? sure.get(name) : now.get(name);
        const then = inode && lengths.get(inode);
        if (inode === undefined || then === undefined) continue;
        const survived = inode.changes.slice(0, then.count).filter((_, i) => i < then.synced || keep());
        disk.set(name, layOut(survived));
      }
      return disk;
    },
    writtenTo: (name) => lengths.get(now.get(name) as Inode)?.written ?? 0,
  };
}

function layOut(changes: readonly Change[]): Buffer {
  const ends = changes.map((change) => ('size' in change ? change.size : change.at + change.bytes.length));
  const bytes = Buffer.alloc(Math.max(0, ...ends));
  let size = 0;
  for (const change of changes) {
    if ('size' in change) {
      if (change.size < size) bytes.fill(0, change.size, size);
      size = change.size;
    } else {
      change.bytes.copy(bytes, change.at);
      size = Math.max(size, change.at + change.bytes.length);
    }
  }
  return bytes.subarray(0, size);
}

interface Call {
  readonly call: string;
  readonly args: readonly string[];
  readonly result: number;
}

/** Calls in the order in which they returned. Joins the halves of calls that another thread interrupted. */
function* callsOf(log: string): Generator<Call> {
  const unfinished = new Map<string, string>();
  for (const line of log.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const cut = rest.indexOf(' <unfinished ...>');
    if (cut >= 0) {
      unfinished.set(pid, rest.slice(0, cut));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>\s?/.exec(rest);
    const whole = resumed === null ? rest : (unfinished.get(pid) ?? '') + rest.slice(resumed[0].length);
    const open = whole.indexOf('(');
    const close = whole.lastIndexOf(') ');
    const result = /^\)\s+= (-?\d+)/.exec(whole.slice(close));
    if (open < 0 || result === null) continue;
    yield { call: whole.slice(0, open), args: whole.slice(open + 1, close).split(', '), result: Number(result[1]) };
  }
}

const bytesOf = (quoted: string): Buffer => Buffer.from(quoted.replace(/^"|"$/g, '').replaceAll('\\x', ''), 'hex');

/** A path as strace prints it: all bytes in hexadecimal, or plain. */
const text = (said: string): string =>
  said.includes('\\x') ? bytesOf(said).toString('utf8') : said.replace(/^"|"$/g, '');

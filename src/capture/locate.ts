// Finds the line that an entry continues from, searching backwards from the entry: it is nearly always a few lines up.
import fs from 'node:fs';

/** Bytes of the first step back; each further step is four times as long, up to the largest. */
const firstBlock = 8 << 10;
const largestBlock = 512 << 10;
/** How far back to search; if the parent is further away, the line before counts as the parent. */
const reach = 64 << 20;

/** Byte offset of the line that has `id` as its own id under `idKey`, searched backwards from `before`. */
export function locateLine(fd: number, idKey: string, id: string, before: number): number | undefined {
  const needle = Buffer.from(JSON.stringify(id));
  const overlap = needle.length + idKey.length + 16;
  let size = firstBlock;
  for (let end = before; end > 0 && before - end < reach; size = Math.min(largestBlock, size * 4)) {
    const start = Math.max(0, end - size);
    const block = Buffer.allocUnsafe(Math.min(before, end + overlap) - start);
    const got = fs.readSync(fd, block, 0, block.length, start);
    const found = lastStatement(block.subarray(0, got), idKey, needle);
    if (found >= 0) return lineStart(fd, start + found);
    end = start;
  }
  return undefined;
}

/** Index of the last `"<idKey>": "<id>"` in the bytes; other mentions of the id (as a parent, say) do not count. */
function lastStatement(bytes: Buffer, idKey: string, needle: Buffer): number {
  for (let at = bytes.lastIndexOf(needle); at >= 0; at = at > 0 ? bytes.lastIndexOf(needle, at - 1) : -1) {
    const lead = bytes.toString('latin1', Math.max(0, at - idKey.length - 16), at);
    if (new RegExp(`"${idKey}"\\s{0,8}:\\s{0,8}$`).test(lead)) return at;
  }
  return -1;
}

function lineStart(fd: number, inside: number): number {
  const block = Buffer.allocUnsafe(4096);
  for (let end = inside; end > 0; ) {
    const start = Math.max(0, end - block.length);
    const got = fs.readSync(fd, block, 0, end - start, start);
    const newline = block.subarray(0, got).lastIndexOf(10);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

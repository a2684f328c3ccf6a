// For processes whose heap should hold little more than what is in use: the worker, which lives for weeks beside other work, and imports and
// exchanges with a hub, which move much text through little memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * By default V8 lets garbage grow to several times the live data before it collects: 30 MB in use became 130. V8 reads both flags whenever
 * it decides, so they may be set while it runs.
 */
export function keepHeapSmall(): void {
  // Collect the old generation when it has grown by a fifth. Give the young generation no more space than it has now.
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
  // Drop the machine code of functions that have not run for long, as V8 does with their bytecode. The start leaves 2 MB of it.
  setFlagsFromString('--flush-baseline-code');
}

/** Collects now, if the runtime allows it. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  // A runtime without `gc` collects when it sees fit.
  if (typeof collect === 'function') collect();
}

/**
 * For an import: lets V8 compile a function for the last time when it has run three times as long as usual. Without it, these compilations
 * take an eighth of the processor time of an import of 75 MB, and most of them never pay. All threads of the process share the setting.
 */
export function compileLater(): void {
  setFlagsFromString('--interrupt-budget=400000');
}

/** For an import: collects the old generation when it has doubled. That saves 30 MB; collecting earlier would cost 4 % of its time. */
export function keepHeapModest(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/**
 * Collects now and gives the pages back, the empty ones of the young generation too, which `gc` keeps (16 MB and more). It takes about
 * 30 ms: for a moment without work.
 */
export async function giveBackMemory(): Promise<void> {
  const inspector = await import('node:inspector/promises').catch(() => undefined);
  // A Node that was built without it keeps the empty pages.
  if (inspector === undefined) return collectGarbage();
  const { Session } = inspector;
  // A session within the process: no port is opened.
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
    // A session that is closed from within its own answer blocks the process for ever.
    await new Promise((later) => setImmediate(later));
  } finally {
    session.disconnect();
  }
}

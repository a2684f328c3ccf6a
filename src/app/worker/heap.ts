// The worker lives for weeks beside other work, so its heap should hold little more than what is in use.
import { setFlagsFromString } from 'node:v8';

/**
 * By default V8 lets garbage grow to several times the live data before it collects: 30 MB in use became 130. V8 reads both flags whenever
 * it decides, so they may be set while it runs.
 */
export function keepHeapSmall(): void {
  // Collect the old generation when it has grown by a fifth. Give the young generation no more space than at the start.
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}

// The worker lives for weeks beside other work: its heap holds little more than what is in use.
import { setFlagsFromString } from 'node:v8';

/**
 * By itself V8 lets garbage grow to several times of what lives before it looks: 30 MB in use became 130. Both flags are numbers that it
 * reads whenever it decides, so they may be set while it runs.
 */
export function keepHeapSmall(): void {
  // What is old is collected when it has grown by a fifth; what is new gets no more room than the start took.
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}

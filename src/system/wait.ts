/** Blocks the thread. For short waits in code that cannot be asynchronous. */
export const waitSync = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

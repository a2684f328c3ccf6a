// A thread that ends the process when a signal asked for it and the thread that should do so computes, or waits for ever. JavaScript has
// one thread: while that is busy, no handler of its own hears a signal.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

export interface GuardDeps {
  /** How long the command may take to end in order. */
  readonly graceMs: number;
  /** The process that started this one as a part of itself; when it is gone, this one has to go, too. */
  readonly parent?: number | undefined;
}

interface SignalWrap {
  onsignal: (signal: number) => void;
  start(signal: number): number;
  unref?(): void;
}

if (!isMainThread && parentPort !== null) {
  const { graceMs, parent } = workerData as GuardDeps;
  const end = () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs);
  listen(15, end);
  // The first Ctrl+C is a wish, and a person sees how it is followed; the second one is meant.
  let interrupts = 0;
  listen(2, () => ++interrupts === 2 && end());
  parentPort.postMessage('listening');
  if (parent !== undefined) {
    const look = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(look);
      end();
    }, 1000);
  }
}

/**
 * Node gives signals to the main thread alone, though each thread has a loop that could hear them. The binding is deprecated, and where it is
 * missing a command ends as it did before: by its own handler.
 */
function listen(signal: number, heard: () => void): void {
  try {
    process.noDeprecation = true;
    const { binding } = process as unknown as { binding(name: 'signal_wrap'): { Signal: new () => SignalWrap } };
    const wrap = new (binding.call(process, 'signal_wrap').Signal)();
    wrap.onsignal = heard;
    wrap.start(signal);
  } catch {
    // See above.
  }
}

// A thread that ends the process after a signal if the main thread computes or waits forever. JavaScript has one
// thread: while it is busy, its signal handlers do not run.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

export interface GuardDeps {
  /** How long the command may take to end in order. */
  readonly graceMs: number;
  /** The signal has come already: the time runs. */
  readonly heard: boolean;
  /** The process that started this one as a part of itself; if it is gone, this process must end too. */
  readonly parent?: number | undefined;
}

interface SignalWrap {
  onsignal: (signal: number) => void;
  start(signal: number): number;
  unref?(): void;
}

if (!isMainThread && parentPort !== null) {
  const { graceMs, heard, parent } = workerData as GuardDeps;
  const end = () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs);
  if (heard) end();
  listen(15, end);
  // After the first Ctrl+C the person sees the command stop; the second one ends it at once.
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
 * Node delivers signals only to the main thread, although each thread has a loop that could receive them. The binding
 * is deprecated; if it is missing, a command ends as before, by its own handler.
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

// What a group's people are told when a run ends without the answer that they wait for.
import type { RunNotices } from '../store/runs/port.ts';

export function noticesOf(error: string | undefined, task: number | undefined): RunNotices {
  const why = error ?? 'its process ended';
  return {
    unanswered: `There is no answer: ${why}. It is tried again with the next message.`,
    cutOff: `The answer ends here: ${why}.`,
    taskFailed: `The scheduled task ${task ?? ''} failed: ${why}.`,
  };
}

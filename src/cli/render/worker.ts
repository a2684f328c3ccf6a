import { localTime, type View } from '../view.ts';

export const renderStart = ({ pid, alreadyRunning }: { pid: number; alreadyRunning: boolean }): string =>
  alreadyRunning ? `The worker runs already (process ${pid}).` : `The worker is running (process ${pid}).`;

export const renderStop = ({ stopped, pid }: { stopped: boolean; pid?: number }): string =>
  stopped ? `The worker has stopped (process ${pid}).` : 'No worker was running.';

export const renderStatus = (
  { running, pid, since }: { running: boolean; pid?: number; since?: string },
  view: View,
): string =>
  running
    ? `The worker is running (process ${pid}${since ? `, since ${localTime(since, view)}` : ''}).`
    : 'The worker is not running. Start it with: holdfast worker start';

// Loaded into every process of Holdfast by a test. A process that reports progress to the worker stops itself at the first report of each
// phase: the test then has as much time to look as it needs, and lets it continue.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.env.HELD_WORK;
const send = process.send?.bind(process);
if (folder !== undefined && send !== undefined) {
  const held = new Set();
  process.send = (message, done) =>
    send(message, (error) => {
      done?.(error);
      const phase = message.embedded ? 'embedding' : 'jobs' in message ? 'distilling' : 'importing';
      if ('redacted' in message || held.has(phase)) return;
      held.add(phase);
      writeFileSync(path.join(folder, phase), String(process.pid), { flag: 'wx' });
      process.kill(process.pid, 'SIGSTOP');
    });
}

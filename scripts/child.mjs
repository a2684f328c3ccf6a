// Child processes of the scripts.
import { spawn } from 'node:child_process';

/** Runs a program in the foreground and resolves with its exit code. A signal to this process reaches the program. */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', ...options });
    const forward = (signal) => child.kill(signal);
    // Ctrl+C reaches the whole process group by itself. Staying until the program has ended is enough.
    const stay = () => {};
    process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', stay);
    const done = () => process.off('SIGTERM', forward).off('SIGHUP', forward).off('SIGINT', stay);
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code, signal) => {
      done();
      resolve(code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal] ?? 9));
    });
  });
}

/** Runs a program in silence and shows the elapsed time on a terminal. If the program fails, shows its output. */
export async function runQuietly(label, file, args, options = {}) {
  const began = Date.now();
  const said = [];
  const terminal = process.stderr.isTTY;
  const show = () => process.stderr.write(`\r\x1b[K${label} ${Math.round((Date.now() - began) / 1000)} s`);
  const timer = terminal ? setInterval(show, 1000) : undefined;
  if (terminal) show();
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      said.push(Buffer.from(`${file}: ${error.message}\n`));
      resolve(127);
    });
    child.once('close', (status) => resolve(status ?? 1));
  });
  clearInterval(timer);
  if (terminal) process.stderr.write('\r\x1b[K');
  if (code !== 0) process.stderr.write(Buffer.concat(said));
  return code;
}

// Composes the command line: bin/holdfast imports this file, and it runs. Every error ends here, as a message and an exit code.
import { CommanderError } from 'commander';
import { type Config, terminalWishes } from '../config/config.ts';
import { operations } from '../operations/index.ts';
import { protectQuery } from '../surfaces/cli/arguments.ts';
import { endOnInterrupt, endOnTermination } from '../surfaces/cli/ending.ts';
import { operationNamed, operationsUnder } from '../surfaces/cli/names.ts';
import { Left } from '../surfaces/cli/person.ts';
import { buildProgram } from '../surfaces/cli/program.ts';
import { runOperation } from '../surfaces/cli/run.ts';
import { styles } from '../surfaces/cli/style.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { programs } from './programs.ts';

// Before anything is written: only the owner may read what Holdfast creates.
process.umask(0o077);

const argv = process.argv.slice(2);
const table = operations.filter((operation) => operation.surfaces.includes('cli'));
const stop = new AbortController();

endOnInterrupt(stop);

// The process that ran us as its child is gone, so the result is not needed.
if (process.channel) {
  process.once('disconnect', () => stop.abort());
  process.channel.unref();
}

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has seen enough (`| head`).
    if (error.code === 'EPIPE') process.exit();
    throw explain(error, 'the output');
  });

process.on('uncaughtException', (error) => process.exit(report(error)));

try {
  // Building all commands takes a tenth of the start. Only the full help, or an unknown command, needs them.
  const program = buildProgram(
    operationsUnder(argv[0], table),
    async (operation, input, options) => {
      void endOnTermination(operation, stop);
      // Some operations work without the store, and loading it takes time.
      const openStore = async (config: Config) => (await import('./store.ts')).openStore(config);
      process.exitCode = await runOperation(operation, input, { ...options, openStore, programs, signal: stop.signal });
    },
    { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) },
  );
  await program.parseAsync(protectQuery(argv, table), { from: 'user' });
} catch (error) {
  process.exitCode = report(error);
}

/** Prints what went wrong, and returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  if (error instanceof Left) return Number(process.exitCode ?? 130);
  const { debug, noColor, forceColor } = terminalWishes();
  if (debug) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const interrupted = stop.signal.aborted && (error as Error | undefined)?.name === 'AbortError';
  if (interrupted) {
    process.stderr.write('Stopped. What was done so far is kept; the next run continues from there.\n');
    return Number(process.exitCode ?? 130);
  }
  const { code, message, hint, exitCode } =
    error instanceof CommanderError
      ? misuse(error)
      : explain(error, (error as NodeJS.ErrnoException | undefined)?.path ?? 'holdfast');
  if (argv.includes('--json')) {
    process.stderr.write(`${JSON.stringify({ error: { code, message, ...(hint ? { hint } : {}) } })}\n`);
  } else {
    const style = styles(forceColor || (process.stderr.isTTY === true && !noColor));
    process.stderr.write(`${style.red('Error:')} ${message}\n${hint ? `${style.dim(hint)}\n` : ''}`);
  }
  return exitCode;
}

/** Commander's own errors, in our form. */
function misuse(error: CommanderError): HoldfastError {
  const [message = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/^\((.*)\)$/, '$1');
  const words = argv.slice(0, operationNamed(argv, table)?.words ?? 1).filter((word) => /^[a-z][a-z-]*$/.test(word));
  const help = `See: ${['holdfast', ...words, '--help'].join(' ')}`;
  return new HoldfastError('BAD_INPUT', message.charAt(0).toUpperCase() + message.slice(1), {
    hint: suggestion === '' ? help : suggestion,
  });
}

// One command, from validated input to printed answer and exit code.
import { type Config, loadConfig, terminalWishes } from '../../config/config.ts';
import { refuseUnasked } from '../../operations/consent.ts';
import type { Context, Operation } from '../../operations/operation.ts';
import type { Programs } from '../../operations/programs.ts';
import { askWorker } from '../../processes/access/ask.ts';
import { openMeaning, usualCloselyMs } from '../../recall/vectors/index.ts';
import { hoursOf } from '../../schema/clock.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { runningTime } from '../../system/running-time.ts';
import { isLiveSearch, type Next, searchLive } from './live-search.ts';
import { agrees, canBeAsked, openEditor, piped } from './person.ts';
import { chooseSession } from './picker/choose.ts';
import { page, print, write } from './print.ts';
import type { RunOptions } from './program.ts';
import { progressBar } from './progress.ts';
import { render } from './render/index.ts';
import { clean, type Style, styles } from './style.ts';
import { openTerminal } from './terminal.ts';
import type { View } from './view.ts';

export interface RunDeps extends RunOptions {
  readonly openStore: (config: Config) => Promise<Store>;
  readonly programs: Programs;
  readonly signal: AbortSignal;
}

/** A command answers within half a second of its start where it can: what the start has taken is not left for close reading. */
const untilAnswered = () => Math.min(usualCloselyMs, 450 - performance.now());

/** Returns the exit code. Throws errors. */
export async function runOperation(
  operation: Operation,
  input: Record<string, unknown>,
  { json, columns, signal, openStore, programs }: RunDeps,
): Promise<number> {
  if (!canBeAsked()) refuseUnasked(operation, input, 'add --yes');
  const config = loadConfig(undefined, { mending: operation.mendsConfig });
  const isLive = !json && isLiveSearch(operation, input);
  const elsewhere = isLive ? undefined : operation.viaWorker?.(input);
  const told = elsewhere && (await askWorker(config, operation, elsewhere));
  if (told !== undefined) return finish(told);
  const store = operation.withoutStore ? undefined : await openStore(config);
  const meaning = store && openMeaning({ store, config, ...(isLive ? {} : { closelyMs: untilAnswered }) });
  const bar = progressBar(process.stderr);
  const say = (line: string) => {
    bar.clear();
    (json ? process.stderr : process.stdout).write(`${clean(line)}\n`);
  };
  try {
    const context: Context = {
      config,
      get store(): Store {
        if (store) return store;
        throw new HoldfastError('INTERNAL', `${operation.name} was declared to work without the store`);
      },
      meaning,
      clock: Date.now,
      running: runningTime,
      // If another process of Holdfast waits for this one, that process draws the progress.
      progress: process.send ? (progress) => process.send?.(progress, () => {}) : bar.update,
      signal,
      programs,
      say,
      warn: (line) => void process.stderr.write(`${styleOf(process.stderr).yellow(clean(line))}\n`),
      out: write,
      person: {
        piped,
        edit: openEditor,
        agrees: (question) => agrees(question, signal),
        converse: (stop) => openTerminal({ silent: json, style: styleOf(process.stderr), stop }),
        // Only a program asks for JSON.
        ...(json || store === undefined
          ? {}
          : { chooseSession: (agent, words) => chooseSession({ config, store, signal }, agent, words) }),
      },
    };
    const next = isLive ? await searchLive({ ...context, signal, store: context.store }, input) : undefined;
    if (next !== undefined) return await finish(await next.operation.run(context, next.input), next);
    const output = await operation.run(context, input);
    bar.clear();
    return await finish(output);
  } finally {
    bar.clear();
    await meaning?.close();
    await store?.close();
  }

  async function finish(output: unknown, ran: Next = { operation, input }): Promise<number> {
    if (json) await print(JSON.stringify(output, null, 2));
    else {
      const { timeZone, clock } = config.settings;
      const hours = hoursOf(clock, terminalWishes().locale);
      await show(ran.operation, output, ran.input, { timeZone, hours, columns });
    }
    return ran.operation.succeeded?.(output, ran.input) === false ? 1 : 0;
  }
}

function styleOf(stream: NodeJS.WriteStream): Style {
  const { noColor, forceColor } = terminalWishes();
  return styles(forceColor || (stream.isTTY === true && !noColor));
}

async function show(
  operation: Operation,
  output: unknown,
  input: unknown,
  wishes: Pick<View, 'timeZone' | 'hours' | 'columns'>,
): Promise<void> {
  const { isTTY } = process.stdout;
  const { pager } = terminalWishes();
  const view = {
    style: styleOf(process.stdout),
    width: process.stdout.columns ?? 120,
    now: Date.now(),
    ...wishes,
  };
  const { text, paged } = await render(operation.name, output, view, input);
  if (text === '') return;
  if (isTTY && paged) await page(text, pager);
  else await print(text);
}

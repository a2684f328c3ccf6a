// Composes the host of groups: a process that waits for messages, and a chat that may itself be a host.
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { chat } from '../host/chat.ts';
import { openHostOf } from '../host/open.ts';
import { dropHeld, hearForgotten } from '../operations/data/forgotten-bell.ts';
import type { Context } from '../operations/operation.ts';
import type { Programs } from '../operations/programs.ts';
import { aborted } from '../system/aborted.ts';
import { HoldfastError } from '../system/errors.ts';
import { openLog } from '../system/log.ts';

/** When the host is stopped, agents have this long to finish their answers. */
const farewellMs = 30_000;

const logOf = (config: Config): ((line: string) => void) =>
  openLog(path.join(path.dirname(config.logPath), 'host.log'));

export const chatWith: Programs['chat'] = (context, terminal, request) =>
  chat(context, terminal, { ...request, log: logOf(context.config) });

export async function runAsHost(context: Context): Promise<void> {
  const { config, say, signal = new AbortController().signal } = context;
  const write = logOf(config);
  const log = (line: string) => {
    write(line);
    say?.(line);
  };
  const opened = await openHostOf(context, { log, warn: log });
  if ('other' in opened)
    throw new HoldfastError('CONFLICT', `A host is running already (process ${opened.other.pid})`, {
      hint: 'A chat becomes the host if none runs, and stays it until you close the chat. See: holdfast host status',
    });
  write(`host ${process.pid} started`);
  say?.('Waiting for messages to groups. Ctrl+C stops; nothing is lost.');
  // A host whose data folder was removed would run forever for nothing.
  const orphaned = new AbortController();
  const look = setInterval(() => opened.isLost() && orphaned.abort(), config.settings.pollIntervalMs);
  const forgetting = hearForgotten(config, () => void dropHeld(context.store));
  await aborted(AbortSignal.any([signal, orphaned.signal]));
  forgetting.close();
  clearInterval(look);
  const busy = opened.host.processes().filter((one) => one.isBusy()).length;
  if (busy > 0) say?.(`${busy} of them are still answering; Ctrl+C ends them at once, and their messages wait again.`);
  await opened.stop(farewellMs);
  write(`host ${process.pid} stopped`);
}

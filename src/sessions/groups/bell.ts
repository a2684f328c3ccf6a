// How other processes wake the host, and hear what its agents are saying: a socket in the data folder, one line of JSON each way. It
// only saves time. What counts is in the store, and whoever cannot reach the bell finds it by looking.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { LiveWord } from '../../schema/group-message.ts';
import { explain, systemCode } from '../../system/errors.ts';

const Call = z.union([
  z.strictObject({ ring: z.literal(true) }),
  /** The group's process is to close. */
  z.strictObject({ close: z.string() }),
  /** From now on, what is said in this group is told. */
  z.strictObject({ listen: z.string() }),
]);
type Call = z.infer<typeof Call>;

export interface Bell {
  /** To those who listen to the word's group. */
  tell(word: LiveWord): void;
  /** Whether somebody listens to a group. */
  isHeard(group: string): boolean;
  close(): Promise<void>;
}

const longestLine = 1 << 16;
/** One that has this much unread has stopped listening. */
const maxUnread = 1 << 20;

/** For the host, who holds its claim: a socket that is there already is a dead host's. */
export async function hangBell(
  config: Pick<Config, 'home'>,
  on: { readonly ring: () => void; readonly close: (group: string) => void; readonly log: (line: string) => void },
): Promise<Bell> {
  const listeners = new Map<net.Socket, Set<string>>();
  const hear = (socket: net.Socket, line: string): void => {
    const call = Call.safeParse(parsed(line)).data;
    if (call === undefined) return void socket.destroy();
    if ('close' in call) on.close(call.close);
    else if ('listen' in call) {
      listeners.get(socket)?.add(call.listen);
      socket.write(`${JSON.stringify({ group: call.listen })}\n`);
    }
    on.ring();
  };
  const server = net.createServer((socket) => {
    listeners.set(socket, new Set());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => listeners.delete(socket));
    readLines(socket, (line) => hear(socket, line));
  });
  const place = placeOf(config);
  try {
    if (process.platform !== 'win32') fs.rmSync(place, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place, resolve);
    });
    server.on('error', (error) => on.log(error.message));
  } catch (error) {
    on.log(`Nobody can ring here, so messages are found a few seconds late: ${explain(error, place).message}`);
  }
  return {
    tell(word) {
      const line = `${JSON.stringify(word)}\n`;
      for (const [socket, groups] of listeners) {
        if (!groups.has(word.group)) continue;
        if (socket.writableLength > maxUnread) socket.destroy();
        else socket.write(line);
      }
    },
    isHeard: (group) => [...listeners.values()].some((groups) => groups.has(group)),
    async close() {
      for (const socket of listeners.keys()) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Tells the host that something is due. False: nobody is there, or not for us. Contract: never throws. */
export function ring(config: Pick<Config, 'home'>, call: Call = { ring: true }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(placeOf(config));
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('connect', () => socket.end(`${JSON.stringify(call)}\n`, () => resolve(true)));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

export interface Listening {
  close(): void;
}

/**
 * Hears what is said in a group, for as long as the host is there. `word` is called once at the beginning, with nothing but the group:
 * from then on nothing is missed. Contract: never throws; `gone` is called once, unless it was closed here.
 */
export function listenToHost(
  config: Pick<Config, 'home'>,
  group: string,
  on: { readonly word: (word: LiveWord) => void; readonly gone: () => void },
): Listening {
  const socket = net.connect(placeOf(config));
  let closed = false;
  socket.once('connect', () => socket.write(`${JSON.stringify({ listen: group } satisfies Call)}\n`));
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    if (!closed) on.gone();
  });
  readLines(socket, (line) => {
    const word = LiveWord.safeParse(parsed(line)).data;
    if (word?.group === group) on.word(word);
  });
  return {
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

function readLines(socket: net.Socket, line: (text: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) line(one);
    if (rest.length > longestLine * 16) socket.destroy();
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Not one of ours: the schema refuses it.
    return undefined;
  }
}

/** The path of a socket may have a hundred bytes only. */
function placeOf({ home }: Pick<Config, 'home'>): string {
  const print = createHash('sha256').update(home).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-${print}`;
  const place = path.join(home, 'host.sock');
  if (Buffer.byteLength(place) < 100) return place;
  const folder = path.join(os.tmpdir(), `holdfast-${process.getuid?.() ?? 0}`);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const { uid, mode } = fs.lstatSync(folder);
  // Somebody else's folder of this name must not hear us.
  if (uid !== process.getuid?.() || (mode & 0o77) !== 0) return place;
  return path.join(folder, `${print}.sock`);
}

// Other processes wake the host, and hear what its agents say, through a socket in the data folder with one line of JSON per message.
// The socket only saves time: everything is in the store, and a process that cannot reach the socket polls the store.
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
  /** Asks the group's process to close. */
  z.strictObject({ close: z.string() }),
  /** From now on, sends what is said in this group. */
  z.strictObject({ listen: z.string() }),
]);
type Call = z.infer<typeof Call>;

export interface Bell {
  /** Sends to everyone who listens to the word's group. */
  tell(word: LiveWord): void;
  /** Whether any process listens to the group. */
  isHeard(group: string): boolean;
  close(): Promise<void>;
}

const longestLine = 1 << 16;
/** A listener with this many unread bytes has stopped listening. */
const maxUnread = 1 << 20;

/** Contract: the caller is the only host. An existing socket therefore belongs to a dead host. */
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
    on.log(`This process cannot be woken, so it finds messages a few seconds late: ${explain(error, place).message}`);
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

/** Tells the host that something is due. False if no host answers or access is denied. Contract: never throws. */
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
 * Hears what is said in a group until the host ends. The first call of `word` names only the group: from then on the listener misses
 * nothing. Contract: never throws; calls `gone` once, unless the caller closed it.
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
    // Not a message of Holdfast: the schema refuses undefined.
    return undefined;
  }
}

/** Systems limit the path of a socket to about a hundred bytes. */
function placeOf({ home }: Pick<Config, 'home'>): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-${hash}`;
  const place = path.join(home, 'host.sock');
  if (Buffer.byteLength(place) < 100) return place;
  const folder = path.join(os.tmpdir(), `holdfast-${process.getuid?.() ?? 0}`);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const { uid, mode } = fs.lstatSync(folder);
  // Another user may have made this folder, and must not hear us.
  if (uid !== process.getuid?.() || (mode & 0o77) !== 0) return place;
  return path.join(folder, `${hash}.sock`);
}

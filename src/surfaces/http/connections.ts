// Which connections may stay. Callers that have not shown a token share a small budget: when it is used up, the one
// that has waited longest is closed. So strangers can only shut out each other.
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** A caller on this connection has shown a token. */
  welcome(socket: Socket): void;
}

export interface Budget {
  readonly strangers: number;
  readonly known: number;
}

const most = 256;
/**
 * File descriptors that the worker needs besides connections: the database, watches, files that it reads, processes
 * that it starts.
 */
const reserve = 40;

/** From the number of files that this process may open. A worker with few of them keeps most for its work. */
export function budgetFor(allowed: number, open: number): Budget {
  const free = allowed - open - reserve;
  const strangers = Math.max(4, Math.min(most, Math.floor(free / 2)));
  return { strangers, known: strangers };
}

/** Contract: never throws. If the system does not tell, there is room for all. */
export function ownBudget(): Budget {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const allowed = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
    return budgetFor(allowed, readdirSync('/proc/self/fd').length);
  } catch {
    // There is no /proc on this system.
    return budgetFor(Number.POSITIVE_INFINITY, 0);
  }
}

export function limitConnections(server: Server, budget: Budget): Connections {
  // In order of arrival.
  const strangers = new Set<Socket>();
  const known = new Set<Socket>();
  const busy = new Map<Socket, number>();

  /** Closes an idle connection before one that is being answered. */
  const evict = (from: Set<Socket>): void => {
    const victim = [...from].find((socket) => !busy.has(socket)) ?? from.values().next().value;
    victim?.destroy();
    if (victim !== undefined) from.delete(victim);
  };

  server.on('connection', (socket: Socket) => {
    if (strangers.size >= budget.strangers) evict(strangers);
    strangers.add(socket);
    socket.once('close', () => {
      strangers.delete(socket);
      known.delete(socket);
      busy.delete(socket);
    });
  });
  const begin = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) busy.set(socket, left);
      else busy.delete(socket);
    });
  };
  server.on('request', begin);
  server.on('checkContinue', begin);
  return {
    welcome(socket) {
      if (!strangers.delete(socket)) return;
      if (known.size >= budget.known) evict(known);
      known.add(socket);
    },
  };
}

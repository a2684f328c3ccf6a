// A command asks the worker, which already holds in memory what the command would have to load first.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { version } from '../../package.ts';
import { proofOf } from './proof.ts';

export interface AskOptions {
  /** How long the worker may take to identify itself: it may be busy, or a stranger. */
  readonly helloMs?: number;
  readonly answerMs?: number;
}

const longestAnswer = 32 << 20;

/** What is needed of an operation to call it over HTTP. */
interface Asked {
  readonly name: string;
  readonly http?: { readonly method?: 'GET' | 'POST'; readonly path?: string };
}

/**
 * The worker's answer; undefined if there is none for any reason, and then the command does the work itself. Contract:
 * never throws.
 */
export async function askWorker(
  config: Config,
  operation: Asked,
  input: Record<string, unknown>,
  { helloMs = 250, answerMs = 3000 }: AskOptions = {},
): Promise<unknown> {
  // Without a claim there is no worker, and a stranger on the port should not hear of us.
  if (!existsSync(join(config.home, 'worker.pid')) || (operation.http?.method ?? 'GET') !== 'GET') return undefined;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let connections = 0;
  const connect = agent.createConnection.bind(agent);
  // Never open a second connection: another program could be behind it.
  agent.createConnection = (...args) => {
    if (++connections > 1) throw new Error('the connection is gone');
    return connect(...args);
  };
  const { port } = config.settings;
  const get = (path: string, patienceMs: number, token?: string) => request({ agent, port, path, patienceMs, token });
  try {
    const nonce = randomBytes(32).toString('hex');
    const hello = JSON.parse(await get(`/api/health?nonce=${nonce}`, helloMs)) as { version: string; proof: string };
    const token = readFileSync(join(config.home, 'token'), 'utf8').trim();
    const [given, due] = [hello.proof, proofOf(token, port, nonce)].map((text) => Buffer.from(text, 'hex')) as [
      Buffer,
      Buffer,
    ];
    if (given.length !== due.length || !timingSafeEqual(given, due)) return undefined;
    // Another version may mean something else by the same words.
    if (hello.version !== version()) return undefined;
    const path = operation.http?.path ?? `/api/${operation.name.replaceAll(' ', '/')}`;
    return JSON.parse(await get(`${path}?${queryOf(input)}`, answerMs, token));
  } catch {
    // The worker is gone, busy, or refuses the question: the command itself reports what is wrong, if anything is.
    return undefined;
  } finally {
    agent.destroy();
  }
}

function queryOf(input: Record<string, unknown>): string {
  const stated = Object.entries(input).filter(([, value]) => value !== undefined);
  return new URLSearchParams(Object.fromEntries(stated.map(([name, value]) => [name, String(value)]))).toString();
}

function request(asked: {
  agent: http.Agent;
  port: number;
  path: string;
  patienceMs: number;
  token: string | undefined;
}): Promise<string> {
  const { agent, port, path, patienceMs, token } = asked;
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const call = http.get({ host: '127.0.0.1', port, path, agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > longestAnswer) call.destroy(new Error('too long'));
      });
      answer.once('error', reject);
      answer.once('end', () => {
        clearTimeout(enough);
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`refused with ${answer.statusCode}`));
      });
    });
    const enough = setTimeout(() => call.destroy(new Error('too slow')), patienceMs);
    call.once('error', (error) => {
      clearTimeout(enough);
      reject(error);
    });
  });
}

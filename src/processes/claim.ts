// A claim is a file that names the process holding it, by pid and start time, so a recycled pid is never mistaken for
// the holder. It is written under another name and linked into place, so that no process reads half a claim.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemCode } from '../system/errors.ts';

export interface Holder {
  readonly pid: number;
  /** The start of that process, as the system reports it. */
  readonly started: string;
  readonly since: string;
  /** Version of the program; a program that does not give one is older than all that do. */
  readonly version?: string | undefined;
}

export type Claim =
  /** `lost`: the claim file was removed, perhaps with the whole data folder. */
  { readonly held: true; release(): void; lost(): boolean } | { readonly held: false; readonly holder: Holder };

/** Takes the claim, from a dead holder if need be, or says which process holds it. */
export async function claim(file: string, version?: string): Promise<Claim> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const started = (await processStart(process.pid)) ?? '';
  const holder: Holder = { pid: process.pid, started, since: new Date().toISOString(), version };
  const nonce = randomUUID();
  const mine = `${JSON.stringify({ ...holder, nonce })}\n`;
  const draft = `${file}.${nonce}`;
  await writeFile(draft, mine, { mode: 0o600, flag: 'wx' });
  try {
    while (true) {
      if (await linked(draft, file)) {
        // If the folder cannot be listed now, the next process sweeps it.
        await sweepDrafts(file).catch(() => {});
        return { held: true, release: () => releaseIf(file, mine), lost: () => !stands(file, mine) };
      }
      const found = await read(file);
      if (found === undefined) continue;
      const other = await livingHolder(found);
      if (other !== undefined) return { held: false, holder: other };
      // Only one process at a time may replace a dead claim, and only the very claim that it saw dead. That right is
      // itself a claim, so a crash here is handled the same way.
      const turn = await claim(`${file}.takeover`);
      if (!turn.held) {
        await sleep(10);
        continue;
      }
      try {
        if ((await read(file)) === found) await rm(file, { force: true });
      } finally {
        turn.release();
      }
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** The process that holds the claim, if it is alive. */
export async function holderOf(file: string): Promise<Holder | undefined> {
  const found = await read(file);
  return found === undefined ? undefined : livingHolder(found);
}

export const sameProcess = async (holder: Holder): Promise<boolean> =>
  (await processStart(holder.pid)) === holder.started;

async function livingHolder(text: string): Promise<Holder | undefined> {
  const holder = parse(text);
  return holder !== undefined && (await sameProcess(holder)) ? holder : undefined;
}

/** A claim that a power cut truncated holds nothing. */
function parse(text: string): Holder | undefined {
  try {
    const { pid, started, since, version } = JSON.parse(text) ?? {};
    if (!Number.isInteger(pid) || pid <= 0 || typeof started !== 'string') return undefined;
    return { pid, started, since, version: typeof version === 'string' ? version : undefined };
  } catch {
    return undefined;
  }
}

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Synchronous, so that it also works while a process exits. */
function releaseIf(file: string, mine: string): void {
  if (stands(file, mine)) rmSync(file, { force: true });
}

/** If the file cannot be read right now (for example, no descriptor is left), assume that the claim stands. */
function stands(file: string, mine: string): boolean {
  try {
    return readFileSync(file, 'utf8') === mine;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** Removes drafts of processes that were killed while they took this claim. */
async function sweepDrafts(file: string): Promise<void> {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  for (const found of await readdir(folder)) {
    if (!found.startsWith(`${name}.`) || !isDraft.test(found)) continue;
    const draft = path.join(folder, found);
    const text = await read(draft);
    // A draft that is still being written is empty.
    const isLeft = text === undefined || parse(text) === undefined ? await isOld(draft) : !(await livingHolder(text));
    if (isLeft) await rm(draft, { force: true });
  }
}

const isDraft = /\.[0-9a-f]{8}-[0-9a-f-]{27}$/;
const isOld = async (file: string): Promise<boolean> => Date.now() - (await stat(file)).mtimeMs > 3_600_000;

/** When a process started, as text that no later process with the same pid can have; undefined if it is not alive. */
export async function processStart(pid: number): Promise<string | undefined> {
  const own = process.platform === 'linux' ? await startByProc(process.pid) : undefined;
  return own === undefined ? startByPs(pid) : pid === process.pid ? own : startByProc(pid);
}

async function startByProc(pid: number): Promise<string | undefined> {
  const quietly = (file: string) => read(file).catch(() => undefined);
  const stat = await quietly(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, and may itself contain spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  // The start counts from the boot of the machine.
  const boot = (await quietly('/proc/sys/kernel/random/boot_id'))?.trim();
  return `${boot}:${fields[19]}`;
}

async function startByPs(pid: number): Promise<string | undefined> {
  // The same words in every language and time zone.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return start.length === 0 || state.startsWith('Z') ? undefined : start.join(' ');
  } catch (error) {
    // ps exits with 1 if there is no such process; without ps, the pid alone must do.
    return systemCode(error) === 'ENOENT' && isRunning(pid) ? 'unknown' : undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

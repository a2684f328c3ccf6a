// A claim is a file that names the process which holds it, by pid and start time: a recycled pid is never mistaken for
// the holder. Made complete under another name and linked into place, so that nobody reads half a claim.
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
  /** What the system says about the start of that process. */
  readonly started: string;
  readonly since: string;
  /** Of the program; one that does not say it is older than all that do. */
  readonly version?: string | undefined;
}

export type Claim =
  /** `lost`: somebody has removed it, with the whole data folder perhaps. */
  { readonly held: true; release(): void; lost(): boolean } | { readonly held: false; readonly holder: Holder };

/** Takes the claim, over a dead holder if need be, or says who holds it. */
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
        // A folder that cannot be looked through now is looked through by the next one.
        await sweepDrafts(file).catch(() => {});
        return { held: true, release: () => releaseIf(file, mine), lost: () => !stands(file, mine) };
      }
      const found = await read(file);
      if (found === undefined) continue;
      const other = await livingHolder(found);
      if (other !== undefined) return { held: false, holder: other };
      // Only one at a time may replace a dead claim, and only the very one it saw dead. The right to do so is a claim
      // itself, so a crash at this point is got over in the same way.
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

/** The process that holds the claim, if it lives. */
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

/** What a power cut may leave of a claim holds nothing. */
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

/** Where the file cannot be read at the moment (no descriptor is left, say), it stands as far as anybody knows. */
function stands(file: string, mine: string): boolean {
  try {
    return readFileSync(file, 'utf8') === mine;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** Removes what processes that were killed while they took this claim have left beside it. */
async function sweepDrafts(file: string): Promise<void> {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  for (const found of await readdir(folder)) {
    if (!found.startsWith(`${name}.`) || !isDraft.test(found)) continue;
    const draft = path.join(folder, found);
    const text = await read(draft);
    // One that is still being written says nothing yet.
    const isLeft = text === undefined || parse(text) === undefined ? await isOld(draft) : !(await livingHolder(text));
    if (isLeft) await rm(draft, { force: true });
  }
}

const isDraft = /\.[0-9a-f]{8}-[0-9a-f-]{27}$/;
const isOld = async (file: string): Promise<boolean> => Date.now() - (await stat(file)).mtimeMs > 3_600_000;

/** When a process started, in words that no later process of the same pid can have; undefined when it does not live. */
export async function processStart(pid: number): Promise<string | undefined> {
  const own = process.platform === 'linux' ? await startByProc(process.pid) : undefined;
  return own === undefined ? startByPs(pid) : pid === process.pid ? own : startByProc(pid);
}

async function startByProc(pid: number): Promise<string | undefined> {
  const quietly = (file: string) => read(file).catch(() => undefined);
  const stat = await quietly(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, and may itself hold spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  // The start is counted from the boot of the machine.
  const boot = (await quietly('/proc/sys/kernel/random/boot_id'))?.trim();
  return `${boot}:${fields[19]}`;
}

async function startByPs(pid: number): Promise<string | undefined> {
  // The same words whatever the language and time zone of the caller.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return start.length === 0 || state.startsWith('Z') ? undefined : start.join(' ');
  } catch (error) {
    // ps ends with 1 when there is no such process; where there is no ps, the pid alone must do.
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

// The whole host: the real program, the real SDK and its real client in the real sandbox, and a mock of the API.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupFolders } from '../../src/sessions/group-folders.ts';
import { ask, holdfast, isAlive, launch, program, type Running, until } from './holdfast.ts';
import { hostStand, type Stand, trouble } from './host-stand.ts';
import type { Step } from './mock-anthropic.ts';

const scripted = (text: string, script: readonly Step[]) => `${text} MOCK:${JSON.stringify(script)}`;

async function begun(groups: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  const stand = await hostStand(settings);
  for (const group of groups) await ask(stand.env, 'groups', 'create', group);
  return stand;
}

/** A host in a process of its own. */
async function hosting(stand: Stand): Promise<Running> {
  const running = launch(stand.env, ['host', 'run']);
  await running.says('Waiting for messages');
  return running;
}

/** Through a pipe. */
async function pipe(env: NodeJS.ProcessEnv, group: string, text: string) {
  const child = spawn(program, ['chat', group], { env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  child.stdin.end(text);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

const status = (stand: Stand) => ask(stand.env, 'host', 'status');
const released = (stand: Stand) => until(async () => (await status(stand)).processes.length === 0, 'the release');
const transcript = (stand: Stand, group: string, session: string): string => {
  const found = fs
    .readdirSync(groupFolders(stand.config, group).agentHome, { recursive: true, encoding: 'utf8' })
    .find((file) => file.endsWith(`${session}.jsonl`));
  return path.join(groupFolders(stand.config, group).agentHome, found as string);
};

describe.skipIf(trouble)('the host, end to end', () => {
  it('host.md 1, 3: a document is begun, the process released, and hours later carried on, by a host that was restarted', async () => {
    const stand = await begun(['family'], { HOLDFAST_HOST_IDLE_MINUTES: '0.02' });
    const { work } = groupFolders(stand.config, 'family');
    const host = await hosting(stand);
    const first = await pipe(
      stand.env,
      'family',
      scripted('Begin the document about tides.', [
        { tool: 'Write', input: { file_path: '/workspace/group/doc.md', content: 'Chapter one\n' } },
        { text: 'Chapter one is written.' },
      ]),
    );
    expect(first).toMatchObject({ code: 0, stdout: 'Chapter one is written.\n', stderr: '' });
    expect(fs.readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\n');
    const [{ session }] = (await status(stand)).groups;
    // 1.2 s stand for the half hour of silence here.
    await released(stand);
    host.child.kill('SIGINT');
    expect((await host.ended).code).toBe(0);
    expect((await status(stand)).running).toBe(false);

    await hosting(stand);
    const second = await ask(
      stand.env,
      'chat',
      'family',
      scripted('Carry on with that document.', [
        { tool: 'Bash', input: { command: 'echo "Chapter two" >> doc.md' } },
        { text: 'Chapter two, too.' },
      ]),
    );
    expect(second.said.map(({ text }: { text: string }) => text)).toEqual(['Chapter two, too.']);
    expect((await status(stand)).groups[0].session).toBe(session);
    const asked = stand.mock.asked.findLast(({ kind }) => kind === 'main')?.text ?? '';
    for (const words of ['Begin the document about tides.', 'Chapter one is written.', 'Carry on'])
      expect(asked).toContain(words);
    expect(fs.readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\nChapter two\n');
  });
});

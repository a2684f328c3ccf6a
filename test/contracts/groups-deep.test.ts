// An agent can make folders inside folders until their paths are longer than the system takes. That hides nothing from the quota, and stops no
// command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isHomeTranscript, leadsToTranscripts } from '../../src/capture/group-sources.ts';
import { ingest } from '../../src/capture/ingest.ts';
import { watchFolder } from '../../src/capture/watch.ts';
import { diskQuota, unnamedUse } from '../../src/host/disk.ts';
import { groupsRemove } from '../../src/operations/groups/groups.ts';
import { doctor } from '../../src/operations/machine/doctor.ts';
import type { GroupSessions } from '../../src/sessions/groups/groups.ts';
import { openBeneath, openFolderIn, removeTree, writeNewIn } from '../../src/system/beneath.ts';
import { because } from '../because.ts';
import { type GroupStand, groupStand } from '../group-stand.ts';

const onlyLinux = process.platform === 'linux' ? undefined : 'it needs /proc';

/** Folders whose path has 6,000 letters, and a file in the last one. */
function plantDeep(root: string): void {
  let at = openBeneath(path.dirname(root), root, { make: true });
  for (let i = 0; i < 30; i++) {
    const next = openFolderIn(at, 'd'.repeat(200), { make: true });
    at.close();
    at = next;
  }
  writeNewIn(at, 'deep.jsonl', Buffer.alloc(200_000, 'x'));
  at.close();
}

describe.skipIf(onlyLinux)(because('a group with folders that are too deep for a path', onlyLinux), () => {
  let stand: GroupStand;
  let tide: GroupSessions;
  let transcripts: string;
  beforeEach(async () => {
    stand = await groupStand();
    tide = await stand.group('tide');
    transcripts = path.join(tide.folders.agentHome, '.claude', 'projects', '-workspace-group');
    fs.mkdirSync(transcripts, { recursive: true });
    for (const folder of [transcripts, tide.folders.conversations, tide.folders.work]) plantDeep(folder);
  });
  afterEach(async () => {
    for (const folder of [tide.folders.agentHome, tide.folders.work]) removeTree(folder);
    await stand.end();
  });

  it('stops neither an import nor a watch nor `doctor`', async () => {
    const { context, config } = stand.holdfast;
    const line = { type: 'user', uuid: 'u1', sessionId: 's1', message: { role: 'user', content: 'the mast is new' } };
    fs.writeFileSync(path.join(transcripts, 's1.jsonl'), `${JSON.stringify(line)}\n`);
    const report = await ingest(context, {});
    expect(report).toMatchObject({ entries: { added: 1 }, problems: [] });
    const errors: unknown[] = [];
    const watch = await watchFolder(
      config.agentHomesPath,
      (file) => isHomeTranscript(config, file),
      { file: () => {}, lost: () => {}, root: () => {}, error: (error) => errors.push(error) },
      (folder) => leadsToTranscripts(config, folder),
    );
    await watch.close();
    expect(errors).toEqual([]);
    const { checks } = await doctor.run(context, doctor.input.parse({}));
    expect(checks.find(({ name }) => name === 'permissions')).toMatchObject({ ok: true });
  });

  it('gets no agent, because its disk space cannot be counted', async () => {
    const folders = [tide.folders.work, tide.folders.agentHome];
    await expect(diskQuota('tide', folders, 100).check()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the disk space of tide cannot be counted below '),
    });
  });

  it('can be removed', async () => {
    const answer = await groupsRemove.run(
      stand.holdfast.context,
      groupsRemove.input.parse({ group: 'tide', yes: true }),
    );
    expect(answer).toMatchObject({ removed: true });
    for (const folder of [tide.folders.work, tide.folders.agentHome]) expect(fs.existsSync(folder)).toBe(false);
    expect(fs.readdirSync(path.dirname(tide.folders.work))).toEqual(['global']);
  });
});

it.skipIf(onlyLinux)(
  because('a file counts while a process of the agent holds it open, even if it has no name', onlyLinux),
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-unnamed-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    const hide = `
      const fs = require('fs');
      const fd = fs.openSync('hidden', 'w');
      fs.unlinkSync('hidden');
      fs.writeSync(fd, Buffer.alloc(3_000_000, 1));
      fs.fsyncSync(fd);
      console.log('hidden');
      setInterval(() => {}, 1000);`;
    // The process that holds it is a child of the agent's.
    const start = `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(hide)}], { stdio: 'inherit' });
      process.on('exit', () => child.kill('SIGKILL'));
      process.on('SIGTERM', () => process.exit());`;
    const agent = spawn(process.execPath, ['-e', start], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(async () => {
      const ended = once(agent, 'exit');
      agent.kill('SIGTERM');
      await ended;
    });
    await once(agent.stdout, 'data');
    expect(await unnamedUse(agent.pid as number, [folder])).toBeGreaterThanOrEqual(3_000_000);
    expect(await unnamedUse(agent.pid as number, ['/proc'])).toBe(0);
  },
);

// The agent of a group owns the folders in which Holdfast writes its archives, settings, skills and transcripts. Here it swaps them for a
// link to a folder of the person while Holdfast writes.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ingest } from '../../src/capture/ingest.ts';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { restoreSession } from '../../src/capture/vault/vault-restore.ts';
import { archiveSession, dropArchives } from '../../src/sessions/archives/archives.ts';
import { prepareFolders } from '../../src/sessions/groups/group-folders.ts';
import type { GroupSessions } from '../../src/sessions/groups/groups.ts';
import { because } from '../because.ts';
import { type GroupStand, groupStand } from '../group-stand.ts';
import { noSwap, raceSeconds, swapping } from '../swapping.ts';

let stand: GroupStand;
let alpha: GroupSessions;
/** What the person's own client reads: the prize. */
let commands: string;
let transcripts: string;

beforeEach(async () => {
  stand = await groupStand();
  alpha = await stand.group('alpha');
  commands = path.join(stand.folder, '.claude', 'commands');
  fs.mkdirSync(commands, { recursive: true });
  transcripts = path.join(alpha.folders.agentHome, '.claude', 'projects', '-workspace-group');
  fs.mkdirSync(transcripts, { recursive: true });
  const line = (text: string, i: number) => ({
    ...{
      parentUuid: null,
      isSidechain: false,
      sessionId: 'one',
      type: 'user',
      uuid: `one-${i}`,
      cwd: '/workspace/group',
    },
    ...{ message: { role: 'user', content: text }, timestamp: '2026-05-01T12:00:00.000Z' },
  });
  const text = ['chosen by the agent', 'more of it'].map((said, i) => `${JSON.stringify(line(said, i))}\n`).join('');
  fs.writeFileSync(path.join(transcripts, 'one.jsonl'), text);
  await ingest(stand.holdfast.context, {});
  await fillVault(stand.holdfast.context, { quietMs: 0 });
});

afterEach(() => stand.end());

/** Runs the work as often as it can while the folder and a link to the prize swap places. */
async function race(folder: string, work: () => unknown): Promise<{ done: number; refused: number }> {
  const link = `${folder}.link`;
  fs.symlinkSync(commands, link);
  const swaps = await swapping(folder, link);
  const outcome = { done: 0, refused: 0 };
  try {
    for (const until = performance.now() + raceSeconds * 1000; performance.now() < until; ) {
      try {
        await work();
        outcome.done++;
      } catch {
        outcome.refused++;
      }
      await new Promise(setImmediate);
    }
  } finally {
    await swaps.stop();
  }
  return outcome;
}

describe.skipIf(noSwap)(
  because('a folder that swaps places with a link', noSwap),
  { timeout: 1000 * (raceSeconds + 60) },
  () => {
    it('gets no archive written into the folder of the person, and none removed from it', async () => {
      const { store, config } = stand.holdfast;
      const { conversations: folder } = alpha.folders;
      const deps = { store, config, clock: Date.now };
      let count = 0;
      fs.writeFileSync(path.join(commands, 'mine.md'), 'mine');
      const { done } = await race(folder, async () => {
        const name = `deploy ${count++}`;
        await archiveSession(deps, { agent: 'claude-code', session: 'one', name, folder });
        if (count % 3 === 0) await dropArchives(deps, 'claude-code', 'one');
      });
      expect(done).toBeGreaterThan(0);
      expect(fs.readdirSync(commands)).toEqual(['mine.md']);
    });

    it('gets no transcript restored into the folder of the person', async () => {
      const { store, config } = stand.holdfast;
      const own = path.join(transcripts, 'one.jsonl');
      const { done } = await race(transcripts, async () => {
        fs.rmSync(own, { force: true });
        await restoreSession({ store, config, clock: Date.now }, 'claude-code', 'one');
      });
      expect(done).toBeGreaterThan(0);
      expect(fs.readdirSync(commands)).toEqual([]);
    });

    it('gets no settings and no skills written into the folder of the person, and none of its files removed', async () => {
      const { config } = stand.holdfast;
      fs.writeFileSync(path.join(commands, '.holdfast-skills'), 'notes\n');
      const skill = path.join(config.home, 'skills', 'greet');
      fs.mkdirSync(path.join(skill, 'deep'), { recursive: true });
      fs.writeFileSync(path.join(skill, 'SKILL.md'), 'greet');
      fs.writeFileSync(path.join(skill, 'deep', 'more.md'), 'more');
      fs.mkdirSync(path.join(commands, 'notes'));
      fs.writeFileSync(path.join(commands, 'notes', 'mine.md'), 'mine');
      let count = 0;
      const skills = path.join(alpha.folders.agentHome, '.claude', 'skills');
      const { done } = await race(skills, () => {
        fs.writeFileSync(path.join(skill, 'SKILL.md'), `greet ${count++}`);
        prepareFolders(config, 'alpha');
      });
      expect(done).toBeGreaterThan(0);
      expect(fs.readdirSync(commands, { recursive: true }).sort()).toEqual([
        '.holdfast-skills',
        'notes',
        'notes/mine.md',
      ]);
    });

    it('leads no reader of transcripts to a file of the person', async () => {
      fs.writeFileSync(
        path.join(commands, 'one.jsonl'),
        fs
          .readFileSync(path.join(transcripts, 'one.jsonl'), 'utf8')
          .replaceAll('chosen by', 'SECRET OF')
          .replaceAll('one-', 'x-'),
      );
      const { context } = stand.holdfast;
      await race(transcripts, async () => {
        await ingest(context, { reimport: true });
        await fillVault(context, { quietMs: 0 });
      });
      const said = await context.store.entries.transcript('claude-code', 'one');
      expect(JSON.stringify(said)).not.toContain('SECRET');
    });
  },
);

import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { mute } from '../../operations/recall/pins.ts';
import { briefingFolder } from '../../system/briefing-folder.ts';
import { briefings } from './briefings.ts';

const says = ({ config }: Memory, folder: string): string | undefined => {
  const note = path.join(config.home, 'briefings', 'folders', folder, '.holdfast-briefing', 'project');
  if (!fs.existsSync(note)) return undefined;
  const hash = fs.readFileSync(note, 'utf8').trim();
  return hash === '' ? '' : briefingFolder(config.home).text(hash)?.text;
};

/** A rest that ends when the test says so. */
function held() {
  let [rests, go] = [0, () => {}];
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const wait = () => {
    rests++;
    return gate;
  };
  return { wait, rests: () => rests, go };
}

async function kept() {
  const memory = await emptyMemory();
  const complaints: string[] = [];
  const stop = new AbortController();
  const log = (line: string) => complaints.push(line);
  const make = (wait = async () => {}) => briefings({ ...memory.context, log, requests: { wait } }, stop.signal);
  onTestFinished(() => {
    stop.abort();
    expect(complaints).toEqual([]);
  });
  const say = (session: string, folder: string, text: string) =>
    tell(memory, session, folder, '2026-11-01T10:00:00Z', [{ by: 'user', text }]);
  return { memory, make, say };
}

it('are written when they are missing, and again when their content has changed', async () => {
  const { memory, make, say } = await kept();
  await say('s1', '/srv/shop', 'Count the herring.');
  await say('s2', '/srv/mill', 'Grind the barley.');
  const own = make();
  own.wake();
  await expect.poll(() => says(memory, '/srv/shop')).toContain('Count the herring.');
  await expect.poll(() => says(memory, '/srv/mill')).toContain('Grind the barley.');
  await say('s3', '/srv/shop', 'Salt the cod.');
  own.wake();
  await expect.poll(() => says(memory, '/srv/shop')).toContain('Salt the cod.');
  await own.idle();
});

it('a restarted worker updates only what has changed since, even if the previous one was killed', async () => {
  const { memory, make, say } = await kept();
  await say('s1', '/srv/shop', 'Count the herring.');
  await say('s2', '/srv/mill', 'Grind the barley.');
  const first = make();
  first.wake();
  await expect.poll(() => briefingFolder(memory.config.home).state()?.rules).toBeTruthy();
  await first.idle();
  // If everything were written again, this would come back.
  fs.rmSync(path.join(memory.config.home, 'briefings', 'folders', 'srv', 'mill'), { recursive: true });
  await say('s3', '/srv/shop', 'Salt the cod.');
  const second = make();
  second.wake();
  await expect.poll(() => says(memory, '/srv/shop')).toContain('Salt the cod.');
  await second.idle();
  expect(says(memory, '/srv/mill')).toBeUndefined();
  // A kill before the state was written: everything counts as changed.
  fs.rmSync(path.join(memory.config.home, 'briefings', 'state.json'));
  const third = make();
  third.wake();
  await expect.poll(() => says(memory, '/srv/mill')).toContain('Grind the barley.');
  await third.idle();
});

it('are not written while a client starts, and then hold what came meanwhile', async () => {
  const { memory, make, say } = await kept();
  await say('s1', '/srv/shop', 'Count the herring.');
  const client = held();
  const own = make(client.wait);
  own.wake();
  await expect.poll(client.rests).toBe(1);
  await say('s2', '/srv/shop', 'Salt the cod.');
  own.wake();
  expect(says(memory, '/srv/shop')).toBeUndefined();
  client.go();
  await own.idle();
  expect(says(memory, '/srv/shop')).toContain('Salt the cod.');
});

it('follow what another process has muted, and removed sessions, whose texts disappear at once', async () => {
  const { memory, make, say } = await kept();
  await say('s1', '/srv/shop', 'Count the herring.');
  await say('s2', '/srv/shop', 'Salt the cod.');
  const own = make();
  own.wake();
  await expect.poll(() => says(memory, '/srv/shop')).toContain('herring');
  await own.idle();
  await mute.run(memory.context, { id: 's1', remove: false });
  expect(says(memory, '/srv/shop')).not.toContain('herring');
  own.wake();
  await expect.poll(() => briefingFolder(memory.config.home).state()?.rules).toContain('s1');
  await own.idle();
  await memory.store.removal.deleteSessions([{ agent: 'claude-code', session: 's2' }], {
    gapMs: 1,
    minEntries: 1,
  } as never);
  own.wake();
  await expect.poll(() => says(memory, '/srv/shop') ?? '').not.toContain('cod');
  await own.idle();
  const texts = path.join(memory.config.home, 'briefings', 'texts');
  await expect
    .poll(() =>
      fs
        .readdirSync(texts)
        .map((name) => fs.readFileSync(path.join(texts, name), 'utf8'))
        .join(),
    )
    .not.toContain('Salt the cod');
});

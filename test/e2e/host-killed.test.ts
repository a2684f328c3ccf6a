// Kills a host repeatedly at any moment of its writes: no message is lost, none is answered twice, no pointer goes back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openHoldfast } from '../../src/app/open.ts';
import { loadConfig } from '../../src/config/config.ts';
import { groupDeps } from '../../src/operations/groups/group-deps.ts';
import { ring } from '../../src/sessions/groups/bell.ts';
import { createGroup } from '../../src/sessions/groups/groups.ts';
import { rounds } from '../rounds.ts';
import { dice, place, root, until } from './holdfast.ts';

it('a host killed at any moment resumes where it was: it answers each message exactly once', async () => {
  const seed = Date.now() % 100_000;
  const { below } = dice(seed);
  const { env } = place();
  const own = { ...env, HOLDFAST_HOST_MAX_PROCESSES: '3' };
  const holdfast = await openHoldfast(own);
  onTestFinished(() => holdfast.close());
  const groups = ['a', 'b', 'c', 'd', 'e'];
  for (const group of groups) await createGroup(groupDeps(holdfast.context), group);
  const config = loadConfig(own);
  const ids: number[] = [];
  const say = async () => {
    const group = groups[below(groups.length)] as string;
    ids.push((await holdfast.store.messages.add(group, { text: `m${ids.length}` }, Date.now()))?.id as number);
    await ring(config);
  };
  const start = async () => {
    const child = spawn(process.execPath, [path.join(root, 'test/e2e/host-killed.mjs')], {
      env: own,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  };
  for (let round = 0; round < rounds(10, 50); round++) {
    const child = await start();
    for (let i = 0; i < 8; i++) {
      await say();
      await new Promise((done) => setTimeout(done, below(12)));
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await holdfast.store.admin.integrity()).toEqual([]);
  }
  await start();
  const open = async () => (await holdfast.store.runs.queues()).reduce((sum, one) => sum + one.waiting + one.handed, 0);
  await until(async () => (await open()) === 0, `all answers (seed ${seed})`);
  const db = new Database(config.databasePath, { readonly: true });
  onTestFinished(() => void db.close());
  const states = db.prepare('SELECT state, count(*) AS n FROM incoming GROUP BY state').all();
  expect(states, `seed ${seed}`).toEqual([{ state: 'answered', n: ids.length }]);
  const told = db.prepare<[], { answers: string; kind: string }>('SELECT kind, answers FROM outgoing').all();
  const answered = told.flatMap(({ answers }) => JSON.parse(answers) as number[]).sort((a, b) => a - b);
  expect(answered, `seed ${seed}`).toEqual(ids);
  expect(db.prepare("SELECT count(*) AS n FROM incoming WHERE text <> ''").get()).toEqual({ n: 0 });
  // Each group's session stands where its last answer left it.
  for (const group of groups) {
    const last = db
      .prepare<[string], { answers: string; session: string }>(
        "SELECT answers, session FROM outgoing WHERE group_name = ? AND kind = 'answer' ORDER BY id DESC LIMIT 1",
      )
      .get(group);
    expect(await holdfast.store.groups.pointer(group), `${group}, seed ${seed}`).toMatchObject({
      session: last?.session,
      resumeAt: `p${(JSON.parse(last?.answers ?? '[]') as number[]).at(-1)}`,
    });
  }
});

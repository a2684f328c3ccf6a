// What a pull promises, for every agent whose sessions are in databases or in files that the agent rewrites whole.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentHas } from '../../src/capture/pull/pull.ts';
import { all, benchFor, clear, expectAll, found, idsOf, names, pulledSets } from './agent-bench.ts';
import { harmless, odd } from './hostile-values.ts';
import { rewrite } from './pulled-sources.ts';
import { random } from './random-transcripts.ts';

describe.each(pulledSets)('%s, whatever happens to the source', (_, set) => {
  const sources = names(set.folder).filter((key) => set.agent.pull?.isSource(key));

  it('without its source, with half of it and with hostile content in its place, it loses nothing', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = idsOf(await found(bench.store, set));
    expect(sources.length).toBeGreaterThan(0);
    for (const key of sources) {
      const file = path.join(bench.watched, key);
      const bytes = fs.readFileSync(file);
      for (const content of [bytes.subarray(0, bytes.length >> 1), Buffer.alloc(0), ...harmless, '['.repeat(50_000)]) {
        fs.writeFileSync(file, content);
        await bench.ingest();
      }
      fs.rmSync(file);
      await bench.ingest();
    }
    expect(idsOf(await found(bench.store, set))).toEqual(whole);
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
  });

  it.each([
    [
      'with half of its messages, as after a compaction',
      (messages: readonly unknown[]) => messages.slice(messages.length >> 1),
    ],
    ['in another order', (messages: readonly unknown[]) => [...messages].reverse()],
    ['without any message', () => []],
  ])('rewritten %s, it loses nothing and doubles nothing', async (_how, how) => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = idsOf(await found(bench.store, set));
    for (const key of sources) rewrite(path.join(bench.watched, key), set.database, how);
    await bench.ingest();
    expect(idsOf(await found(bench.store, set))).toEqual(whole);
    clear(bench.watched);
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
  });

  it('hostile messages between its own change nothing of what it holds', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    const { pick } = random(7);
    for (const key of sources)
      rewrite(path.join(bench.watched, key), set.database, (messages) =>
        messages.flatMap((message) => [message, pick(odd)]),
      );
    await bench.ingest();
    await expectAll(bench.store, set);
  });

  it('its transcript, cut anywhere, becomes whole again with the next pull', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const folder = bench.config.pulledPath(set.agent);
    const { below } = random(5);
    for (let round = 0; round < 4; round++)
      for (const key of names(folder)) {
        const file = path.join(folder, key);
        fs.truncateSync(file, below(fs.statSync(file).size));
        await bench.ingest();
        await expectAll(bench.store, set);
      }
  });

  it('it says whether the agent still has a session', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const sessions = await bench.store.sessions.list({ agent: set.agent.name });
    expect(sessions.length).toBeGreaterThan(0);
    const answers = () => [...new Set(sessions.map(({ id }) => agentHas(bench.config, set.agent, id)))];
    const isSure = set.agent.pull?.beside === undefined;
    expect(answers()).toEqual([isSure ? true : undefined]);
    for (const key of sources) fs.rmSync(path.join(bench.watched, key));
    expect(answers()).toEqual([isSure ? false : undefined]);
  });

  it.each([1, 2])('its sources arrive in any order, and in pieces: nothing is missing (%i)', async (seed) => {
    const { shuffle, chance, below } = random(seed);
    const bench = await benchFor(set);
    all(set, bench.watched);
    const keys = names(bench.watched);
    const files = new Map(keys.map((key) => [key, fs.readFileSync(path.join(bench.watched, key))]));
    for (const key of keys) fs.rmSync(path.join(bench.watched, key));
    for (const key of shuffle(keys)) {
      const bytes = files.get(key) as Buffer;
      if (chance(0.5)) {
        bench.put(key, bytes.subarray(0, below(bytes.length + 1)));
        await bench.ingest();
      }
      bench.put(key, bytes);
      if (chance(0.3)) await bench.ingest();
    }
    await bench.ingest();
    await expectAll(bench.store, set);
  });
});

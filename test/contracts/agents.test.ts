// What ingest promises, for every agent in the table that has fixtures: it finds everything, however the files arrive.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent, AgentState, ParsedItem } from '../../src/agents/agent.ts';
import { type IngestDeps, ingest } from '../../src/capture/ingest.ts';
import { noLimits } from '../../src/capture/keep.ts';
import { agentHas } from '../../src/capture/pull/pull.ts';
import { forgetLines, vaultLines } from '../../src/capture/vault/vault-line.ts';
import { checkFiles } from '../../src/operations/machine/checks.ts';
import { notKept } from '../../src/schema/not-kept.ts';
import { emptyState } from '../../src/schema/reader-state.ts';
import { settingList } from '../../src/schema/settings.ts';
import { tombstone } from '../../src/store/removal/tombstone.ts';
import type { Store } from '../../src/store/store.ts';
import { type FixtureSet, fixtureSets, linesOf, sampleSets } from './agent-fixtures.ts';
import { harmless, mutated, odd } from './hostile-values.ts';
import { random } from './random-transcripts.ts';
import { differences, later, workbench } from './transcript-builder.ts';

const nameOf = (set: FixtureSet) => `${set.agent.name} ${set.name}`;

/** A memory that watches one folder for this agent, and nothing else that counts. */
async function benchFor(set: FixtureSet) {
  const watched = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-watched-'));
  onTestFinished(() => fs.rmSync(watched, { recursive: true, force: true }));
  const variable = settingList.find(({ key }) => key === `agents.${set.agent.name}.watchPath`)?.variable as string;
  const bench = await workbench({ [variable]: watched });
  const onto = (store: Store) => {
    const deps: IngestDeps = { store, config: bench.config, clock: () => later };
    return { store, deps, ingest: (request = {}) => ingest(deps, request) };
  };
  const put = (key: string, bytes: string | Buffer, below = watched) => {
    const file = path.join(below, key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, bytes);
    return file;
  };
  return { ...bench, ...onto(bench.store), watched, onto, put };
}

const all = (set: FixtureSet, below: string) => fs.cpSync(set.folder, below, { recursive: true });

async function found(store: Store, set: FixtureSet) {
  const sessions = await store.sessions.list({ agent: set.agent.name, limit: 1000 });
  const entries = await Promise.all(
    sessions.map(async ({ id }) => {
      const said = await store.entries.transcript(set.agent.name, id, { subagents: true });
      const uses = await store.entries.toolUses(said.map((entry) => entry.id));
      return [id, { said, uses }] as const;
    }),
  );
  return { sessions, entries: new Map(entries) };
}

async function expectAll(store: Store, set: FixtureSet): Promise<void> {
  const { sessions, entries } = await found(store, set);
  expect(sessions.map(({ id }) => id).sort()).toEqual(Object.keys(set.sessions).sort());
  for (const session of sessions) {
    const { said = [], uses = [] } = entries.get(session.id) ?? {};
    const {
      prompts,
      answers,
      machine = 0,
      toolUses,
      failed,
      ...facts
    } = set.sessions[session.id] as never as Record<string, unknown>;
    const by = (author: string) => said.filter((entry) => entry.author === author);
    expect(
      {
        prompts: by('person').length,
        answers: by('model').filter(({ text }) => text !== '').length,
        machine: by('machine').length,
        toolUses: uses.length,
        failed: uses.filter(({ outcome }) => outcome === 'error').length,
      },
      session.id,
    ).toEqual({ prompts, answers, machine, toolUses, failed });
    expect(session, session.id).toMatchObject(facts);
    // Every tool use in these fixtures has ended.
    expect(uses.filter(({ outcome }) => outcome === undefined)).toEqual([]);
    expect(session.startedAt > '2020').toBe(true);
  }
}

describe.each([...fixtureSets, ...sampleSets].map((set) => [nameOf(set), set] as const))('%s', (_, set) => {
  it('yields what was counted by hand in its lines', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
  });
});

const lineSets = fixtureSets.filter(({ keys }) => keys.length > 0).map((set) => [nameOf(set), set] as const);
/** Their sessions are in databases, or in JSON that the agent rewrites whole. */
const pulledSets = fixtureSets.filter(({ keys }) => keys.length === 0).map((set) => [nameOf(set), set] as const);

describe.each(lineSets)('%s, however it arrives', (_, set) => {
  it.each([1, 2, 3])('in pieces that cut lines, interleaved, in any order: the same rows (%i)', async (seed) => {
    const { below, chance, pick, shuffle } = random(seed);
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = bench.rows();
    const files = new Map(set.keys.map((key) => [key, fs.readFileSync(path.join(bench.watched, key))]));
    await bench.closeStores();
    for (const side of ['', '-wal', '-shm']) fs.rmSync(bench.config.databasePath + side, { force: true });
    for (const key of files.keys()) fs.writeFileSync(path.join(bench.watched, key), '');
    const pieces = bench.onto(await bench.open());
    const written = new Map<string, number>();
    for (const left = shuffle([...files.keys()]); left.length > 0; ) {
      const key = pick(left);
      const bytes = files.get(key) as Buffer;
      const from = written.get(key) ?? 0;
      const to = chance(0.1) ? bytes.length : Math.min(bytes.length, from + 1 + below(5000));
      fs.appendFileSync(path.join(bench.watched, key), bytes.subarray(from, to));
      written.set(key, to);
      if (to === bytes.length) left.splice(left.indexOf(key), 1);
      if (chance(0.5)) await pieces.ingest();
      if (chance(0.05)) await pieces.ingest({ reimport: true });
    }
    await pieces.ingest();
    expect(differences(bench.rows(), whole)).toEqual([]);
  });

  it('cut and rewritten, or cut for good, it loses nothing', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = await found(bench.store, set);
    for (const key of set.keys) {
      const lines = linesOf(set, key);
      bench.put(key, `${lines.slice(0, Math.ceil(lines.length / 2)).join('\n')}\n`);
    }
    await bench.ingest();
    const cut = await found(bench.store, set);
    // A fork that also holds an entry owns it from then on.
    const ids = ({ entries }: typeof cut) =>
      [...new Set([...entries.values()].flatMap(({ said }) => said.map(({ id }) => id)))].sort();
    expect(ids(cut)).toEqual(ids(whole));
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
  });

  it('hostile lines between its own change nothing of what it holds', async () => {
    const bench = await benchFor(set);
    const { pick } = random(7);
    for (const key of set.keys) {
      const [first = '', ...lines] = linesOf(set, key);
      bench.put(key, `${[first, ...lines.flatMap((line) => [pick(harmless), line])].join('\n')}\n`);
    }
    for (const file of fs.readdirSync(set.folder, { recursive: true, withFileTypes: true })) {
      const key = path.relative(set.folder, path.join(file.parentPath, file.name));
      if (file.isFile() && !set.keys.includes(key)) bench.put(key, fs.readFileSync(path.join(set.folder, key)));
    }
    await bench.ingest();
    await expectAll(bench.store, set);
  });

  it('a line of an unknown kind is counted, and doctor reports it', async () => {
    if (set.unknown === undefined) return;
    const bench = await benchFor(set);
    all(set, bench.watched);
    const key = set.keys[0] as string;
    fs.appendFileSync(path.join(bench.watched, key), `${JSON.stringify(set.unknown.line)}\n`.repeat(3));
    await bench.ingest();
    await expectAll(bench.store, set);
    const check = (await checkFiles(bench.store)).find(({ name }) => name === 'unknown lines');
    expect(check).toMatchObject({ ok: true });
    expect(check?.message).toContain(`${set.unknown.kind} (3)`);
  });
});

describe.each([...lineSets, ...pulledSets])('%s, if something goes wrong', (_, set) => {
  it('a commit that fails at any point, followed by a restart, leaves the same rows', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const whole = bench.rows();
    await bench.closeStores();
    for (const side of ['', '-wal', '-shm']) fs.rmSync(bench.config.databasePath + side, { force: true });
    for (let round = 0; ; round++) {
      const store = await bench.open();
      const breaking: Store = {
        ...store,
        transcripts: {
          ...store.transcripts,
          commit: (chunks, rules, note) =>
            round % 2 === 0 && round < 6
              ? store.transcripts
                  .commit(chunks.slice(0, 1), rules, note)
                  .then(() => Promise.reject(new Error('killed')))
              : store.transcripts.commit(chunks, rules, note),
        },
      };
      const done = await bench
        .onto(breaking)
        .ingest()
        .then(
          () => true,
          () => false,
        );
      await bench.closeStores();
      if (done && round >= 6) break;
    }
    expect(differences(bench.rows(), whole)).toEqual([]);
  });

  it('from a backup and in the live tree, it is imported once', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    const backup = path.join(bench.home, 'backup');
    all(set, backup);
    await bench.ingest({ dir: backup });
    await bench.ingest();
    await expectAll(bench.store, set);
  });
});

describe.each(pulledSets)('%s, whatever happens to the source', (_, set) => {
  const names = (folder: string) =>
    fs.readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((item) => {
      const key = path.relative(folder, path.join(item.parentPath, item.name)).replaceAll(path.sep, '/');
      return item.isFile() ? [key] : [];
    });
  const sources = names(set.folder).filter((key) => set.agent.pull?.isSource(key));

  it('without its source, with half of it and with hostile content in its place, it loses nothing', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const ids = ({ entries }: Awaited<ReturnType<typeof found>>) =>
      [...entries.values()].flatMap(({ said }) => said.map(({ id }) => id)).sort();
    const whole = ids(await found(bench.store, set));
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
    expect(ids(await found(bench.store, set))).toEqual(whole);
    all(set, bench.watched);
    await bench.ingest();
    await expectAll(bench.store, set);
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

describe.each(lineSets)('the reader of %s', (_, { agent, ...set }) => {
  const values = set.keys.flatMap((key) => linesOf({ agent, ...set }, key).map((line) => [key, line] as const));

  it('skips no line that yields something', () => {
    const states = new Map<string, AgentState>();
    for (const [key, line] of values) {
      const state = states.get(key) ?? {};
      states.set(key, state);
      const { items, unknown } = agent.read(JSON.parse(line), { key, state });
      if (agent.cannotMatter(Buffer.from(line))) expect([items, unknown], line.slice(0, 300)).toEqual([[], undefined]);
    }
  });

  it("gives the same ids from the vault's copy, even with forgotten entries in it", () => {
    for (const key of set.keys) {
      const lines = linesOf({ agent, ...set }, key);
      const entries = entriesIn(agent, key, lines);
      const deps = { projectOf: (folder: string) => folder, sessionState: () => undefined };
      const toVault = vaultLines(agent, key, emptyState(), noLimits, deps);
      const copy = lines.flatMap((line) => toVault(line) ?? []);
      expect([...entriesIn(agent, key, copy)], key).toEqual([...entries]);
      for (const [gone] of entries) {
        const tombstones = new Set([tombstone.file(agent.name, key), tombstone.entry(agent.name, gone)]);
        const forgets = forgetLines(agent, key, tombstones);
        const left = entriesIn(
          agent,
          key,
          copy.flatMap((line) => forgets(line) ?? []),
        );
        const expected = [...entries].filter(([uuid]) => uuid !== gone);
        expect(
          [...left].filter(([uuid, text]) => uuid !== gone && text !== notKept),
          `${key} ${gone}`,
        ).toEqual(expected);
        // Of a tool use only the name of the tool is left.
        expect(left.get(gone) ?? notKept).toMatch(/^(?:\[not kept by Holdfast\]\n?)*$/);
      }
    }
  });

  it('knows every kind of line in its fixtures', () => {
    const state: AgentState = {};
    const unknown = values.map(([key, line]) => agent.read(JSON.parse(line), { key, state }).unknown);
    expect([...new Set(unknown)]).toEqual([undefined]);
  });

  it('throws on no line, however its parts are swapped, and keeps its state small', () => {
    const { pick, below } = random(11);
    const state: AgentState = {};
    for (let round = 0; round < 3000; round++) {
      const [key, line] = pick(values);
      const value = mutated(
        JSON.parse(line),
        () => pick(odd),
        () => below(6) === 0,
      );
      const items: readonly ParsedItem[] = agent.read(value, { key, state }).items;
      for (const item of items) expect(typeof item.kind).toBe('string');
    }
    for (const value of odd) expect(() => agent.read(value, { key: 'x.jsonl', state: {} })).not.toThrow();
    expect(Object.values(state).every((held) => ['string', 'number', 'boolean'].includes(typeof held))).toBe(true);
    expect(JSON.stringify(state).length).toBeLessThan(20_000);
  });
});

/** What the lines yield: texts by id. The first text of an id counts. */
function entriesIn(agent: Agent, key: string, lines: readonly string[]): Map<string, string> {
  const state: AgentState = {};
  const found = new Map<string, string>();
  for (const line of lines)
    for (const item of agent.read(JSON.parse(line), { key, state }).items)
      if (item.kind === 'entry' && !found.has(item.uuid)) found.set(item.uuid, item.text);
  return found;
}

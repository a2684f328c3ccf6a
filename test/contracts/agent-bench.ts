// A memory that watches the fixtures of one agent, and the comparison with what was counted by hand.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type IngestDeps, ingest } from '../../src/capture/ingest.ts';
import { settingList } from '../../src/schema/settings.ts';
import type { Store } from '../../src/store/store.ts';
import { type FixtureSet, fixtureSets } from './agent-fixtures.ts';
import { later, workbench } from './transcript-builder.ts';

export const nameOf = (set: FixtureSet) => `${set.agent.name} ${set.name}`;

/** A memory that watches one folder for this agent, and nothing else that counts. */
export async function benchFor(set: FixtureSet) {
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

export const all = (set: FixtureSet, below: string) => fs.cpSync(set.folder, below, { recursive: true });

export async function found(store: Store, set: FixtureSet) {
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

export async function expectAll(store: Store, set: FixtureSet): Promise<void> {
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
    if (set.outcomes !== false) expect(uses.filter(({ outcome }) => outcome === undefined)).toEqual([]);
    expect(session.startedAt > '2020').toBe(true);
  }
}

export const lineSets = fixtureSets.filter(({ keys }) => keys.length > 0).map((set) => [nameOf(set), set] as const);
/** Their sessions are in databases, or in JSON that the agent rewrites whole. */
export const pulledSets = fixtureSets.filter(({ keys }) => keys.length === 0).map((set) => [nameOf(set), set] as const);

export const names = (folder: string) =>
  fs.readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((item) => {
    const key = path.relative(folder, path.join(item.parentPath, item.name)).replaceAll(path.sep, '/');
    return item.isFile() ? [key] : [];
  });

/** Databases leave files beside them, which do not belong to a new copy. */
export const clear = (folder: string) => {
  for (const key of names(folder)) fs.rmSync(path.join(folder, key));
};

export const idsOf = ({ entries }: Awaited<ReturnType<typeof found>>) =>
  [...entries.values()].flatMap(({ said }) => said.map(({ id }) => id)).sort();

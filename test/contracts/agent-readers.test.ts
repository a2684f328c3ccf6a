// What every agent's reader promises, line by line. Lines of pulled agents are those of our transcripts.
import { describe, expect, it } from 'vitest';
import type { Agent, AgentState, ParsedItem } from '../../src/agents/agent.ts';
import { noLimits } from '../../src/capture/keep.ts';
import { isNote } from '../../src/capture/pull/transcript.ts';
import { forgetLines, vaultLines } from '../../src/capture/vault/vault-line.ts';
import { notKept } from '../../src/schema/not-kept.ts';
import { emptyState } from '../../src/schema/reader-state.ts';
import { tombstone } from '../../src/store/removal/tombstone.ts';
import { all, benchFor, lineSets, names, pulledSets } from './agent-bench.ts';
import { type FixtureSet, linesOf } from './agent-fixtures.ts';
import { mutated, odd } from './hostile-values.ts';
import { random } from './random-transcripts.ts';

/** The lines that the agent's reader gets, by transcript. Those of pulled agents are lines of ours. */
async function linesFor(set: FixtureSet): Promise<Map<string, string[]>> {
  if (set.keys.length > 0) return new Map(set.keys.map((key) => [key, linesOf(set, key)]));
  const bench = await benchFor(set);
  all(set, bench.watched);
  await bench.ingest();
  const folder = bench.config.pulledPath(set.agent);
  return new Map(names(folder).map((key) => [key, linesOf({ ...set, folder }, key).filter((line) => !isNote(line))]));
}

describe.each([...lineSets, ...pulledSets])('the reader of %s', (_, set) => {
  const { agent } = set;
  const valuesOf = (files: ReadonlyMap<string, string[]>) =>
    [...files].flatMap(([key, lines]) => lines.map((line) => [key, line] as const));

  it('skips no line that yields something', async () => {
    const states = new Map<string, AgentState>();
    const values = valuesOf(await linesFor(set));
    expect(values.length).toBeGreaterThan(0);
    for (const [key, line] of values) {
      const state = states.get(key) ?? {};
      states.set(key, state);
      const { items, unknown } = agent.read(JSON.parse(line), { key, state });
      if (agent.cannotMatter(Buffer.from(line))) expect([items, unknown], line.slice(0, 300)).toEqual([[], undefined]);
    }
  });

  it("gives the same ids from the vault's copy, even with forgotten entries in it", async () => {
    for (const [key, lines] of await linesFor(set)) {
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

  it('knows every kind of line in its fixtures', async () => {
    const state: AgentState = {};
    const values = valuesOf(await linesFor(set));
    const unknown = values.map(([key, line]) => agent.read(JSON.parse(line), { key, state }).unknown);
    expect([...new Set(unknown)]).toEqual([undefined]);
  });

  it('throws on no line, however its parts are swapped, and keeps its state small', async () => {
    const { pick, below } = random(11);
    const state: AgentState = {};
    const values = valuesOf(await linesFor(set));
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

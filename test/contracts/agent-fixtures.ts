// The fixtures of an agent: transcripts in src/agents/<agent>/fixtures/<set>/, and beside them expected.json, written by hand from the raw
// lines.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Agent } from '../../src/agents/agent.ts';
import { agents } from '../../src/agents/index.ts';
import { fillWithSample, openCodeDatabase } from '../opencode-database.ts';

export interface ExpectedSession {
  /** Entries of persons, of models apart from tool uses, and of the machine. */
  readonly prompts: number;
  readonly answers: number;
  readonly machine?: number;
  readonly toolUses: number;
  readonly failed: number;
  readonly cwd?: string;
  readonly branch?: string;
  readonly repository?: string;
  readonly title?: string;
  readonly forkOf?: string;
  readonly parent?: string;
  readonly subagent?: string;
  readonly titleSource?: string;
  readonly entries?: number;
  readonly subagentEntries?: number;
}

interface ExpectedSet {
  /** The folder below the set that Holdfast would watch for the agent. */
  readonly root?: string;
  /** A line of a kind that the reader does not know, and the name of the kind. */
  readonly unknown?: { readonly line: Record<string, unknown>; readonly kind: string };
  readonly sessions: Readonly<Record<string, ExpectedSession>>;
}

export interface FixtureSet extends ExpectedSet {
  readonly agent: Agent;
  readonly name: string;
  /** Absolute path of the folder that Holdfast would watch for the agent. */
  readonly folder: string;
  /** The keys of its transcripts. */
  readonly keys: readonly string[];
}

const root = path.join(import.meta.dirname, '../..');

const filesBelow = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => path.relative(folder, path.join(item.parentPath, item.name)).replaceAll(path.sep, '/'))
    .sort();

/** A database is no text file: the one of OpenCode is made from its rows. */
function builtFor(agent: Agent, name: string, folder: string): string | undefined {
  if (agent.name !== 'opencode' || name !== '1.18.33' || fs.existsSync(path.join(folder, name))) return undefined;
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-opencode-'));
  process.once('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  const db = openCodeDatabase(path.join(made, name, 'opencode.db'));
  fillWithSample(db);
  db.close();
  return made;
}

function setsBelow(agent: Agent, folder: string): FixtureSet[] {
  const file = path.join(root, 'src/agents', agent.name, 'fixtures/expected.json');
  if (!fs.existsSync(file)) return [];
  const expected = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, ExpectedSet>;
  return Object.entries(expected).flatMap(([name, set]) => {
    const inside = path.join(builtFor(agent, name, folder) ?? folder, name, set.root ?? '');
    if (!fs.existsSync(inside)) return [];
    return [{ ...set, agent, name, folder: inside, keys: filesBelow(inside).filter((key) => agent.isTranscript(key)) }];
  });
}

/** All agents that have fixtures in this form. Adding an agent to the table tests it. */
export const fixtureSets: readonly FixtureSet[] = (agents as readonly Agent[]).flatMap((agent) =>
  setsBelow(agent, path.join(root, 'src/agents', agent.name, 'fixtures')),
);

/** The samples that the fixtures were cut from, if available. */
export const sampleSets: readonly FixtureSet[] = (agents as readonly Agent[]).flatMap((agent) =>
  fs.existsSync(path.join(root, '../shared/agents/samples', agent.name))
    ? setsBelow(agent, path.join(root, '../shared/agents/samples', agent.name))
    : [],
);

export const linesOf = (set: FixtureSet, key: string): string[] =>
  fs
    .readFileSync(path.join(set.folder, key), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

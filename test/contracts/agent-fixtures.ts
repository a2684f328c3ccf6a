// The fixtures of an agent: transcripts in src/agents/<agent>/fixtures/<set>/, and beside them expected.json, written by hand from the raw
// lines.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Agent } from '../../src/agents/agent.ts';
import { agents } from '../../src/agents/index.ts';
import { makeDatabase } from '../source-database.ts';
import type { Addition } from './pulled-sources.ts';

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
  /** False if the agent does not write how a tool use ended. */
  readonly outcomes?: boolean;
  /** A database to make from rows. `column` of `table` holds the JSON of a message. */
  readonly database?: {
    readonly file: string;
    readonly rows: string;
    readonly table: string;
    readonly column: string;
  };
  /** Something of a kind that the reader does not know, and the name of the kind. It is added three times. */
  readonly unknown?: Addition & { readonly kind: string };
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

/** A database is no text file: it is made from its rows. */
function madeFor(name: string, { database }: ExpectedSet, fixtures: string): string | undefined {
  if (database === undefined) return undefined;
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-database-'));
  process.once('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  makeDatabase(path.join(made, name, database.file), path.join(fixtures, database.rows));
  return made;
}

/** Whether all of the agent's own files are pulled from, so that none of them is a transcript. */
const isPulledOnly = ({ pull }: Agent): boolean => pull !== undefined && pull.beside === undefined;

/** `folder` holds the sets; samples that are not there are left out, and databases of fixtures are made. */
function setsBelow(agent: Agent, folder: string): FixtureSet[] {
  const fixtures = path.join(root, 'src/agents', agent.name, 'fixtures');
  const file = path.join(fixtures, 'expected.json');
  if (!fs.existsSync(file)) return [];
  const expected = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, ExpectedSet>;
  return Object.entries(expected).flatMap(([name, set]) => {
    const made = folder === fixtures ? madeFor(name, set, fixtures) : undefined;
    const inside = path.join(made ?? folder, name, set.root ?? '');
    if (!fs.existsSync(inside)) return [];
    const keys = isPulledOnly(agent) ? [] : filesBelow(inside).filter((key) => agent.isTranscript(key));
    return [{ ...set, agent, name, folder: inside, keys }];
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

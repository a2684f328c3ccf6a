// Which agent a file belongs to, and its key: the same for a live tree, a backup of it, and a single file.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../agents/agent.ts';
import { agents } from '../agents/index.ts';
import type { Config } from '../config/config.ts';
import type { Source } from './chunk.ts';
import { homeSource, homeSources, isInHomes } from './group-sources.ts';
import { type Found, type Problem, problemOf, scan } from './scan.ts';

export interface Sources {
  readonly sources: Source[];
  readonly problems: Problem[];
  /** How many of the problems are not failures: empty files, files of no known agent, folders named like transcripts, loops of links. */
  readonly leftOut: number;
}

/** The transcripts of every enabled agent, where that agent keeps them, and those of groups. An agent that is not installed has none. */
export async function ownSources(config: Config): Promise<Sources> {
  const sources: Source[] = [];
  const problems: Problem[] = [];
  let leftOut = 0;
  for (const { agent, root } of rootsOf(config)) {
    if (!config.enabled(agent) || !fs.existsSync(root)) continue;
    const into = (folder: string) => root === config.pulledPath(agent) || (agent.enters?.(keyIn(root, folder)) ?? true);
    const seen = await scan(root, (file) => agent.isTranscript(keyIn(root, file)), { into });
    problems.push(...seen.problems);
    leftOut += seen.leftOut;
    for (const file of seen.found) sources.push({ agent, root, key: keyIn(root, file.path), ...file });
  }
  const homes = await homeSources(config);
  sources.push(...homes.sources);
  problems.push(...homes.problems);
  return { sources, problems, leftOut };
}

const rootsOf = (config: Config): { agent: Agent; root: string }[] =>
  (agents as readonly Agent[]).flatMap((agent) => config.transcriptsPaths(agent).map((root) => ({ agent, root })));

/** The transcripts of all agents below a folder. */
export async function folderSources(config: Config, folder: string): Promise<Sources> {
  const {
    found,
    problems,
    leftOut: passed,
  } = await scan(folder, (file) => {
    const key = keyIn(folder, file);
    // A source to pull from is not a transcript itself.
    const isPulled = (agents as readonly Agent[]).some((agent) => agent.pull?.isSource(key));
    return !isPulled && agents.some((agent) => agent.isTranscript(key));
  });
  const sources: Source[] = [];
  let leftOut = passed;
  for (const file of found) {
    try {
      const source = fileSource(config, file, folder);
      if (source !== undefined) {
        sources.push(source);
        continue;
      }
      leftOut++;
      const why = file.size === 0 ? 'is empty; nothing to import' : 'is not a transcript of a known agent; left out';
      problems.push({ file: file.path, message: `${file.path} ${why}` });
    } catch (error) {
      problems.push(problemOf(file.path, error));
    }
  }
  return { sources, problems, leftOut };
}

/** One file as a source. Inside an agent's own folder it has that agent's key, elsewhere a key relative to the import root. */
export function fileSource(config: Config, file: Found, importRoot: string): Source | undefined {
  if (isInHomes(config, file.path)) return homeSource(config, file);
  for (const { agent, root } of rootsOf(config)) {
    const key = keyIn(root, file.path);
    if (!key.startsWith('../') && !path.isAbsolute(key) && agent.isTranscript(key))
      return { agent, root, key, ...file };
  }
  const agent = authorOf(file.path);
  return agent === undefined ? undefined : { agent, root: importRoot, key: keyIn(importRoot, file.path), ...file };
}

export const keyIn = (root: string, file: string): string => path.relative(root, file).split(path.sep).join('/');

/** The agent that wrote a file, judged by its first lines. */
function authorOf(file: string): Agent | undefined {
  const fd = fs.openSync(file, 'r');
  try {
    // Most first lines are short; one that holds a picture is not.
    for (const length of [64 << 10, 8 << 20]) {
      const bytes = Buffer.alloc(length);
      const got = fs.readSync(fd, bytes, 0, length, 0);
      const text = bytes.toString('utf8', 0, got);
      const lines = text.split('\n').slice(0, 20);
      const values = lines.map((line) => parsed(line)).filter((value) => value !== undefined);
      // Ask the agents with the most specific formats first: each recognises its own lines.
      const author = [...agents].reverse().find((agent) => agent.recognises(values));
      if (author !== undefined || values.length > 0 || got < length) return author;
    }
    return undefined;
  } finally {
    fs.closeSync(fd);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line.replace(/^\ufeff/, ''));
  } catch {
    // A cut or malformed line says nothing about its author.
    return undefined;
  }
}

// Transcripts of groups' agents: below the agents' homes, under keys that begin with the group. The agents write these folders
// themselves, so no link in them is followed: it could lead to someone else's files.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../agents/agent.ts';
import { agents } from '../agents/index.ts';
import type { Config } from '../config/config.ts';
import { GroupName } from '../schema/group.ts';
import { systemCode } from '../system/errors.ts';
import type { Source } from './chunk.ts';
import { isPlain } from './plain-file.ts';
import { type Found, type Problem, scan } from './scan.ts';

/** A key is the group's name, then the path below the home of its agent. */
function partsOf(key: string): { group: string; agent: Agent } | undefined {
  const [group = '', ...rest] = key.split('/');
  if (!GroupName.safeParse(group).success) return undefined;
  const inside = rest.join('/');
  const agent = agents.find(({ home }) => home !== undefined && inside.startsWith(`${home.transcripts}/`));
  return agent?.isTranscript(inside) ? { group, agent } : undefined;
}

/** The folder that holds the transcript with this key. */
export const rootOf = (config: Config, agent: Agent, key: string): string =>
  partsOf(key)?.agent.name === agent.name ? config.agentHomesPath : config.transcriptsPath(agent, key);

/** Whether a file is in the homes of groups' agents. Such a file is one of their transcripts, or is not read at all. */
export const isInHomes = (config: Config, file: string): boolean => file.startsWith(config.agentHomesPath + path.sep);

const keyIn = (config: Config, file: string): string =>
  path.relative(config.agentHomesPath, file).split(path.sep).join('/');

export function homeSource(config: Config, file: Found): Source | undefined {
  const key = keyIn(config, file.path);
  const parts = partsOf(key);
  if (parts === undefined || !config.enabled(parts.agent) || !isPlain(config.agentHomesPath, file.path))
    return undefined;
  const { agent, group: name } = parts;
  const group = { name, folder: path.join(config.groupsPath, name) };
  return { agent, root: config.agentHomesPath, key, ...file, group };
}

/** All transcripts that groups' agents have written, or those of one group. */
export async function homeSources(config: Config, group?: string): Promise<{ sources: Source[]; problems: Problem[] }> {
  const sources: Source[] = [];
  const problems: Problem[] = [];
  for (const name of group === undefined ? namesIn(config.agentHomesPath) : [group])
    for (const { home } of agents as readonly Agent[]) {
      if (home === undefined || !GroupName.safeParse(name).success) continue;
      const folder = path.join(config.agentHomesPath, name, home.transcripts);
      if (!fs.existsSync(folder) || !isPlain(config.agentHomesPath, folder)) continue;
      const seen = await scan(folder, (file) => partsOf(keyIn(config, file)) !== undefined, {
        links: false,
        into: (inside) => leadsToTranscripts(config, inside),
      });
      problems.push(...seen.problems);
      for (const file of seen.found) sources.push(...[homeSource(config, file)].filter((one) => one !== undefined));
    }
  return { sources, problems };
}

/** No agent's own path is nearly as long; an agent may build one that the system cannot open. */
const longestKey = 1000;

/** The folders that scan and watcher enter: those on the path to the transcripts, and everything below. */
export function leadsToTranscripts(config: Config, folder: string): boolean {
  const key = keyIn(config, folder);
  if (key.length > longestKey) return false;
  const [, ...steps] = key.split('/');
  const inside = steps.join('/');
  return (agents as readonly Agent[]).some(
    ({ home }) =>
      home !== undefined &&
      (`${home.transcripts}/`.startsWith(`${inside}/`) || inside === '' || inside.startsWith(`${home.transcripts}/`)),
  );
}

export const isHomeTranscript = (config: Config, file: string): boolean => partsOf(keyIn(config, file)) !== undefined;

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

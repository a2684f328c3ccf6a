// A group's folders: its working folder, its agent's home, and a folder that the agent can only read. The agent writes to the first two,
// so anything there may be a link that leads elsewhere. We therefore write only to paths without links.
import fs from 'node:fs';
import path from 'node:path';
import type { AgentHome } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import type { Config } from '../../config/config.ts';
import { globalFolder, mainGroup } from '../../schema/group.ts';
import { beneath, readAtMost, writeNewIn } from '../../system/beneath.ts';
import { explain, HoldfastError, systemCode } from '../../system/errors.ts';
import { syncSkills } from './skills.ts';

/** The agent that groups have. */
export const groupAgent = 'claude-code';

export interface GroupFolders {
  /** The agent's working folder. */
  readonly work: string;
  /** Archives, for the agent to read and search. */
  readonly conversations: string;
  /** The agent's home folder. */
  readonly agentHome: string;
  /** Snapshot files that the agent's process reads at its start. Only we write them. */
  readonly snapshots: string;
}

export const groupFolders = (config: Config, group: string): GroupFolders => ({
  work: path.join(config.groupsPath, group),
  conversations: path.join(config.groupsPath, group, 'conversations'),
  agentHome: path.join(config.agentHomesPath, group),
  snapshots: path.join(config.home, 'snapshots', group),
});

const homeOf = (): AgentHome => {
  const home = agentNamed(groupAgent)?.home;
  if (home === undefined) throw new HoldfastError('INTERNAL', `${groupAgent} cannot be the agent of a group`);
  return home;
};

export const globalMemoryFile = (config: Config): string =>
  path.join(config.groupsPath, globalFolder, homeOf().instructions);

/** Instructions that the group's agent reads at each start, and may change. */
export const groupMemoryFile = (config: Config, group: string): string =>
  path.join(groupFolders(config, group).work, homeOf().instructions);

/** Limits the text that every agent gets. */
const longestMemory = 100_000;

/**
 * The text that we append to the system prompt of a group's agent. The agent of main reads and writes the file itself, so it may replace
 * it by a link, which we could follow to files it cannot read, or by a pipe, which could block us for ever. Both give undefined.
 */
export function globalMemory(config: Config, group: string): string | undefined {
  if (group === mainGroup) return undefined;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let file: number | undefined;
  try {
    file = fs.openSync(globalMemoryFile(config), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!fs.fstatSync(file).isFile()) return undefined;
    const text = readAtMost(file, 4 * longestMemory)
      .toString('utf8')
      .slice(0, longestMemory)
      .trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(systemCode(error) ?? '')) return undefined;
    throw explain(error, globalMemoryFile(config));
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Makes a group's missing folders and files, and updates its skills. Leaves existing files as they are. */
export function prepareFolders(config: Config, group: string): GroupFolders {
  const folders = groupFolders(config, group);
  const home = homeOf();
  const { work, conversations, agentHome, snapshots } = folders;
  const global = globalMemoryFile(config);
  try {
    for (const folder of [path.dirname(global), snapshots, work, agentHome])
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [root, folder] of [
      [work, conversations],
      [agentHome, path.join(agentHome, home.transcripts)],
    ] as const)
      beneath(root, folder, () => {}, { make: true });
    writeOnce(work, path.join(work, home.instructions), instructions(group));
    writeOnce(path.dirname(global), global, '');
    writeOnce(agentHome, path.join(agentHome, home.settingsFile), `${JSON.stringify(home.settings, null, 2)}\n`);
    const skills = path.join(agentHome, home.skills);
    beneath(agentHome, skills, (to) => syncSkills(path.join(config.home, 'skills'), to), { make: true });
  } catch (error) {
    throw explain(error, `The folders of the group ${group}`);
  }
  return folders;
}

/** Leaves anything that exists under this name as it is. */
function writeOnce(root: string, file: string, text: string): void {
  try {
    beneath(root, path.dirname(file), (folder) => writeNewIn(folder, path.basename(file), text), { make: true });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

const instructions = (group: string): string => `# ${group}

The \`conversations/\` folder holds earlier conversations of this group as Markdown, one file each, named by date and subject.
Search it to recall what was said before. To go on with one of them, find it with \`search_sessions\` or \`list_sessions\`, then
call \`resume_session\` with its id. \`clear_session\` ends the present conversation under a name and begins a new one.
`;

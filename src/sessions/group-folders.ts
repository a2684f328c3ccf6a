// A group's folders: where it works, what its agent has as home, and what it can only read. The agent writes in the first two, so
// whatever lies there may be a link that leads elsewhere: we write only where a path is what it says.
import fs from 'node:fs';
import path from 'node:path';
import type { AgentHome } from '../agents/agent.ts';
import { agentNamed } from '../agents/index.ts';
import type { Config } from '../config.ts';
import { explain, HoldfastError, systemCode } from '../errors.ts';
import { globalFolder, mainGroup } from '../schema/group.ts';
import { makeInside } from './make-inside.ts';
import { syncSkills } from './skills.ts';

/** The agent that groups have. */
export const groupAgent = 'claude-code';

export interface GroupFolders {
  /** Where its agent works. */
  readonly work: string;
  /** Archives, for the agent to read and search. */
  readonly conversations: string;
  /** What its agent has as home folder. */
  readonly agentHome: string;
  /** What it is told at each start of its process. Written by us alone. */
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

export interface Mount {
  readonly path: string;
  readonly access: 'read' | 'write';
}

/** All that the group's process may see of the data folder: main every group, the others themselves, and what all are told. */
export function mountsOf(config: Config, group: string): readonly Mount[] {
  const { work, agentHome, snapshots } = groupFolders(config, group);
  const own: Mount[] = [
    { path: agentHome, access: 'write' },
    { path: snapshots, access: 'read' },
  ];
  if (group === mainGroup) return [{ path: config.groupsPath, access: 'write' }, ...own];
  return [
    { path: work, access: 'write' },
    { path: path.join(config.groupsPath, globalFolder), access: 'read' },
    ...own,
  ];
}

/** What is appended to the system prompt of a group's agent. Main reads and writes the file itself. */
export function globalMemory(config: Config, group: string): string | undefined {
  if (group === mainGroup) return undefined;
  try {
    const text = fs.readFileSync(globalMemoryFile(config), 'utf8').trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw explain(error, globalMemoryFile(config));
  }
}

/** Makes what is missing of a group's folders, and brings its skills in line. What is there is left as it is. */
export function prepareFolders(config: Config, group: string): GroupFolders {
  const folders = groupFolders(config, group);
  const home = homeOf();
  const { work, conversations, agentHome, snapshots } = folders;
  const settings = path.join(agentHome, home.settingsFile);
  try {
    for (const folder of [path.dirname(globalMemoryFile(config)), snapshots, work, agentHome])
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [root, folder] of [
      [work, conversations],
      [agentHome, path.join(agentHome, home.transcripts)],
      [agentHome, path.join(agentHome, home.skills)],
    ] as const)
      makeInside(root, folder);
    writeOnce(path.join(work, home.instructions), instructions(group));
    writeOnce(globalMemoryFile(config), '');
    writeOnce(settings, `${JSON.stringify(home.settings, null, 2)}\n`);
    syncSkills(path.join(config.home, 'skills'), path.join(agentHome, home.skills));
  } catch (error) {
    throw explain(error, `The folders of the group ${group}`);
  }
  return folders;
}

/** A file that is there, whatever it is, stays. */
function writeOnce(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

const instructions = (group: string): string => `# ${group}

The \`conversations/\` folder holds earlier conversations of this group as Markdown, one file each, named by date and subject.
Search it to recall what was said before. To go on with one of them, find it with \`search_sessions\` or \`list_sessions\`, then
call \`resume_session\` with its id. \`clear_session\` ends the present conversation under a name and begins a new one.
`;

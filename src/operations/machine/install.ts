// Hooks in an agent's settings: install, uninstall and repair them.
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { type Config, ensureHome } from '../../config/config.ts';
import {
  type Change,
  inspectHooks,
  installHooks,
  mendHooks,
  uninstallHooks,
  writePlugin,
} from '../../install/hooks.ts';
import { inspectMcp, installMcp, mendMcp, uninstallMcp } from '../../install/mcp.ts';
import { isPresent } from '../../install/present.ts';
import { readRecord } from '../../install/record.ts';
import { version } from '../../package.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';

/** The agents that Holdfast can be installed into. */
export const hooked = (agents as readonly Agent[]).filter(
  (agent) => agent.hooks !== undefined || agent.mcp !== undefined,
);

const AgentField = z.enum(hooked.map((agent) => agent.name) as [AgentName, ...AgentName[]]);
const agentOf = (name: AgentName): Agent => hooked.find((agent) => agent.name === name) as Agent;

const McpChange = z.object({ file: z.string(), changed: z.boolean() });

const Installed = z.object({
  agent: z.string(),
  file: z.string().describe('the settings file, or the plugin folder'),
  changed: z.boolean(),
  dryRun: z.boolean(),
  diff: z.string(),
  mcp: McpChange.extend({ diff: z.string() }).optional().describe('the list of MCP servers'),
  use: z.string().optional().describe('how to use the plugin folder'),
  warnings: z.array(z.string()),
});
type Installed = z.infer<typeof Installed>;

const Offer = z.object({
  agent: z.string(),
  title: z.string(),
  state: z.enum(['installed', 'not installed', 'declined']),
});

export const install = operation({
  name: 'install',
  summary:
    'Connect agents: briefings at session start, end reports, and search over MCP; without a name, all agents found here',
  input: z.object({
    agent: AgentField.optional().describe('which agent; without it, each agent on this machine is offered'),
    dryRun: z.boolean().default(false).describe('only show what would change'),
    yes: z.boolean().optional().describe('without a name: install into all agents that are found, without asking'),
    hooksOnly: z.boolean().default(false).describe('leave the list of MCP servers as it is'),
    plugin: z.string().min(1).optional().describe('write a plugin folder instead of changing the settings'),
  }),
  output: z.union([
    Installed,
    z.object({ found: z.array(Offer), done: z.array(Installed), failed: z.array(z.string()) }),
  ]),
  surfaces: ['cli'],
  positional: ['agent'],
  examples: ['holdfast install', 'holdfast install claude-code', 'holdfast install codex --dry-run'],
  withoutStore: true,
  succeeded: (output) => !('failed' in output) || output.failed.length === 0,
  async run(context: Context<never>, { agent: name, dryRun, hooksOnly, plugin, yes }) {
    const { config, person } = context;
    if (name !== undefined) return installOne(config, agentOf(name), { dryRun, hooksOnly, plugin });
    if (plugin !== undefined)
      throw new HoldfastError('BAD_INPUT', '--plugin was given without an agent', {
        hint: 'Name the agent: holdfast install claude-code --plugin <folder>',
      });
    const found: z.infer<typeof Offer>[] = [];
    const done: Installed[] = [];
    const failed: string[] = [];
    for (const agent of hooked.filter((one) => isPresent(config, one))) {
      const about = { agent: agent.name, title: agent.title };
      /** If the settings of one agent cannot be read or changed, the others are still offered. */
      const attempt = <T>(work: () => T): T | undefined => {
        try {
          return work();
        } catch (error) {
          const { message, hint } = explain(error, agent.title);
          failed.push(hint === undefined ? message : `${message}. ${hint}`);
          found.push({ ...about, state: 'not installed' });
          return undefined;
        }
      };
      const wasInstalled = attempt(() => isInstalled(config, agent));
      if (wasInstalled === undefined) continue;
      const wanted = !wasInstalled || dryRun;
      // Ctrl+C instead of an answer ends the command.
      const agreed = wanted && (yes || dryRun || (await person?.agrees?.(`Install into ${agent.title}?`)));
      const installed = agreed ? attempt(() => installOne(config, agent, { dryRun, hooksOnly })) : undefined;
      if (agreed && installed === undefined) continue;
      if (installed !== undefined) done.push(installed);
      const isThere = wasInstalled || (agreed && !dryRun);
      found.push({ ...about, state: isThere ? 'installed' : agreed === false ? 'declined' : 'not installed' });
    }
    return { found, done, failed };
  },
});

/** Whether the agent's files contain anything that Holdfast wrote for this data folder. */
export function isInstalled(config: Config, agent: Agent): boolean {
  const hooks = agent.hooks === undefined ? undefined : inspectHooks(config, agent);
  if (hooks !== undefined) return hooks.events.length > 0 && !hooks.elsewhere;
  const state = inspectMcp(config, agent)?.state;
  return state === 'current' || state === 'outdated';
}

function installOne(
  config: Config,
  agent: Agent,
  { dryRun, hooksOnly, plugin }: { dryRun: boolean; hooksOnly: boolean; plugin?: string | undefined },
): Installed {
  const said = { agent: agent.name, dryRun };
  if (plugin !== undefined) {
    const folder = resolve(plugin);
    if (!dryRun) ensureHome(config);
    const use = dryRun ? undefined : writePlugin(config, agent, folder).use;
    return {
      ...said,
      file: folder,
      changed: !dryRun || !existsSync(folder),
      diff: '',
      ...(use ? { use } : {}),
      warnings: [],
    };
  }
  // A dry run must not leave anything behind.
  if (!dryRun) ensureHome(config);
  // Refuse an MCP list that cannot be changed before changing anything else.
  if (!hooksOnly) installMcp(config, agent, true);
  const hooks = agent.hooks === undefined ? undefined : installHooks(config, agent, dryRun);
  if (!dryRun) dropHookToken(config);
  const mcp = hooksOnly ? undefined : installMcp(config, agent, dryRun);
  const warnings = agent.hooks === undefined ? [] : [...inspectHooks(config, agent).obstacles];
  if (mcp !== undefined && inspectMcp(config, agent)?.state === 'foreign')
    warnings.push(`${mcp.file} has an MCP server "holdfast" that Holdfast did not write. It was left as it is.`);
  // Agents without hooks only have the list of servers.
  const change = hooks ?? mcp ?? { file: config.agentMcpFile(agent) ?? '', changed: false, diff: '' };
  return { ...said, ...change, ...(mcp === undefined || hooks === undefined ? {} : { mcp }), warnings };
}

export const uninstall = operation({
  name: 'uninstall',
  summary: 'Remove Holdfast from an agent; stored memory stays',
  input: z.object({ agent: AgentField.describe('which agent') }),
  output: z.object({
    file: z.string(),
    changed: z.boolean(),
    mcp: McpChange.optional(),
    plugins: z.array(z.string()),
    home: z.string(),
  }),
  surfaces: ['cli'],
  positional: ['agent'],
  examples: ['holdfast uninstall claude-code'],
  withoutStore: true,
  async run({ config }: Context<never>, { agent: name }) {
    const agent = agentOf(name);
    let mcp: Change | undefined;
    let hooks: ReturnType<typeof uninstallHooks> | undefined;
    try {
      // Remove this first: folders made for the hooks go only when they are empty.
      mcp = uninstallMcp(config, agent);
    } finally {
      if (agent.hooks !== undefined) hooks = uninstallHooks(config, agent);
    }
    const { file, changed } = hooks ?? mcp ?? { file: '', changed: false };
    const server = mcp === undefined || hooks === undefined ? {} : { mcp: { file: mcp.file, changed: mcp.changed } };
    return { file, changed, ...server, plugins: hooks?.plugins ?? [], home: config.home };
  },
});

export const repair = operation({
  name: 'repair',
  summary: 'Update what is installed to this version',
  input: z.object({}),
  output: z.object({
    repaired: z.array(z.object({ agent: z.string(), changed: z.array(z.string()) })),
    worker: z.enum(['not running', 'left running', 'restarted']),
  }),
  surfaces: ['cli'],
  examples: ['holdfast repair', 'holdfast config set port 37778 && holdfast repair'],
  withoutStore: true,
  async run({ config }: Context<never>) {
    ensureHome(config);
    const repaired = hooked.map((agent) => ({ agent: agent.name, changed: repairOne(config, agent) }));
    dropHookToken(config);
    return { repaired, worker: await renewWorker(config) };
  },
});

/** Only hooks of older versions used this token, and they have just been replaced. */
const dropHookToken = ({ home }: Config): void => rmSync(join(home, 'hook-token'), { force: true });

function repairOne(config: Config, agent: Agent): string[] {
  const { settings, mcp } = readRecord(config, agent);
  const found = agent.hooks === undefined ? undefined : inspectHooks(config, agent);
  // `repair` restores what is missing. Only `install` takes over hooks that report to another data folder.
  const own = found !== undefined && !found.elsewhere && (settings !== undefined || found.events.length > 0);
  const whole = own ? installHooks(config, agent) : undefined;
  const server =
    mcp === undefined || inspectMcp(config, agent)?.state === 'elsewhere' ? undefined : installMcp(config, agent);
  const changed = [whole, server].flatMap((change) => (change?.changed ? [change.file] : []));
  return [...changed, ...(agent.hooks === undefined ? [] : mendHooks(config, agent)), ...mendMcp(config, agent)];
}

/** Restarts a worker of another version, or one that does not answer on the port that hooks now use. */
async function renewWorker(config: Config): Promise<'not running' | 'left running' | 'restarted'> {
  const { startWorker, stopWorker, workerStatus } = await import('../../processes/worker-process.ts');
  const status = await workerStatus(config);
  if (!status.running) return 'not running';
  const { httpState } = await import('../../processes/access/reach.ts');
  const { open } = await httpState(config.settings.port, status.pid);
  if (open && status.version === version()) return 'left running';
  await stopWorker(config);
  await startWorker(config);
  return 'restarted';
}

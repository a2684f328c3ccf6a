// Hooks in an agent's settings: put there, taken out again, mended.
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import { agents } from '../agents/index.ts';
import { type Config, ensureHome } from '../config.ts';
import { type Change, inspectHooks, installHooks, mendHooks, uninstallHooks, writePlugin } from '../install/hooks.ts';
import { inspectMcp, installMcp, mendMcp, uninstallMcp } from '../install/mcp.ts';
import { readRecord } from '../install/record.ts';
import { version } from '../package.ts';
import type { AgentName } from '../schema/agent-name.ts';
import { operation } from './operation.ts';

/** The agents whose settings can be told of us. */
export const hooked = (agents as readonly Agent[]).filter((agent) => agent.hooks !== undefined);

const agentField = z.enum(hooked.map((agent) => agent.name) as [AgentName, ...AgentName[]]).describe('which agent');
const agentOf = (name: AgentName): Agent => hooked.find((agent) => agent.name === name) as Agent;

const McpChange = z.object({ file: z.string(), changed: z.boolean() });

export const install = operation({
  name: 'install',
  summary: 'Let an agent start each session with a briefing, say why it ended, and ask over MCP',
  input: z.object({
    agent: agentField,
    dryRun: z.boolean().default(false).describe('only show what would change'),
    hooksOnly: z.boolean().default(false).describe('leave the list of MCP servers as it is'),
    plugin: z.string().min(1).optional().describe('write a plugin folder instead of changing the settings'),
  }),
  output: z.object({
    file: z.string().describe('the settings file, or the plugin folder'),
    changed: z.boolean(),
    dryRun: z.boolean(),
    diff: z.string(),
    mcp: McpChange.extend({ diff: z.string() }).optional().describe('the list of MCP servers'),
    use: z.string().optional().describe('how to use the plugin folder'),
    warnings: z.array(z.string()),
  }),
  surfaces: ['cli'],
  positional: ['agent'],
  examples: ['holdfast install claude-code', 'holdfast install claude-code --dry-run'],
  withoutStore: true,
  async run({ config }, { agent: name, dryRun, hooksOnly, plugin }) {
    const agent = agentOf(name);
    if (plugin !== undefined) {
      const folder = resolve(plugin);
      const use = agent.hooks?.usePlugin(folder);
      if (dryRun) return { file: folder, changed: !existsSync(folder), dryRun, diff: '', use, warnings: [] };
      ensureHome(config);
      writePlugin(config, agent, folder);
      return { file: folder, changed: true, dryRun, diff: '', use, warnings: [] };
    }
    // A look must not leave anything behind.
    if (!dryRun) ensureHome(config);
    // A list that cannot be changed is refused before anything else is.
    if (!hooksOnly) installMcp(config, agent, true);
    const change = installHooks(config, agent, dryRun);
    const mcp = hooksOnly ? undefined : installMcp(config, agent, dryRun);
    if (!dryRun) dropHookToken(config);
    const warnings = [...inspectHooks(config, agent).obstacles];
    if (mcp !== undefined && inspectMcp(config, agent)?.state === 'foreign')
      warnings.push(`${mcp.file} has an MCP server "holdfast" of somebody else's making. It was left as it is.`);
    return { ...change, ...(mcp === undefined ? {} : { mcp }), dryRun, warnings };
  },
});

export const uninstall = operation({
  name: 'uninstall',
  summary: 'Take everything out of an agent again; what Holdfast knows stays',
  input: z.object({ agent: agentField }),
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
  async run({ config }, { agent }) {
    let mcp: Change | undefined;
    let hooks: ReturnType<typeof uninstallHooks>;
    try {
      // First, since folders that were made for the hooks go only when they are empty.
      mcp = uninstallMcp(config, agentOf(agent));
    } finally {
      hooks = uninstallHooks(config, agentOf(agent));
    }
    const { file, changed, plugins } = hooks;
    const server = mcp === undefined ? {} : { mcp: { file: mcp.file, changed: mcp.changed } };
    return { file, changed, ...server, plugins, home: config.home };
  },
});

export const repair = operation({
  name: 'repair',
  summary: 'Bring what is installed to this version',
  input: z.object({}),
  output: z.object({
    repaired: z.array(z.object({ agent: z.string(), changed: z.array(z.string()) })),
    worker: z.enum(['not running', 'left running', 'started anew']),
  }),
  surfaces: ['cli'],
  examples: ['holdfast repair', 'holdfast config set port 37778 && holdfast repair'],
  withoutStore: true,
  async run({ config }) {
    ensureHome(config);
    const repaired = hooked.map((agent) => {
      const { settings, mcp } = readRecord(config, agent);
      const { events, elsewhere } = inspectHooks(config, agent);
      // Whoever asks for a repair wants also back what is missing; what reports to another data folder only `install` takes over.
      const own = !elsewhere && (settings !== undefined || events.length > 0);
      const whole = own ? installHooks(config, agent) : undefined;
      const server =
        mcp === undefined || inspectMcp(config, agent)?.state === 'elsewhere' ? undefined : installMcp(config, agent);
      const changed = [whole, server].flatMap((change) => (change?.changed ? [change.file] : []));
      changed.push(...mendHooks(config, agent), ...mendMcp(config, agent));
      return { agent: agent.name, changed };
    });
    dropHookToken(config);
    return { repaired, worker: await renewWorker(config) };
  },
});

/** Only hooks of older versions carried this token, and they have just been replaced. */
const dropHookToken = ({ home }: Config): void => rmSync(join(home, 'hook-token'), { force: true });

/** A worker of another version, or one that does not answer where hooks now look for it, is started anew. */
async function renewWorker(config: Config): Promise<'not running' | 'left running' | 'started anew'> {
  const { startWorker, stopWorker, workerStatus } = await import('../worker/process.ts');
  const status = await workerStatus(config);
  if (!status.running) return 'not running';
  const { httpState } = await import('../http/reach.ts');
  const { open } = await httpState(config.settings.port, status.pid);
  if (open && status.version === version()) return 'left running';
  await stopWorker(config);
  await startWorker(config);
  return 'started anew';
}

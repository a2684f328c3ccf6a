// How any agent starts our MCP server, and how to recognise our own entry.
import path from 'node:path';
import type { AgentMcp, HookLink } from './hooks.ts';
import { asObject, asString } from './json.ts';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly HOLDFAST_HOME: string };
}

export function serverCommand({ node, cli, home }: HookLink): ServerCommand {
  const env = { HOLDFAST_HOME: home };
  if (process.platform === 'win32') return { command: node, args: [cli, 'mcp'], env };
  // A shell script that lists the tools, and becomes the program when a tool is called: no session waits for Node to
  // start.
  const [script, answers] = [`${cli}-mcp.sh`, path.join(path.dirname(cli), '..', 'dist', 'mcp-answers')];
  return { command: '/bin/sh', args: [script, node, cli, answers], env };
}

/** The data folder that our entry serves, in any form that an agent writes it. Contract: never throws. */
export function homeOfServer(entry: unknown): string | undefined {
  const { args, command, env, envs, environment } = asObject(entry);
  const words = Array.isArray(args) ? args : Array.isArray(command) ? command.slice(1) : [];
  const [program, word] = words.map(String);
  const ours =
    (/[\\/]bin[\\/]holdfast$/.test(program ?? '') && word === 'mcp') || /\/bin\/holdfast-mcp\.sh$/.test(program ?? '');
  return ours ? asString(asObject(env ?? envs ?? environment).HOLDFAST_HOME) : undefined;
}

/** The list `mcpServers` in a JSON file, which most agents have. */
export function jsonServers(file: AgentMcp['file'], more: Readonly<Record<string, unknown>> = {}): AgentMcp {
  return {
    file,
    list: 'mcpServers',
    name: 'holdfast',
    entry: (link) => ({ ...more, ...serverCommand(link) }),
    homeOf: homeOfServer,
  };
}

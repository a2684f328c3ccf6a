// A memory beside the files of a pulled agent, and the imported result in words.

import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../src/agents/agent.ts';
import type { AgentName } from '../src/schema/agent-name.ts';
import { saidOrUsed } from '../src/schema/entry.ts';
import { workbench } from './contracts/transcript-builder.ts';

export async function pulledAgent(agent: Agent) {
  const bench = await workbench();
  const root = bench.config.watchPath(agent);
  fs.mkdirSync(root, { recursive: true });
  const { store } = bench;
  const name: AgentName = agent.name;
  return {
    ...bench,
    root,
    put(key: string, content: unknown): string {
      const file = path.join(root, key);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
      return file;
    },
    said: async (session: string, subagents = false): Promise<string[]> =>
      (await store.entries.transcript(name, session, { subagents })).map(
        (entry) => `${entry.role} ${entry.author}: ${saidOrUsed(entry)}`,
      ),
    times: async (session: string): Promise<string[]> =>
      (await store.entries.transcript(name, session)).map(({ at }) => at),
    outcomes: async (session: string): Promise<string[]> => {
      const entries = await store.entries.transcript(name, session, { subagents: true });
      const uses = await store.entries.toolUses(entries.map(({ id }) => id));
      return uses.map(({ tool, outcome }) => `${tool} ${outcome}`);
    },
    session: async (id: string) => (await store.sessions.find(id))[0],
  };
}

// A session of every agent, continued in every agent that takes sessions over: that agent's own reader finds the same prompts in it.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Agent, AgentState, ParsedItem } from '../../src/agents/agent.ts';
import { agentNamed } from '../../src/agents/index.ts';
import { resume } from '../../src/operations/data/resume.ts';
import type { Context } from '../../src/operations/operation.ts';
import { Carrier } from '../../src/schema/carriers.ts';
import { all, benchFor } from './agent-bench.ts';
import { fixtureSets } from './agent-fixtures.ts';
import { later } from './transcript-builder.ts';

const names = [...new Set(fixtureSets.map(({ agent }) => agent.name))];

/** What the agent would read in a file that was written for it; OpenCode imports a file of another form. */
function promptsIn(agent: Agent, file: string): string[] {
  const state: AgentState = {};
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const items = lines.flatMap((line): readonly ParsedItem[] => {
    const isLine = line.startsWith('{') && line.endsWith('}');
    return isLine ? agent.read(JSON.parse(line), { key: file, state }).items : [];
  });
  return items.flatMap((item) => (item.kind === 'entry' && item.author === 'person' ? [item.text] : []));
}

describe.each(names)('a session of %s', (name) => {
  const sets = fixtureSets.filter(({ agent }) => agent.name === name);
  const set = sets.find(({ sessions }) => Object.values(sessions).some(({ prompts }) => prompts > 1)) ?? sets[0];
  if (set === undefined) throw new Error(`no fixtures of ${name}`);

  it.each(Carrier.options.filter((into) => into !== name))('continues in %s', async (into) => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const [session] = Object.entries(set.sessions).find(([, { prompts }]) => prompts > 1) ??
      Object.entries(set.sessions)[0] ?? [''];
    const prompts = (await bench.store.entries.transcript(set.agent.name, session))
      .filter(({ author }) => author === 'person')
      .map(({ text }) => text);
    const context = { store: bench.store, config: bench.config, clock: () => later } as unknown as Context;
    const given = { session, print: true, agent: set.agent.name, in: into };
    const answer = await resume.run(context, given);
    const files = 'carried' in answer ? (answer.carried?.files ?? []) : [];
    expect(files.length).toBeGreaterThan(0);
    expect(prompts.length).toBeGreaterThan(0);
    const text = files.map((file) => fs.readFileSync(file, 'utf8')).join('\n');
    for (const prompt of prompts) expect(text).toContain(JSON.stringify(prompt).slice(1, -1));
    const read = files.flatMap((file) => promptsIn(agentNamed(into) as Agent, file)).join('\n');
    if (into !== 'opencode') for (const prompt of prompts) expect(read).toContain(prompt);
  });
});

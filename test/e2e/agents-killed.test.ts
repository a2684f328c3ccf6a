// Kills an import of every agent's transcripts at any moment; the next import finishes it.
import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { agents } from '../../src/agents/index.ts';
import { settingList } from '../../src/schema/settings.ts';
import { because } from '../because.ts';
import { fixtureSets } from '../contracts/agent-fixtures.ts';
import { type Place, place } from './holdfast.ts';
import { expectKillsCostNothing, noTrace } from './kill-at.ts';
import { rowsOf } from './rows.ts';

/** Each agent's newest fixtures, in the folder that Holdfast watches for that agent. All places share one folder, so that paths agree. */
function withAll(): Place {
  const at = place();
  for (const { name } of agents) {
    const set = fixtureSets.findLast((one) => one.agent.name === name && one.name !== 'injected');
    if (set === undefined) continue;
    const watched = path.join(at.folder, 'watched', name);
    // Some agents write no times: those of the files count.
    cpSync(set.folder, watched, { recursive: true, preserveTimestamps: true });
    const variable = settingList.find(({ key }) => key === `agents.${name}.watchPath`)?.variable as string;
    Object.assign(at.env, { [variable]: watched });
  }
  return at;
}

const tables = ['entries', 'sessions', 'tool_uses', 'session_facts', 'conversations'];
const held = (at: Place) => tables.map((table) => rowsOf(at.database).get(table));

it.skipIf(noTrace)(
  because('a kill at any durable step of an import costs nothing, whichever agent wrote the transcripts', noTrace),
  async () => {
    const expected = await expectKillsCostNothing(withAll, held);
    expect(expected[0]?.length).toBeGreaterThan(40);
  },
);

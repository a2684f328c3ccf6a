// What subagents said and did, through the public path: a real import and the search operation.
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../test/demo-memory.ts';
import { ingest } from '../capture/ingest.ts';
import { search } from '../operations/recall/search.ts';

type Fields = Partial<ReturnType<typeof search.input.parse>>;

const find = (memory: Memory, query: string, fields: Fields = {}) =>
  search.run(memory.context, search.input.parse({ query, ...fields }));
const ids = async (memory: Memory, query: string, fields: Fields = {}) =>
  (await find(memory, query, fields)).hits.map(({ id }) => id);

describe('a search among sessions with subagents', () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await emptyMemory();
    await tell(memory, 'boat', '/home/dev/boat', '2026-09-02T09:00:00Z', [
      { by: 'user', text: 'Paint the boat' },
      {
        by: 'assistant',
        text: 'Painted it green.',
        uses: [{ name: 'Bash', input: { command: 'paint --green' } }],
      },
    ]);
  });

  /** A subagent of a session says this in a file of its own. */
  async function tellSubagent(session: string, text: string): Promise<void> {
    const folder = path.join(memory.home, '.claude', 'projects', '-home-dev-boat', session, 'subagents');
    fs.mkdirSync(folder, { recursive: true });
    const line = {
      ...{ type: 'assistant', uuid: 'sub-e0', parentUuid: null, sessionId: session, cwd: '/home/dev/boat' },
      ...{ isSidechain: true, agentId: 'varnish', timestamp: '2026-09-02T09:00:30Z' },
      message: { role: 'assistant', content: [{ type: 'text', text }] },
    };
    fs.writeFileSync(path.join(folder, 'agent-varnish.jsonl'), `${JSON.stringify(line)}\n`);
    await ingest(memory.context, {});
  }

  it('finds what a subagent did, marked as its own, and the session by it; entries can be left out', async () => {
    await tellSubagent('boat', 'The varnish of the mast needs three coats.');
    const [session] = (await find(memory, 'coats of varnish for the mast', { kind: 'session' })).hits;
    expect(session).toMatchObject({ id: 'boat', snippet: expect.stringContaining('needs three') });
    expect(session?.why).toContain('a subagent worked on it');
    const [hit] = (await find(memory, 'coats of varnish for the mast')).hits;
    expect(hit).toMatchObject({ id: 'sub-e0', session: 'boat', subagent: 'varnish' });
    expect(await ids(memory, 'coats of varnish for the mast', { subagents: false })).not.toContain('sub-e0');
    const left = await find(memory, 'coats of varnish for the mast', { kind: 'session', subagents: false });
    expect(left.hits[0]?.id).toBe('boat');
  });

  it('places what a subagent said below the same words of its session', async () => {
    const said = 'The rudder of the boat is made of oak, and its pintles are of bronze.';
    await tell(memory, 'rudder', '/home/dev/boat', '2026-09-02T09:00:00Z', [
      { by: 'user', text: 'What is the rudder made of?' },
      { by: 'assistant', text: said, uses: [{ name: 'Bash', input: { command: 'ls' } }] },
    ]);
    await tellSubagent('rudder', said);
    const found = await ids(memory, 'rudder of oak with bronze pintles');
    expect(found[0]).toBe('rudder-e1');
    expect(found).toContain('sub-e0');
  });

  it('shows what a subagent reported once, as the result of the tool that started it', async () => {
    const report = 'The keel has a crack of four inches below the second frame, and the planks beside it are dry.';
    await tell(memory, 'hull', '/home/dev/boat', '2026-09-02T09:00:00Z', [
      { by: 'user', text: 'Have a helper look at the hull' },
      { by: 'assistant', uses: [{ name: 'Task', input: { prompt: 'Look at the hull' }, output: report }] },
    ]);
    await tellSubagent('hull', report);
    const found = await ids(memory, 'crack in the keel below the second frame');
    expect(found[0]).toBe('hull-e1');
    expect(found).not.toContain('sub-e0');
  });
});

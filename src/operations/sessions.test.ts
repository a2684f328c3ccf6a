import { expect, it } from 'vitest';
import { demoMemory } from '../../test/demo-memory.ts';
import { sessionsDelete } from './sessions.ts';

it('23. deleting a session deletes all that hangs on it, and nothing else', async () => {
  const { context, store } = await demoMemory();
  const before = await store.counts();
  const [victim] = (await store.sessions({})).filter((session) => session.subagentEntries > 0);
  if (victim === undefined) throw new Error('the sample has a session with a subagent');
  const entries = await store.transcript(victim.agent, victim.id, { subagents: true });
  await store.noteSession({ agent: victim.agent, session: victim.id, at: 1, event: 'end' });

  const gone = await sessionsDelete.run(context, { id: victim.id.slice(0, 8) });
  expect(gone).toMatchObject({ session: victim.id, entries: entries.length, toolUses: victim.toolUses });
  const after = await store.counts();
  expect(after.entries).toBe(before.entries - entries.length);
  expect(after.toolUses).toBe(before.toolUses - victim.toolUses);
  expect(after.sessions).toBe(before.sessions - 1);
  expect(await store.findSessions(victim.id)).toEqual([]);
  expect(await store.sessionState(victim.agent, victim.id)).toBeUndefined();
  expect((await store.conversations({})).filter((one) => one.session === victim.id)).toEqual([]);
  expect(await store.integrity()).toEqual([]);
  await expect(sessionsDelete.run(context, { id: victim.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, type Said, tell } from '../../../test/demo-memory.ts';
import { liveEvents } from '../../schema/live-event.ts';
import { turns } from './turns.ts';

const agent = 'claude-code';
const session = 's1';
const start = Date.parse('2026-11-03T11:50:00Z');
const at = (minutes: number) => start + minutes * 60_000;

/** A session with a minute between entries, followed as its transcript grows. */
async function followed(
  said: readonly Said[],
  { quietMs = 3_600_000, memory }: { quietMs?: number; memory?: Memory } = {},
) {
  const own = memory ?? (await emptyMemory());
  const heard: (string | undefined)[] = [];
  const events = liveEvents(own.context.clock);
  events.subscribe(({ state }) => heard.push(state));
  const seen = turns({ ...own.context, events, complain: (error) => expect(error).toBeUndefined(), quietMs });
  await tell(own, session, '/srv/shop', new Date(start).toISOString(), said);
  await seen.moved(agent, session);
  const note = (event: 'start' | 'end', minutes: number, reason?: string) =>
    own.store.sessions.note({ agent, session, event, at: at(minutes), reason });
  return { own, seen, heard, note, state: () => own.store.sessions.state(agent, session) };
}

const ask: Said = { by: 'user', text: 'Count the herring.' };
const answer: Said = { by: 'assistant', text: 'Eleven.' };
const use: Said = { by: 'assistant', uses: [{ name: 'Bash', input: { command: 'ls' } }] };

describe("1 and 14. a session's state follows its transcript", () => {
  it('its prompts are counted, and it is active until the answer has been followed by silence', async () => {
    const { state, heard, seen } = await followed([ask, use, answer, ask, answer], { quietMs: 20 });
    expect(await state()).toMatchObject({ prompts: 2 });
    await expect.poll(state).toMatchObject({ status: 'summarizing' });
    expect(heard).toEqual(['active', 'summarizing']);
    seen.close();
  });

  it('a long-running tool does not end a turn', async () => {
    const { state, own, seen } = await followed([ask, use]);
    await own.store.sessions.follow(agent, session, { quiet: true, since: 0 });
    expect(await state()).toMatchObject({ status: 'active', prompts: 1 });
    seen.close();
  });

  it('reading after the end does not undo it; a later prompt does', async () => {
    const { state, note, seen, own } = await followed([ask]);
    await note('end', 5, 'other');
    await tell(own, session, '/srv/shop', new Date(start).toISOString(), [ask, answer]);
    await seen.moved(agent, session);
    expect(await state()).toMatchObject({ status: 'completed', endReason: 'other', prompts: 1 });
    await note('start', 6);
    const later = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? ask : answer));
    await tell(own, session, '/srv/shop', new Date(start).toISOString(), [...later, ask]);
    await seen.moved(agent, session);
    expect(await state()).toMatchObject({ status: 'active', prompts: 5 });
    expect((await state())?.endReason).toBeUndefined();
    seen.close();
  });

  it('an old transcript that is copied into place is not a live session, unless a hook reported it', async () => {
    const memory = await emptyMemory();
    const { state, seen, note } = await followed([], { memory });
    await tell(memory, session, '/srv/shop', '2025-01-01T10:00:00Z', [ask, answer]);
    await seen.moved(agent, session);
    expect(await state()).toBeUndefined();
    await note('end', 0, 'other');
    await seen.caughtUp();
    expect(await state()).toMatchObject({ status: 'completed', prompts: 1 });
    seen.close();
  });
});

// A client that was away for long reconnects and gets everything.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStand, type Stand } from '../../../test/http-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** Reads a stream until it has this many events of a kind, or ends. */
async function heard(path: string, kind: string, count: number): Promise<number> {
  const { body } = await fetch(`http://127.0.0.1:${stand.server.port}${path}`, {
    headers: { authorization: `Bearer ${stand.tokens.full}` },
  });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let seen = 0;
  let rest = '';
  try {
    while (seen < count) {
      const { value, done } = await reader.read();
      if (done) break;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      seen += parts.filter((part) => part.startsWith(`event: ${kind}\n`)).length;
    }
    await reader.cancel();
  } catch {
    // The stream was cut off; what has arrived counts.
  }
  return seen;
}

it('to the changes of a large import', async () => {
  const { store } = stand.holdfast;
  const long = 'x'.repeat(1000);
  for (let i = 0; i < 1500; i++)
    await store.sessions.note({ agent: 'claude-code', session: `${long}${i}`, event: 'start', at: Date.now() });
  // And the one of the session that existed before.
  expect(await heard('/api/events?after=0', 'change', 1501)).toBe(1501);
});

it('to the messages of a group in the meantime', async () => {
  const { store } = stand.holdfast;
  await stand.post('/api/groups/create', { group: 'dev-team' }, stand.tokens.full);
  const text = 'x'.repeat(20_000);
  for (let i = 0; i < 300; i++) await store.messages.putOut({ group: 'dev-team', kind: 'notice', text }, Date.now());
  expect(await heard('/api/groups/dev-team/events?after=0', 'notice', 300)).toBe(300);
});

import fs from 'node:fs';
import { expect, it } from 'vitest';
import { answer, later, prompt, toolResult, toolUse, workbench } from '../../../test/contracts/transcript-builder.ts';
import { codexUsage, geminiUsage, piUsage } from '../../agents/usage.ts';
import { countUsage } from '../../capture/usage.ts';
import { fillVault } from '../../capture/vault/vault.ts';
import { HoldfastError } from '../../system/errors.ts';
import type { Context } from '../operation.ts';
import { sessionsCount, sessionsOriginal, sessionsUsage } from './session-original.ts';
import { sessionsCommits } from './session-parts.ts';

const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'}k1L2m3N4o5P6q7R8`;
const long = `begin ${'x '.repeat(40_000)}${secret} end`;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = (type = 'image/png') => ({ type: 'image', source: { type: 'base64', media_type: type, data: png } });
const usage = {
  input_tokens: 1000,
  output_tokens: 100,
  cache_read_input_tokens: 10_000,
  cache_creation_input_tokens: 400,
};

/**
 * An answer of two lines that both state the same usage, as Claude Code writes them; a long output beside a short one;
 * a picture.
 */
async function bench() {
  const made = await workbench();
  const answered = (id: string, content: unknown[], minute: number) => {
    const line = answer(id, content as never, minute) as { message: Record<string, unknown> };
    return { ...line, message: { ...line.message, id: 'msg_1', model: 'claude-opus-4-7', usage } };
  };
  const file = made.write('proj/s1.jsonl', [
    { ...prompt('u1', 'x', 0), message: { role: 'user', content: [{ type: 'text', text: 'See' }, picture()] } },
    answered('a1', [{ type: 'text', text: 'I look.' }], 1),
    answered(
      'a2',
      [toolUse('t1', 'Bash', { command: `cat log # ${secret}` }), toolUse('t2', 'Bash', { command: 'git commit' })],
      2,
    ),
    toolResult('r1', 't1', long, 3),
    toolResult('r2', 't2', '[main 1a2b3c4] Mend the lamp\n 1 file changed', 4),
    prompt('u2', 'Thanks', 5),
  ]);
  await made.ingest();
  const context = { store: made.store, config: made.config, clock: () => later } as unknown as Context;
  return { ...made, context, file };
}

it('shows a whole tool use, redacted, from the transcript and then from the vault', async () => {
  const { context, store } = await bench();
  const [stored] = await store.entries.toolUses(['a2']);
  expect(stored?.output).toContain('characters left out');
  const whole = () => sessionsOriginal.run(context, { id: 'a2', use: 't1' });
  const first = await whole();
  expect(first.output?.startsWith('begin x x')).toBe(true);
  expect(first.output?.endsWith(' end')).toBe(true);
  expect(first.output?.length).toBeGreaterThan(80_000);
  expect(JSON.stringify(first)).not.toContain(secret);
  await fillVault(context as never, { quietMs: -1e15 });
  for (const { key, copies } of await store.transcripts.states())
    for (const root of copies.keys()) fs.rmSync(`${root}/${key}`);
  expect(await whole()).toEqual(first);
});

it('shows the pictures of the entry, in types that a browser can show', async () => {
  const { context } = await bench();
  expect((await sessionsOriginal.run(context, { id: 'u1' })).pictures).toEqual([{ type: 'image/png', data: png }]);
  expect((await sessionsOriginal.run(context, { id: 'u2' })).pictures).toEqual([]);
});

it('refuses a tool use of another entry, and a session instead of an entry', async () => {
  const { context } = await bench();
  await expect(sessionsOriginal.run(context, { id: 'a2', use: 't9' })).rejects.toThrow('has no tool use "t9"');
  await expect(sessionsOriginal.run(context, { id: 's1' })).rejects.toThrow(HoldfastError);
});

it('counts the tokens of each session, where one file holds several', async () => {
  const { context, write, ingest } = await bench();
  const said = (session: string, id: string, output: number) => {
    const line = answer(id, 'Done.', 1, { sessionId: session }) as { message: Record<string, unknown> };
    return { ...line, message: { ...line.message, id: `msg_${id}`, usage: { ...usage, output_tokens: output } } };
  };
  write('proj/both.jsonl', [
    prompt('b1', 'One', 0, { sessionId: 'one' }),
    said('one', 'b2', 7),
    prompt('b3', 'Two', 2, { sessionId: 'both' }),
    said('both', 'b4', 5),
  ]);
  await ingest();
  const outputOf = async (id: string) => (await sessionsUsage.run(context, { id })).models.map(({ output }) => output);
  expect([await outputOf('one'), await outputOf('both')]).toEqual([[7], [5]]);
});

it('counts tokens once per answer, with their cost if the price is known', async () => {
  const { context } = await bench();
  const { models, cost } = await sessionsUsage.run(context, { id: 's1' });
  expect(models).toMatchObject([
    { model: 'claude-opus-4-7', answers: 1, input: 1000, output: 100, cacheRead: 10_000, cacheWrite: 400 },
  ]);
  expect(cost).toBeCloseTo((1000 * 5 + 100 * 25 + 10_000 * 0.5 + 400 * 6.25) / 1e6);
});

it('lists the commits that git reported', async () => {
  const { context } = await bench();
  const { commits } = await sessionsCommits.run(context, { id: 's1' });
  expect(commits).toMatchObject([{ hash: '1a2b3c4', branch: 'main', subject: 'Mend the lamp', entry: 'a2' }]);
});

it('reads the tokens of other agents in their own form', () => {
  const state = {};
  codexUsage({ type: 'turn_context', payload: { model: 'gpt-5.2-codex' } }, state);
  const info = { last_token_usage: { input_tokens: 1200, cached_input_tokens: 100, output_tokens: 40 } };
  expect(codexUsage({ type: 'event_msg', payload: { type: 'token_count', info } }, state)).toMatchObject({
    ...{ model: 'gpt-5.2-codex', input: 1100, cacheRead: 100, output: 40 },
  });
  expect(piUsage({ message: { model: 'm', usage: { input: 5, output: 6 } } }, {})).toMatchObject({
    input: 5,
    output: 6,
  });
  expect(
    geminiUsage({ id: 'g', model: 'm', tokens: { input: 9, cached: 4, output: 1, thoughts: 2 } }, {}),
  ).toMatchObject({
    ...{ id: 'g', input: 5, cacheRead: 4, output: 3 },
  });
  for (const read of [codexUsage, piUsage, geminiUsage])
    for (const value of [
      null,
      7,
      [],
      {},
      { message: { usage: 'x' } },
      { type: 'event_msg', payload: { type: 'token_count' } },
    ])
      expect(read(value, {})).toBeUndefined();
});

it('counts tokens once, and again when the transcript has grown', async () => {
  const { context, file, ingest } = await bench();
  const counted = await sessionsUsage.run(context, { id: 's1' });
  const text = fs.readFileSync(file, 'utf8');
  // Other figures in the same number of bytes: only a second reading would see them.
  fs.writeFileSync(file, text.replaceAll('"input_tokens":1000', '"input_tokens":2000'));
  expect(await sessionsUsage.run(context, { id: 's1' })).toEqual(counted);
  fs.writeFileSync(file, text);
  const more = answer('a9', 'Done.', 9) as { message: Record<string, unknown> };
  const line = { ...more, message: { ...more.message, id: 'msg_2', model: 'claude-opus-4-7', usage } };
  fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  await ingest();
  expect((await sessionsUsage.run(context, { id: 's1' })).models).toMatchObject([{ answers: 2, input: 2000 }]);
});

it('counts sessions in the background once they are quiet', async () => {
  const { context, store } = await bench();
  const deps = context as Parameters<typeof countUsage>[0];
  expect(await countUsage(deps, Date.parse('2000-01-01'))).toBe(0);
  // Sessions by the thousand may wait: reading the rows of all transcripts for each would take minutes.
  const refuse = () => Promise.reject(new Error('read the rows of every transcript'));
  const vault = { ...context.store.vault, due: refuse, copies: refuse };
  const own = { ...deps, store: { ...context.store, vault } };
  expect(await countUsage(own, Date.parse('2100-01-01'))).toBe(1);
  expect(await store.usage.all()).toMatchObject([{ session: 's1', models: [{ answers: 1, input: 1000 }] }]);
  expect(await countUsage(deps, Date.parse('2100-01-01'))).toBe(0);
});

it('counts all quiet sessions by command, and says how many', async () => {
  const { context } = await bench();
  const at = (time: string) => ({ ...context, clock: () => Date.parse(time) });
  expect(await sessionsCount.run(at('2000-01-01'), {})).toEqual({ counted: 0 });
  expect(await sessionsCount.run(at('2100-01-01'), {})).toEqual({ counted: 1 });
  expect(await sessionsCount.run(at('2100-01-01'), {})).toEqual({ counted: 0 });
});

it('fails in the background if a count cannot be kept: it would count the same session for ever', async () => {
  const { context, store } = await bench();
  const keep = () => Promise.reject(new HoldfastError('DISK_FULL', 'The disk is full'));
  const full = { ...context, store: { ...store, usage: { ...store.usage, keep } } };
  await expect(countUsage(full, Date.parse('2100-01-01'))).rejects.toThrow('The disk is full');
  expect(await sessionsUsage.run(full, { id: 's1' })).toMatchObject({ models: [{ answers: 1 }] });
});

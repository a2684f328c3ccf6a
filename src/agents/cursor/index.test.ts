// Transcripts written from descriptions of Cursor (untried with the program itself).
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pulledAgent } from '../../../test/pulled-agent.ts';
import { cursor } from './index.ts';
import { folderOfSlug } from './slug.ts';

const lines = (...all: unknown[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');
const user = (text: string, stamp = '') => ({
  role: 'user',
  message: { content: [{ type: 'text', text: `${stamp}<user_query>\n${text}\n</user_query>` }] },
});
const answer = (text: string, ...uses: unknown[]) => ({
  role: 'assistant',
  message: { content: [{ type: 'text', text }, ...uses] },
});
const write = { type: 'tool_use', name: 'Write', input: { path: '/home/dev/proj/a.txt', contents: 'x' } };
const stamp = '<timestamp>Monday, Aug 24, 2026, 10:11 AM (UTC+2)</timestamp>\n';

it('gives prompts without their wrapping, and the tools used', async () => {
  const { put, ingest, said, times } = await pulledAgent(cursor);
  put(
    'home-dev-proj/agent-transcripts/c1.jsonl',
    lines(user('Write it', stamp), answer('Done.', write), { type: 'turn_ended' }),
  );
  expect(await ingest()).toMatchObject({ files: { imported: 1, failed: 0 }, problems: [] });
  expect(await said('c1')).toEqual(['user person: Write it', 'assistant model: Done.']);
  expect(await times('c1')).toEqual(['2026-08-24T08:11:00.000Z', '2026-08-24T08:11:00.000Z']);
});

it('reads the last line of a file that does not end with a newline, and waits for the rest of half a line', async () => {
  const { put, ingest, said } = await pulledAgent(cursor);
  const key = 'home-dev-proj/agent-transcripts/c1.jsonl';
  const whole = lines(user('Write it'), answer('Done.')).trimEnd();
  put(key, whole.slice(0, -20));
  await ingest();
  expect(await said('c1')).toEqual(['user person: Write it']);
  put(key, whole);
  await ingest();
  expect(await said('c1')).toEqual(['user person: Write it', 'assistant model: Done.']);
});

it('a prompt may follow an attachment, hold tags of its own, or have no tag; what the client says in its place does not count', async () => {
  const { put, ingest, said } = await pulledAgent(cursor);
  const raw = (text: string) => ({ role: 'user', message: { content: [{ type: 'text', text }] } });
  put(
    'home-dev-proj/agent-transcripts/c1.jsonl',
    lines(
      raw(
        `[Image]\n<image_files>\n1. /p/assets/i.png\n</image_files>\n${stamp}<user_query>\nmatch the colour\n</user_query>`,
      ),
      raw(`${stamp}<user_query>\nwhy <user_query>x</user_query>?\n</user_query>`),
      raw('<timestamp>Wed Jul 1 2026 3:45 PM</timestamp>add a search screen'),
      raw(
        `${stamp}<user_query>The above subagent result is already visible to the user. DO NOT reiterate it.</user_query>`,
      ),
      raw(`${stamp}<user_query>Briefly inform the user about the task result and stop.</user_query>`),
    ),
  );
  await ingest();
  expect(await said('c1')).toEqual([
    'user person: match the colour',
    'user person: why <user_query>x</user_query>?',
    'user person: add a search screen',
  ]);
});

it('the paths in calls name a folder that is not on this machine, and a patch names its files', async () => {
  const { put, ingest, session, store } = await pulledAgent(cursor);
  const patch = '*** Begin Patch\n*** Add File: /nowhere/the_proj/src/a.ts\n+x\n*** End Patch';
  const calls = [
    { type: 'tool_use', name: 'ApplyPatch', input: patch },
    { type: 'tool_use', name: 'Grep path\n/nowhere', input: { pattern: 'x', path: '/nowhere/the_proj/src' } },
  ];
  put('nowhere-the-proj/agent-transcripts/c1.jsonl', lines(user('Add it'), answer('Added.', ...calls)));
  await ingest();
  expect(await session('c1')).toMatchObject({ cwd: '/nowhere/the_proj' });
  const entries = await store.entries.transcript('cursor', 'c1');
  const uses = await store.entries.toolUses(entries.map(({ id }) => id));
  expect(uses.map(({ tool, files }) => [tool, files])).toEqual([
    ['ApplyPatch', ['/nowhere/the_proj/src/a.ts']],
    ['Grep', ['/nowhere/the_proj/src']],
  ]);
});

it('keeps what a rewrite leaves out, and counts the same words twice as two prompts', async () => {
  const { put, ingest, said } = await pulledAgent(cursor);
  const key = 'home-dev-proj/agent-transcripts/c1/c1.jsonl';
  put(key, lines(user('go on'), answer('One.'), user('go on'), answer('Two.')));
  await ingest();
  put(key, lines(answer('Summary.'), user('go on'), answer('Two.'), user('the end')));
  await ingest();
  expect((await said('c1')).map((line) => line.split(': ')[1])).toEqual([
    'go on',
    'One.',
    'go on',
    'Two.',
    'Summary.',
    'the end',
  ]);
});

it('a subagent speaks in the session it works for', async () => {
  const { put, ingest, said } = await pulledAgent(cursor);
  put('home-dev-proj/agent-transcripts/c1/c1.jsonl', lines(user('ask a helper'), answer('Asked.')));
  put('home-dev-proj/agent-transcripts/c1/subagents/c2.jsonl', lines(user('count'), answer('Three.')));
  await ingest();
  expect(await said('c1')).toHaveLength(2);
  expect((await said('c1', true)).filter((line) => line.includes('machine'))).toEqual(['user machine: count']);
});

it('finds the existing folder of a slug', async () => {
  const { home } = await pulledAgent(cursor);
  const folder = path.join(home, 'my.work', 'the-proj');
  fs.mkdirSync(folder, { recursive: true });
  const names = (at: string) => (fs.existsSync(at) && fs.statSync(at).isDirectory() ? fs.readdirSync(at) : []);
  expect(folderOfSlug(folder.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-/, ''), names)).toBe(folder);
  expect(folderOfSlug('no-such-folder', names)).toBeUndefined();
});

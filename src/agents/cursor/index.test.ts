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

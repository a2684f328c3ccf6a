import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { renderDay } from '../../surfaces/cli/render/day.ts';
import { styles } from '../../surfaces/cli/style.ts';
import { day } from './day.ts';
import { isIdLike, sessionMeant } from './session-meant.ts';
import { sessions } from './sessions.ts';
import { timeline } from './timeline.ts';

async function harbour() {
  const memory = await emptyMemory();
  await tell(memory, 'lamp-1', '/srv/lamp', '2026-11-02T09:00:00.000Z', [
    { by: 'user', text: 'Mend the lamp of the lighthouse' },
    { by: 'assistant', text: 'The wick was wet.', uses: [{ name: 'Bash', input: { command: 'make light' } }] },
    { by: 'user', text: 'Then dry it over the stove' },
  ]);
  await tell(memory, 'gull-1', '/srv/gulls', '2026-11-02T23:59:00.000Z', [
    { by: 'user', text: 'Count the gulls on the lighthouse' },
    { by: 'assistant', text: 'Seven.' },
  ]);
  await tell(memory, 'tide-1', '/srv/a/lamp', '2026-11-01T09:00:00.000Z', [
    { by: 'user', text: 'Read the tide tables' },
    { by: 'assistant', text: 'High water at noon.' },
  ]);
  return memory;
}

describe('a day', () => {
  it('shows the prompts of each session, in order of time', async () => {
    const { context } = await harbour();
    const answer = await day.run(context, { date: '2026-11-02' });
    expect(answer.sessions.map(({ session, prompts }) => [session.id, prompts.map(({ text }) => text)])).toEqual([
      ['lamp-1', ['Mend the lamp of the lighthouse', 'Then dry it over the stove']],
      ['gull-1', ['Count the gulls on the lighthouse']],
    ]);
    const text = renderDay(day.output.parse(answer), { style: styles(false), width: 80, now: 0, timeZone: 'UTC' });
    expect(text).toContain('2 sessions, 3 prompts');
    expect(text).toContain('09:00  Mend the lamp');
    expect(text).not.toContain('wick');
    const twelve = { style: styles(false), width: 80, now: 0, timeZone: 'UTC', hours: 12 } as const;
    expect(renderDay(day.output.parse(answer), twelve)).toContain('09:00 AM  Mend the lamp');
  });

  it('is today if none is named, and can be named in words', async () => {
    const { context } = await harbour();
    expect((await day.run(context, { date: 'today' })).day).toBe('2026-11-03');
    expect((await day.run(context, { date: 'monday' })).day).toBe('2026-11-02');
    await expect(day.run(context, { date: 'last week' })).rejects.toThrow('must be one day');
  });

  it('shows its written account', async () => {
    const { context } = await harbour();
    const file = join(context.config.memoryPath, 'episodes', '2026-11', '2026-11-02.md');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '---\ntitle: A day\n---\n\nThe lamp burns again.\n');
    expect((await day.run(context, { date: '2026-11-02' })).account?.text).toBe('The lamp burns again.');
    expect((await day.run(context, { date: '2026-11-01' })).account).toBeUndefined();
  });

  it('has a timeline of prompts only', async () => {
    const { context } = await harbour();
    const { items } = await timeline.run(context, {
      since: '2026-11-02',
      until: '2026-11-02',
      prompts: true,
      limit: 30,
    });
    expect(items.map(({ role }) => role)).toEqual(['user', 'user', 'user']);
  });
});

describe('the session that words mean', () => {
  it('is the one that has them', async () => {
    const { context } = await harbour();
    expect((await sessionMeant(context, 'tide tables', undefined))?.id).toBe('tide-1');
    expect((await sessionMeant(context, 'gull-1', undefined))?.id).toBe('gull-1');
  });

  it('is chosen by the person if several have them', async () => {
    const { context } = await harbour();
    const asked: string[] = [];
    const person = {
      piped: async () => undefined,
      edit: async () => false,
      chooseSession: async (_: unknown, words?: string) => {
        asked.push(words ?? '');
        return (await context.store.sessions.find('gull-1'))[0];
      },
    };
    expect((await sessionMeant({ ...context, person }, 'lighthouse', undefined))?.id).toBe('gull-1');
    expect(asked).toEqual(['lighthouse']);
    await expect(sessionMeant(context, 'lighthouse', undefined)).rejects.toThrow('"lighthouse" could mean 2 sessions');
  });

  it('answers with no session if none has the words, and takes hexadecimal words for ids', async () => {
    const { context } = await harbour();
    await expect(sessionMeant(context, 'quokka', undefined)).rejects.toThrow('no session has these words');
    await expect(sessionMeant(context, 'deadbeef', undefined)).rejects.toThrow('has an id that begins with "deadbeef"');
    expect(['5ec9', '0f3c1a2b', 'deadbeef', 'c010174c-aaaa'].map(isIdLike)).toEqual([true, true, true, true]);
    expect(['facade', 'lamp', 'added', 'retry queue', '42'].map(isIdLike)).toEqual(Array(5).fill(false));
  });
});

it('warns that a name of two projects means both', async () => {
  const { context } = await harbour();
  const said: string[] = [];
  const { sessions: found } = await sessions.run({ ...context, warn: (line) => said.push(line) }, { project: 'lamp' });
  expect(found.map(({ id }) => id).sort()).toEqual(['lamp-1', 'tide-1']);
  expect(said).toEqual([
    expect.stringMatching(
      /^2 projects are called lamp, and all are included\. Choose one by its name or path: (?:srv|a)\/lamp, (?:srv|a)\/lamp$/,
    ),
  ]);
  await sessions.run({ ...context, warn: (line) => said.push(line) }, { project: 'gulls' });
  expect(said).toHaveLength(1);
});

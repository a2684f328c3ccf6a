import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostStand } from '../../test/host-stand.ts';
import type { Context } from '../operations/operation.ts';
import type { LiveWord } from '../schema/group-message.ts';
import { groupFolders, groupMemoryFile } from '../sessions/groups/group-folders.ts';
import { openGroup } from '../sessions/groups/groups.ts';
import { noticesOf } from './delivery.ts';
import { ownTools, toolsFor } from './tools.ts';

async function stand() {
  const { store, groupDeps, clock } = await hostStand(['main', 'tide', 'reef']);
  const { config } = groupDeps;
  const words: LiveWord[] = [];
  const context: Context = { store, config, clock: clock.now };
  const run = await store.runs.begin({ group: 'tide', epoch: 1 }, clock.now());
  const of = (group: string) => {
    const deps = {
      ...{ context, takeIn: async () => {}, wake: () => {} },
      open: (name: string) => openGroup(groupDeps, name),
      tell: (word: LiveWord) => words.push(word),
    };
    return toolsFor(deps, group, { id: run, task: undefined, session: () => 's' });
  };
  return { store, config, clock, words, of, run };
}

describe('the tools of a group', () => {
  it('are its sessions, and what the host does for it, each with a schema', async () => {
    const { of } = await stand();
    const { tools } = of('tide');
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        ...['cancel_task', 'clear_session', 'list_sessions', 'list_tasks', 'pause_task', 'recall', 'remember'],
        ...['resume_session', 'resume_task', 'schedule_task', 'search_sessions', 'send_message'],
      ].sort(),
    );
    for (const { name, input } of tools)
      expect(input, name).toMatchObject({ type: 'object', additionalProperties: false });
    await expect(of('tide').call('rm', {})).rejects.toThrow('There is no tool rm');
    await expect(of('tide').call('send_message', { text: 7 })).rejects.toThrow('text');
  });

  it('send_message is delivered at once, and counts as output of the messages in hand', async () => {
    const { of, store, words, run, clock } = await stand();
    const message = await store.messages.add('tide', { text: 'hello' }, clock.now());
    await store.messages.hand(run, [message?.id as number]);
    await of('tide').call('send_message', { text: 'on my way' });
    expect(await store.messages.outgoing('tide', 0, 9)).toMatchObject([{ kind: 'message', text: 'on my way' }]);
    expect(words).toEqual([{ group: 'tide', out: 1 }]);
    await store.runs.end(
      run,
      { how: 'failed', notices: noticesOf(undefined, 1), backoff: [], mostAttempts: 12 },
      clock.now(),
    );
    expect((await store.messages.get('tide', message?.id as number))?.state).toBe('answered');
  });

  it('send_message and schedule_task stop before a group fills the store', async () => {
    const { of, store, clock } = await stand();
    const { call } = of('tide');
    for (let i = 0; i < 120; i++) await call('send_message', { text: `word ${i}` });
    await expect(call('send_message', { text: 'one more' })).rejects.toThrow('was sent 120 messages');
    expect(await store.messages.outgoing('tide', 0, 1000)).toHaveLength(120);
    await of('reef').call('send_message', { text: 'another group has its own' });
    await clock.pass(3_600_001);
    await call('send_message', { text: 'an hour later' });
    await expect(
      (async () => {
        for (let i = 0; i < 11; i++) await call('send_message', { text: 'x'.repeat(99_000) });
      })(),
    ).rejects.toThrow('1000000 characters');
    const task = { prompt: 'again', schedule_type: 'interval', schedule_value: '30m' };
    for (let i = 0; i < 50; i++) await call('schedule_task', task);
    await expect(call('schedule_task', task)).rejects.toThrow('has 50 tasks');
    expect(await store.tasks.list('tide')).toHaveLength(50);
  });

  it('host.md 16: the channel says who calls; no input names another group, except for main', async () => {
    const { of, store } = await stand();
    const every = { schedule_type: 'interval', schedule_value: '30m' };
    const valid: Record<string, object> = {
      ...{ send_message: { text: 'x' }, remember: { text: 'x' }, recall: { query: 'x' }, list_tasks: {} },
      ...{
        schedule_task: { prompt: 'x', ...every },
        pause_task: { id: 1 },
        resume_task: { id: 1 },
        cancel_task: { id: 1 },
      },
    };
    for (const { name } of ownTools)
      await expect(of('tide').call(name, { ...valid[name], group: 'reef' }), name).rejects.toThrow('"group"');
    expect(await store.messages.outgoing('reef', 0, 9)).toEqual([]);
    expect(await of('main').call('send_message', { text: 'to all', group: 'reef' })).toContain('reef');
    expect(await store.messages.outgoing('reef', 0, 9)).toMatchObject([{ text: 'to all' }]);
    await expect(of('main').call('send_message', { text: 'x', group: 'nobody' })).rejects.toThrow('no group nobody');
    await of('main').call('schedule_task', { prompt: 'look', ...every, group: 'reef' });
    expect(await store.tasks.list('reef')).toMatchObject([{ prompt: 'look', context: 'group' }]);
  });

  it('tasks: a group schedules, sees and changes only its own; main all', async () => {
    const { of, store, clock } = await stand();
    const once = { schedule_type: 'once', schedule_value: '2026-05-01T14:30', context_mode: 'isolated' };
    expect(await of('tide').call('schedule_task', { prompt: 'remind them', ...once })).toBe(
      'Task 1 is scheduled; its first run is at 2026-05-01 14:30 (UTC).',
    );
    expect(await of('tide').call('list_tasks', {})).toContain('remind them');
    expect(await of('reef').call('list_tasks', {})).toBe('There are no tasks.');
    for (const name of ['pause_task', 'resume_task', 'cancel_task'])
      await expect(of('reef').call(name, { id: 1 })).rejects.toThrow('There is no task 1');
    await of('tide').call('pause_task', { id: 1 });
    expect(await store.tasks.due(clock.now() + 1e9)).toEqual([]);
    await of('main').call('resume_task', { id: 1 });
    expect((await store.tasks.due(clock.now() + 1e9)).length).toBe(1);
    await of('tide').call('cancel_task', { id: 1 });
    expect(await store.tasks.list()).toEqual([]);
    await expect(
      of('tide').call('schedule_task', { prompt: 'x', schedule_type: 'cron', schedule_value: 'often' }),
    ).rejects.toThrow(/not a cron expression.*Minute/);
  });

  it('tasks: a finished one can be neither paused nor resumed, and the agent is told so', async () => {
    const { of, store, clock } = await stand();
    const when = { prompt: 'look', kind: 'once', when: '', timeZone: 'UTC', context: 'isolated' } as const;
    const { id = 0 } = (await store.tasks.add({ ...when, group: 'tide', next: clock.now() }, clock.now())) ?? {};
    const at = await store.runs.begin({ group: 'tide', task: id, epoch: 1 }, clock.now());
    await store.runs.end(
      at,
      { how: 'ok', notices: noticesOf(undefined, 1), backoff: [], mostAttempts: 12, result: 'calm' },
      clock.now(),
    );
    for (const tool of ['pause_task', 'resume_task'])
      await expect(of('tide').call(tool, { id })).rejects.toThrow(`Task ${id} is done. Add it again: schedule_task`);
    expect(await of('tide').call('cancel_task', { id })).toContain('cancelled');
  });

  it('host.md 14: remember goes into the memory that the agent reads at each start, once, and without secrets', async () => {
    const { of, config } = await stand();
    const file = groupMemoryFile(config, 'tide');
    const before = fs.readFileSync(file, 'utf8');
    expect(await of('tide').call('remember', { text: 'They like\nshort answers' })).toBe('Remembered.');
    expect(await of('tide').call('remember', { text: 'They like short answers' })).toBe('This was known already.');
    await of('tide').call('remember', { text: `The key is sk-ant-api03-${'a1B2'.repeat(24)}AA` });
    const text = fs.readFileSync(file, 'utf8');
    expect(text.startsWith(before)).toBe(true);
    expect(text.slice(before.length)).toMatch(/^\n## Remembered\n- They like short answers\n- The key is /);
    expect(text).not.toContain('a1B2a1B2');
    expect(fs.readFileSync(groupMemoryFile(config, 'reef'), 'utf8')).not.toContain('short answers');
  });

  it('remember neither follows a link that the agent has put there, nor waits at a pipe', async () => {
    const { of, config } = await stand();
    const file = groupMemoryFile(config, 'tide');
    const target = path.join(groupFolders(config, 'reef').work, 'theirs.md');
    fs.writeFileSync(target, 'theirs\n');
    fs.rmSync(file);
    fs.symlinkSync(target, file);
    await expect(of('tide').call('remember', { text: 'x' })).rejects.toThrow('memory of this group');
    expect(fs.readFileSync(target, 'utf8')).toBe('theirs\n');
    fs.rmSync(file);
    execFileSync('mkfifo', [file]);
    onTestFinished(() => fs.rmSync(file, { force: true }));
    await expect(of('tide').call('remember', { text: 'x' })).rejects.toThrow('memory of this group');
  });

  it('remember refuses a memory that the agent has made too long for the host to read', async () => {
    const { of, config } = await stand();
    const file = groupMemoryFile(config, 'tide');
    // A file with a hole takes no room on the disk, so no quota stops it.
    fs.truncateSync(file, 2 << 20);
    await expect(of('tide').call('remember', { text: 'x' })).rejects.toThrow('longer than 1 MB. Shorten CLAUDE.md');
    expect(fs.statSync(file).size).toBe(2 << 20);
  });

  it('host.md 15: recall finds what was said in this group, and nothing of another', async () => {
    const { of, store } = await stand();
    const { chunk, entry, rules } = await import('../../test/contracts/chunks.ts');
    for (const group of ['tide', 'reef'])
      await store.transcripts.commit(
        [
          chunk([entry(`e-${group}`, `the lamp of ${group} is green`, { session: `s-${group}` })], {
            ...{ agent: 'claude-code', group, key: `${group}/x.jsonl` },
            sessions: [{ session: `s-${group}`, cwd: undefined, projectPath: undefined, title: undefined }],
          }),
        ],
        rules,
      );
    const found = await of('tide').call('recall', { query: 'lamp green' });
    expect(found).toContain('s-tide');
    expect(found).not.toContain('reef');
    expect(await of('main').call('recall', { query: 'lamp green' })).toBe('Nothing was found.');
  });
});

// Messages to groups, tasks and names: stored without secrets and private passages, and gone from the bytes of the file when they are over.

import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noticesOf } from '../../src/host/delivery.ts';
import { toolsFor } from '../../src/host/tools.ts';
import { groupsClear } from '../../src/operations/groups/group-sessions.ts';
import { groupsSend } from '../../src/operations/groups/host.ts';
import { tasksAdd, tasksCancel } from '../../src/operations/groups/tasks.ts';
import { openGroup } from '../../src/sessions/groups/groups.ts';
import { type GroupStand, groupStand } from '../group-stand.ts';

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const said = `the walrus said ${token} and <private>the carpenter wept</private> by the sea`;

let stand: GroupStand;
beforeEach(async () => {
  stand = await groupStand();
  await stand.group('tide');
});
afterEach(() => stand.end());

const filesOf = () =>
  fs
    .readdirSync(stand.home)
    .filter((name) => name.startsWith('holdfast.db'))
    .map((name) => path.join(stand.home, name));
/** Whether a text stands anywhere in the database or in the files beside it. */
const holds = (text: string): boolean => filesOf().some((file) => fs.readFileSync(file).includes(text));

it('a message has no secret and nothing private, and its bytes are gone once it is answered', async () => {
  const { context } = stand.holdfast;
  const { store } = context;
  const { message } = await groupsSend.run(context, { group: 'tide', text: said });
  expect(message.text).toContain('the walrus said');
  expect(message.text).not.toMatch(/ghp_|carpenter/);
  expect(holds('the walrus said')).toBe(true);
  for (const word of [token, 'the carpenter wept']) expect(holds(word), word).toBe(false);
  const run = await store.runs.begin({ group: 'tide', epoch: 1 }, 1);
  await store.messages.hand(run, [message.id]);
  await store.messages.putOut({ group: 'tide', kind: 'answer', text: 'yes', answers: [message.id], run }, 2);
  expect(await store.admin.emptyLog()).toBe(true);
  expect(holds('the walrus said')).toBe(false);
});

it('a wholly private message is refused, because it would have to be stored', async () => {
  const sending = groupsSend.run(stand.holdfast.context, { group: 'tide', text: '<private>nothing else</private>' });
  await expect(sending).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect(holds('nothing else')).toBe(false);
});

it('a task has no secret and nothing private, and its bytes are gone once it is done or cancelled', async () => {
  const { context } = stand.holdfast;
  const { store } = context;
  const { task } = await tasksAdd.run(context, {
    group: 'tide',
    prompt: said,
    at: '2099-01-01T00:00',
    context: 'group',
  });
  expect(task.prompt).not.toMatch(/ghp_|carpenter/);
  const run = await store.runs.begin({ group: 'tide', task: task.id, epoch: 1 }, 1);
  await store.runs.end(
    run,
    { how: 'ok', notices: noticesOf(undefined, 1), backoff: [], mostAttempts: 12, result: 'done' },
    2,
  );
  expect(await store.tasks.get(task.id)).toMatchObject({ state: 'done', prompt: '' });
  const other = await tasksAdd.run(context, { group: 'tide', prompt: said, every: '30m', context: 'group' });
  await tasksCancel.run(context, { id: other.task.id });
  await store.admin.emptyLog();
  for (const word of [token, 'the carpenter wept', 'the walrus said']) expect(holds(word), word).toBe(false);
});

it('the same holds for what an agent sends and schedules, and for the names of bookmarks', async () => {
  const { context } = stand.holdfast;
  const { store } = context;
  const tide = await openGroup(stand.deps, 'tide');
  const run = await store.runs.begin({ group: 'tide', epoch: 1 }, 1);
  const deps = { context, takeIn: async () => {}, wake: () => {}, tell: () => {}, open: async () => tide };
  const { call } = toolsFor(deps, 'tide', { id: run, task: undefined, session: () => 's' });
  await call('send_message', { text: said });
  await call('schedule_task', { prompt: said, schedule_type: 'interval', schedule_value: '30m' });
  await tide.activate('one');
  const { bookmark } = await groupsClear.run(context, { group: 'tide', name: said });
  expect(bookmark?.name).toContain('walrus');
  for (const word of [token, 'the carpenter wept']) expect(holds(word), word).toBe(false);
});

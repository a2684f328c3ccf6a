// How much one group may put into the person's store, so that no group fills it for all: messages to its people, and tasks. Answers to
// people's messages do not count; there are only as many as there are messages.

import type { Store } from '../store/store.ts';
import { HoldfastError } from '../system/errors.ts';

const hour = 3_600_000;
const day = 24 * hour;

const mostMessages = 120;
const mostCharacters = 1_000_000;
/** No answer is longer. The rest is in the session. */
export const longestAnswer = 200_000;
const mostTasks = 50;
const mostTasksOfADay = 200;

/** Throws CONFLICT when the group was sent enough in the last hour. */
export async function allowMessage(
  store: Pick<Store, 'messages'>,
  group: string,
  text: string,
  now: number,
): Promise<void> {
  const { count, characters } = await store.messages.outgoingSince(group, now - hour);
  if (count < mostMessages && characters + text.length <= mostCharacters) return;
  throw new HoldfastError(
    'CONFLICT',
    `The group ${group} was sent ${count} messages of ${characters} characters in the last hour`,
    {
      hint: `At most ${mostMessages}, and ${mostCharacters} characters, are sent in an hour. Put the rest into a file.`,
    },
  );
}

/** Throws CONFLICT when the group has as many tasks as it may. */
export async function allowTask(store: Pick<Store, 'tasks'>, group: string, now: number): Promise<void> {
  const tasks = await store.tasks.list(group);
  const open = tasks.filter(({ state }) => state !== 'done').length;
  const ofToday = tasks.filter(({ createdAt }) => Date.parse(createdAt) > now - day).length;
  if (open < mostTasks && ofToday < mostTasksOfADay) return;
  throw new HoldfastError('CONFLICT', `The group ${group} has ${open} tasks, and made ${ofToday} within a day`, {
    hint: `At most ${mostTasks} at a time, and ${mostTasksOfADay} in a day. Cancel some: cancel_task`,
  });
}

export const cutAnswer = (text: string): string =>
  text.length <= longestAnswer
    ? text
    : `${text.slice(0, longestAnswer).replace(/[\ud800-\udbff]$/, '')}\n\n[${text.length - longestAnswer} more characters were cut]`;

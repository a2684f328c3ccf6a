import { expect, it } from 'vitest';
import { renderConversation } from './conversation-text.ts';

const entry = (at: string, author: 'person' | 'model' | 'machine', text: string) => ({ at, author, text });
const told = { project: 'courier', title: 'Lost webhooks' };

it('28. a conversation becomes readable text with local times, and a heading for each day', () => {
  const entries = [
    entry('2026-09-14T19:39:00.000Z', 'person', 'Why are webhooks lost?\n'),
    entry('2026-09-14T19:40:00.000Z', 'model', 'The queue is in memory.'),
    entry('2026-09-15T04:05:00.000Z', 'machine', 'Task done.'),
  ];
  expect(renderConversation(told, entries, { timeZone: 'America/New_York' })).toBe(
    'courier: Lost webhooks\n\nMonday, 14 September 2026\n\n[03:39 PM] User: Why are webhooks lost?\n\n' +
      '[03:40 PM] Assistant: The queue is in memory.\n\nTuesday, 15 September 2026\n\n[12:05 AM] Machine: Task done.\n',
  );
});

it('28. local times are right on both sides of each change to and from summer time', () => {
  const times = (...moments: string[]) =>
    renderConversation(
      told,
      moments.map((at) => entry(at, 'person', 'x')),
      { timeZone: 'Europe/Berlin' },
    ).match(/\[.*?\]/g);
  // Clocks jump from 02:00 to 03:00 in spring, and from 03:00 back to 02:00 in autumn.
  expect(times('2026-03-29T00:59:00.000Z', '2026-03-29T01:00:00.000Z')).toEqual(['[01:59 AM]', '[03:00 AM]']);
  expect(times('2026-10-25T00:59:00.000Z', '2026-10-25T01:00:00.000Z')).toEqual(['[02:59 AM]', '[02:00 AM]']);
});

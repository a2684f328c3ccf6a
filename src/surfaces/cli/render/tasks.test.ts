import { expect, it } from 'vitest';
import type { ScheduledTask } from '../../../schema/task.ts';
import { styles } from '../style.ts';
import { renderTask } from './tasks.ts';

it('control characters in a scheduled task do not reach the terminal', () => {
  const task: ScheduledTask = {
    ...{ id: 1, group: 'tide', prompt: 'look\u001b]52;c;cm0=\u0007 at\nthe gauge', kind: 'cron', when: '0 9 * * *' },
    ...{ timeZone: 'UTC', context: 'group', state: 'active', createdAt: '2026-05-01T12:00:00.000Z', failures: 0 },
  };
  const shown = renderTask({ task, runs: [] }, { style: styles(false), width: 80, now: 0, timeZone: 'UTC' });
  expect(shown).toContain('at\nthe gauge');
  expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
});

import { expect, it } from 'vitest';
import type { TimelineItem } from '../../../schema/timeline-item.ts';
import { styles } from '../style.ts';
import { renderTimeline } from './timeline.ts';

it('keeps each line within a narrow terminal', () => {
  const item: TimelineItem = {
    ...{ at: '2026-03-01T10:00:00.000Z', kind: 'entry', id: 'e1', session: 's1', project: 'lamp' },
    ...{ agent: 'claude-code', role: 'assistant', text: 'The wick was wet, and the lamp went out. '.repeat(5) },
  };
  for (const width of [60, 80]) {
    const view = { style: styles(false), width, now: 0, timeZone: 'UTC' };
    const [, line = ''] = renderTimeline({ items: [item] }, view).split('\n');
    expect(line).toContain('The wick was');
    expect(line.length).toBeLessThanOrEqual(width);
  }
});

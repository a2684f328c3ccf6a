import { expect, it } from 'vitest';
import type { Hit } from '../../../schema/hit.ts';
import { styles } from '../style.ts';
import { renderSearch } from './search.ts';

const view = { style: styles(false), width: 80, now: 0, timeZone: 'UTC' };
const hit = (more: Partial<Hit>): Hit => ({
  ...{ kind: 'entry', id: 'e1', session: 's1', project: 'lamp', at: '2026-03-01T10:00:00.000Z', score: 1 },
  ...{ snippet: 'The wick was wet', why: ['similar in meaning'], ...more },
});

it('marks hits that are merely similar, and no others', () => {
  const similar = 'Nothing has these words. Similar in meaning:';
  expect(renderSearch({ hits: [hit({})] }, view)).toMatch(new RegExp(`^${similar}\n\n`));
  expect(renderSearch({ hits: [hit({}), hit({ id: 'e2', why: ['words: wick'] })] }, view)).not.toContain(similar);
  expect(renderSearch({ hits: [hit({ snippet: 'The «wick» was wet' })] }, view)).not.toContain(similar);
  const use = { tool: 'Bash', did: 'make wick' };
  expect(renderSearch({ hits: [hit({ use, why: ['words: wick'] })] }, view)).not.toContain(similar);
  // The entry used a tool, whatever the question was.
  expect(renderSearch({ hits: [hit({ use })] }, view)).toContain(similar);
});

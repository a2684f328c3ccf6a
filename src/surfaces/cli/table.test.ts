import { describe, expect, it } from 'vitest';
import { renderConversations } from './render/conversations.ts';
import { renderProjects } from './render/projects.ts';
import { renderSessions } from './render/sessions.ts';
import { styles } from './style.ts';
import { type Column, renderTable } from './table.ts';
import { tableColumns } from './table-columns.ts';
import { widthOf } from './width.ts';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly path: string;
}

const rows: Row[] = [
  {
    id: '0f3c',
    title: 'Mend the lamp of the lighthouse before the winter comes',
    path: '/srv/harbour/lighthouse/lamp',
  },
  { id: '1a2b', title: '灯台のランプを直す 灯台のランプを直す 灯台のランプを直す', path: '/srv/a' },
];
const columns: Column<Row>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'path', cell: ({ path }) => path, cut: 'middle', goes: 1 },
  { name: 'title', cell: ({ title }) => title, cut: 'end' },
  { name: 'both', cell: ({ id, path }) => `${id} ${path}`, extra: true },
];
const view = (width: number) => ({ style: styles(false), width, now: 0, timeZone: 'UTC' });
const widest = (text: string) => Math.max(...text.split('\n').map(widthOf));

describe('a table', () => {
  it.each([200, 100, 60, 40, 30])('fits %i columns', (width) => {
    expect(widest(renderTable(rows, columns, view(width)))).toBeLessThanOrEqual(width);
  });

  it('cuts paths in the middle, and prose at its end', () => {
    const shown = renderTable(rows, columns, view(56));
    expect(shown).toMatch(/0f3c {2}\/srv\/\w*….*lamp {2}Mend the .*…/);
  });

  it('drops the least important columns if there is no room', () => {
    expect(renderTable(rows, columns, view(30)).split('\n')[0]).toBe('id    title');
  });

  it('shows the chosen columns in that order, and no others', () => {
    expect(renderTable(rows, columns, view(80), ['both', 'id']).split('\n')[0]).toMatch(/^both +id$/);
  });

  it('has the columns that its help names', () => {
    const at = '2026-03-01T10:00:00.000Z';
    const project = { name: 'a', label: 'a', path: '/a', sessions: 1, entries: 1, lastActivityAt: at };
    const common = { agent: 'claude-code', project: 'a', title: 'b', entries: 1 } as const;
    const session = { ...common, id: 'x', projectPath: '/a', cwd: '/a', startedAt: at, endedAt: at };
    const conversation = {
      ...common,
      id: 1,
      session: 'x',
      file: 'f',
      status: 'active',
      attempts: 0,
      firstPos: 0,
    } as const;
    const all = (name: string) => ({ ...view(400), columns: tableColumns[name] });
    const drawn = {
      projects: renderProjects({ projects: [project] }, all('projects')),
      sessions: renderSessions({ sessions: [{ ...session, subagentEntries: 0, toolUses: 0 }] }, all('sessions')),
      conversations: renderConversations(
        { conversations: [{ ...conversation, firstAt: at, lastAt: at }] },
        all('conversations'),
      ),
    };
    for (const [name, text] of Object.entries(drawn))
      expect(text.split('\n')[0]?.split(/ +/)).toEqual(tableColumns[name]);
  });
});

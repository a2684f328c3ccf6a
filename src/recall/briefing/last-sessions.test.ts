import { describe, expect, it } from 'vitest';
import { coreOf, formIn } from '../../schema/statement-form.ts';
import type { SessionGlance } from '../../store/sessions/port.ts';
import type { Durable } from './durable.ts';
import { isHeading, lastSessions } from './last-sessions.ts';
import type { Told } from './session-told.ts';

const titles = [
  'Bump tide-lib to v3.1.0',
  'Remove Print button from the tide table',
  'Stop tokens leaking into the harbour log',
  'Moor ships by size',
  'Updated 5 failing tests to expect the last berth',
  'Send refs in batches',
];
const glances = titles.map(
  (title, i): SessionGlance => ({
    ...{ agent: 'claude-code', id: `s${i}`, title, asked: title, cwd: '/srv/tide', startedAt: i, endedAt: i },
  }),
);
const tell = async (glance: SessionGlance): Promise<Told> => ({
  ...{ glance, ending: { prompts: [], entries: [], toolUses: [] }, open: [], summary: undefined, place: '' },
  isNamed: false,
});
const fact = (text: string): Durable => ({ kind: 'fact', id: 'f1', at: 0, text, core: coreOf(text, formIn(text)) });
const shown = async (facts: readonly Durable[], most = 3) => {
  const { told, byFact } = await lastSessions(glances, tell, facts, most);
  return { titles: told.map(({ glance }) => glance.title), byFact: Object.fromEntries(byFact) };
};

describe('the last sessions', () => {
  it('begin with the newest, and the next one takes the place of routine', async () => {
    expect((await shown([])).titles).toEqual([titles[0], titles[2], titles[3]]);
    expect((await shown([], 6)).titles).toEqual([titles[0], titles[2], titles[3], titles[5]]);
  });

  it('are not told again if a fact tells them, with its reason', async () => {
    const told = fact(
      'Decided in a commit: stop tokens leaking into the harbour log. Flags have no default, since help shows it.',
    );
    expect(await shown([told])).toEqual({ titles: [titles[0], titles[3], titles[5]], byFact: { f1: 's2' } });
    const bare = fact('Decided in a commit: stop tokens leaking into the log (harbour).');
    expect((await shown([bare])).titles).toContain(titles[2]);
  });

  it('are named by a commit that no fact tells, so that none is without a name', async () => {
    const commits = ['Stop tokens leaking into the harbour log', 'tide: refuse ships without a pilot'];
    const having = async (glance: SessionGlance) => ({ ...(await tell(glance)), summary: { commits } as never });
    const leak = fact('Decided in a commit: stop tokens leaking into the harbour log. Help shows defaults.');
    const { told } = await lastSessions(glances.slice(2, 3), having, [leak], 1);
    expect(told.map(({ glance }) => glance.title)).toEqual(['Refuse ships without a pilot']);
  });

  it('tell a fact that says no more than a title', async () => {
    const [told] = (await lastSessions(glances.slice(2), tell, [], 1)).told;
    const isTold = (text: string) => isHeading(fact(text), told === undefined ? [] : [told]);
    expect(isTold('Decided in a commit: stop tokens leaking into log (gitproto).')).toBe(true);
    expect(isTold('Decided in a commit: stop tokens. Flags have no default, since help shows it.')).toBe(false);
  });
});

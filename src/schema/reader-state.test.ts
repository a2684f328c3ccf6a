import { describe, expect, it } from 'vitest';
import { copyState, emptyState, formatState, parseState, StoredState } from './reader-state.ts';

/** As version 0.1.0 stored it. */
const flat = {
  ordinal: 3,
  name: 'x',
  flag: true,
  '@session': 's1',
  '@cwd': '/home/dev/app',
  '@parent': 's0',
  '@line': 20,
  '@entry': 512,
  '@at': 19,
  '@recalls': 't1\nt2',
  '@ours': true,
  '@unknown': '[["metrics",4],["others",1]]',
  '@title': 'A title',
  '@titleBy': 'person',
  '@hidden': '5:hash',
  '@branch': '6:hash',
  '@fork': '7:hash',
  '@facts': '[{"kind":"branch","value":"main","pos":0}]',
  '@private': 's1',
  '@turns': '5-7 9-',
  '@private-uses': 'u1 u2',
  '@of': 's1',
  '@folder': '/home/dev',
  '@ignored': true,
  '@hub': 12,
};

describe('the state of a reader', () => {
  it('of an earlier version is read with every value in its place', () => {
    expect(parseState(JSON.stringify(flat))).toEqual({
      version: 1,
      agent: { ordinal: 3, name: 'x', flag: true },
      capture: {
        session: 's1',
        cwd: '/home/dev/app',
        parent: 's0',
        lineAt: 20,
        lastEntry: 512,
        lastAt: 19,
        recalls: ['t1', 't2'],
        ours: true,
        unknown: { metrics: 4, others: 1 },
        title: 'A title',
        titleBy: 'person',
        hiddenTitle: '5:hash',
        branch: '6:hash',
        fork: '7:hash',
        earlyFacts: [{ kind: 'branch', value: 'main', pos: 0 }],
        privateIn: 's1',
        privateTurns: [{ from: 5, until: 7 }, { from: 9 }],
        privateUses: ['u1', 'u2'],
        folderOf: 's1',
        folder: '/home/dev',
        ignored: true,
        hubLines: 12,
      },
    });
    expect(parseState('{}')).toEqual(emptyState());
  });

  it('of this version is read unchanged', () => {
    const state = parseState(JSON.stringify(flat));
    expect(parseState(JSON.stringify(state))).toEqual(state);
    expect(StoredState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it('is written the same in whatever order values were set', () => {
    const capture = { title: 'A title', session: 's1' };
    const turned = { session: 's1', title: 'A title' };
    expect(formatState({ ...emptyState(), capture })).toBe(formatState({ ...emptyState(), capture: turned }));
    expect(parseState(formatState({ ...emptyState(), capture })).capture).toEqual(capture);
  });

  it('is refused if no version writes it', () => {
    for (const bad of [
      { version: 1, agent: {}, capture: { title: 5 } },
      { version: 2, agent: {}, capture: {} },
      { '@facts': 'not JSON' },
      { '@turns': 'soon-' },
      { '@facts': '[{"kind":"rumour","value":"x","pos":0}]' },
      { nested: {} },
      [],
      null,
    ])
      expect(StoredState.safeParse(bad).success, JSON.stringify(bad)).toBe(false);
  });

  it('is copied so that the copy can change independently', () => {
    const state = parseState(JSON.stringify(flat));
    const copy = copyState(state);
    copy.agent.ordinal = 4;
    copy.capture.title = 'Another';
    expect([state.agent.ordinal, state.capture.title]).toEqual([3, 'A title']);
  });
});

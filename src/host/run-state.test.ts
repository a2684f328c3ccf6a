import { describe, expect, it } from 'vitest';
import type { AgentExit } from './agent.ts';
import { begin, isBusy, isClosing, type RunEvent, type RunState, type Said, step, verdictOf } from './run-state.ts';

const said = (given: Partial<Said> = {}): Said => ({ answers: [], ok: true, text: 'done', session: 's', ...given });
const result = (given: Partial<Said> = {}): RunEvent => ({ kind: 'result', said: said(given), text: 'done' });
const stored: RunEvent = { kind: 'stored', isReal: true, now: 7 };
const exit = (given: Partial<AgentExit> = {}): AgentExit => ({
  ...{ how: 'closed', code: 0, signal: null, untaken: [], unanswered: [] },
  ...given,
});

/** The state after these events, and the effects of the last one. */
function follow(events: readonly RunEvent[], isTask = false): { state: RunState; effects: string[] } {
  let state = begin(isTask, 0);
  let effects: string[] = [];
  for (const event of events) {
    const [next, todo] = step(state, event);
    state = next;
    effects = todo.map(({ kind }) => kind);
  }
  return { state, effects };
}

const talking: readonly RunEvent[] = [{ kind: 'started' }, { kind: 'ready' }];
const sent = (...ids: string[]): RunEvent => ({ kind: 'sent', ids });

describe('a start', () => {
  it('sends the waiting messages, and a task its prompt', () => {
    expect(follow([{ kind: 'started' }]).effects).toEqual(['send-waiting']);
    expect(follow([{ kind: 'started' }], true).effects).toEqual(['send-task']);
  });

  it('is busy until the host has sent the first messages', () => {
    expect(isBusy(follow([{ kind: 'started' }]).state)).toBe(true);
    expect(isBusy(follow(talking).state)).toBe(false);
    expect(follow(talking).state.phase).toBe('talking');
  });

  it('passes on a close or a kill that came before the process ran', () => {
    expect(follow([{ kind: 'close' }, { kind: 'started' }]).effects).toEqual(['close-agent']);
    expect(follow([{ kind: 'kill', by: 'stop' }, { kind: 'started' }]).effects).toEqual(['kill-agent']);
    const { state } = follow([{ kind: 'close' }, { kind: 'started' }]);
    expect(isBusy(state)).toBe(true);
    expect(isBusy(step(state, { kind: 'ready' })[0])).toBe(false);
  });
});

describe('messages', () => {
  it('are owed until a result answers them', () => {
    const { state } = follow([...talking, sent('1', '2'), result({ answers: ['1'] })]);
    expect([...state.unanswered]).toEqual(['2']);
    expect(isBusy(state)).toBe(true);
  });

  it('that the process refuses go back to waiting, and the process closes', () => {
    const { state, effects } = follow([...talking, sent('1', '2'), { kind: 'refused', ids: ['2'] }]);
    expect(effects).toEqual(['close-agent', 'release']);
    expect([...state.unanswered]).toEqual(['1']);
  });

  it('of another session close the process once it owes nothing', () => {
    expect(follow([...talking, sent('1'), { kind: 'other-session' }]).effects).toEqual([]);
    expect(follow([...talking, { kind: 'other-session' }]).effects).toEqual(['close-agent']);
  });

  it('count as answered only if the process was sent them', () => {
    const [, effects] = step(follow([...talking, sent('1')]).state, result({ answers: ['1', '99'] }));
    expect(effects).toEqual([{ kind: 'store', said: said({ answers: ['1', '99'] }), text: 'done', answers: ['1'] }]);
  });
});

describe('a result', () => {
  it('restarts the limits once it is stored, and wakes the host', () => {
    const { state, effects } = follow([...talking, result(), stored]);
    expect(effects).toEqual(['restart-limits', 'wake']);
    expect(state.idleSince).toBe(7);
  });

  it('of a task closes the process', () => {
    const { state, effects } = follow([...talking, sent('task'), result({ answers: ['task'] }), stored], true);
    expect(effects).toEqual(['restart-limits', 'close-agent', 'wake']);
    expect(state.result).toBe('done');
  });

  it('without text does not restart the limits, and closes a process whose idle time is over', () => {
    const empty: RunEvent = { kind: 'stored', isReal: false, now: 7 };
    expect(follow([...talking, empty]).effects).toEqual(['wake']);
    expect(follow([...talking, sent('1'), { kind: 'idle' }]).effects).toEqual([]);
    expect(
      follow([...talking, sent('1'), { kind: 'idle' }, result({ answers: ['1'], text: '' }), empty]).effects,
    ).toEqual(['close-agent', 'wake']);
  });

  it('that failed closes the process and becomes the reason why the run failed', () => {
    const { state, effects } = follow([
      ...talking,
      sent('1'),
      result({ ok: false, text: 'overloaded', answers: ['1'] }),
    ]);
    expect(effects).toEqual(['close-agent']);
    expect(verdictOf(state, exit())).toEqual({ how: 'failed', error: 'overloaded' });
  });
});

describe('an end', () => {
  it('closes the process once, however often it is asked for', () => {
    const closing = follow([...talking, { kind: 'close' }]).state;
    for (const kind of ['close', 'idle', 'other-session'] as const) expect(step(closing, { kind })[1]).toEqual([]);
    expect(step(closing, { kind: 'kill', by: 'hard' })[1]).toEqual([{ kind: 'kill-agent' }]);
  });

  it('has no effect on a process that has ended, but the state records the stop', () => {
    const { state } = follow([...talking, { kind: 'ended' }]);
    expect(isClosing(state)).toBe(true);
    const [stopped, effects] = step(state, { kind: 'kill', by: 'stop' });
    expect(effects).toEqual([]);
    expect(stopped).toMatchObject({ phase: 'ended', killed: 'stop' });
  });

  it('keeps its first reason', () => {
    const { state } = follow([
      ...talking,
      { kind: 'kill', by: 'hard' },
      { kind: 'kill', by: 'stop' },
      { kind: 'ended' },
    ]);
    expect(state).toMatchObject({ phase: 'ended', killed: 'hard' });
  });
});

describe('the verdict', () => {
  const open = follow([...talking, sent('1')]).state;
  const closing = follow([...talking, { kind: 'close' }]).state;

  it('is ok when the host stops, and when the hard limit kills a process that owes nothing', () => {
    expect(verdictOf(step(open, { kind: 'kill', by: 'stop' })[0], exit({ how: 'killed' }))).toEqual({ how: 'ok' });
    expect(verdictOf(follow([...talking, { kind: 'kill', by: 'hard' }]).state, exit({ how: 'killed' }))).toEqual({
      how: 'ok',
    });
    expect(verdictOf(step(open, { kind: 'kill', by: 'hard' })[0], exit({ how: 'killed' }))).toEqual({
      how: 'failed',
      error: 'it took too long, and was ended',
    });
  });

  it('blames a process for unanswered messages, whether it took them or not, unless they arrived during the close', () => {
    const owing = { how: 'failed', error: 'it ended without an answer' };
    expect(verdictOf(open, exit({ untaken: ['1'] }))).toEqual(owing);
    expect(verdictOf(closing, exit({ untaken: ['1'] }))).toEqual({ how: 'ok' });
    expect(verdictOf(closing, exit({ unanswered: ['1'] }))).toEqual(owing);
  });

  it('says why a process died', () => {
    expect(verdictOf(open, exit({ how: 'died', code: null, signal: 'SIGKILL' })).error).toBe(
      'its process ended with SIGKILL',
    );
    const failure = { kind: 'other', message: 'no key' } as const;
    expect(verdictOf(open, exit({ how: 'failed', failure })).error).toBe('no key');
  });
});

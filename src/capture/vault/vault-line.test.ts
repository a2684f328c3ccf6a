import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../agents/claude-code/index.ts';
import { codex } from '../../agents/codex/index.ts';
import { pi } from '../../agents/pi/index.ts';
import { qwen } from '../../agents/qwen/index.ts';
import { notKept } from '../../schema/not-kept.ts';
import { emptyState } from '../../schema/reader-state.ts';
import { type Limits, noLimits } from '../keep.ts';
import { vaultLines } from './vault-line.ts';

const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const line = (type: 'user' | 'assistant', content: unknown, rest: object = {}) => ({
  parentUuid: null,
  sessionId: 's1',
  cwd: '/home/dev/app',
  type,
  message: { role: type, content },
  uuid: `u-${JSON.stringify(content).length}`,
  timestamp: '2026-03-01T10:00:00.000Z',
  ...rest,
});

function through(values: object[], limits: Partial<Limits> = {}) {
  const state = emptyState();
  const deps = { projectOf: (folder: string) => folder, sessionState: () => undefined };
  const toVault = vaultLines(claudeCode, '-home-dev-app/s1.jsonl', state, { ...noLimits, ...limits }, deps);
  return values.map((value) => {
    const kept = toVault(JSON.stringify(value));
    return kept === undefined ? undefined : JSON.parse(kept);
  });
}

describe('a line for the vault', () => {
  it('is unchanged if there is nothing to hide, whatever its kind', () => {
    const lines = [
      line('user', 'Mend the lamp'),
      line('assistant', [{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/a' } }]),
      line('user', [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }], { toolUseResult: { stdout: 'ok' } }),
      { type: 'file-history-snapshot', messageId: 'm', snapshot: { trackedFileBackups: {} } },
      { type: 'something-new', deep: [{ er: 1 }] },
    ];
    expect(through(lines)).toEqual(lines);
  });

  it('has no secret and no private passage in any field', () => {
    const [said, result] = through([
      line('user', `Use ${secret} <private>my diary</private> please`),
      line('user', [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: secret }] }], {
        toolUseResult: { stdout: `token ${secret}` },
      }),
    ]);
    expect(JSON.stringify([said, result])).not.toContain(secret);
    expect(JSON.stringify(said)).not.toContain('diary');
    expect(result.message.content[0].tool_use_id).toBe('t1');
  });

  it('keeps a signed block whole, or drops it whole', () => {
    const signed = { type: 'thinking', thinking: 'The lamp is broken.', signature: `EqQB${secret}` };
    const tainted = { type: 'thinking', thinking: `The token is ${secret}`, signature: 'EqQBxyz' };
    const [one] = through([line('assistant', [signed, tainted, { type: 'text', text: 'Mended.' }])]);
    expect(one.message.content).toEqual([signed, { type: 'text', text: 'Mended.' }]);
  });

  it('keeps nothing from a pause except its place', () => {
    const paused = { pauses: [{ from: Date.parse('2026-03-01T09:00:00Z'), until: undefined }] };
    const [said, answer] = through(
      [
        line('user', 'A secret plan', { uuid: 'a' }),
        line(
          'assistant',
          [
            { type: 'thinking', thinking: 'plan', signature: 'x' },
            { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'plan' } },
          ],
          { uuid: 'b', parentUuid: 'a', toolUseResult: { stdout: 'plan' }, slug: 'plan' },
        ),
      ],
      paused,
    );
    expect(JSON.stringify([said, answer])).not.toMatch(/plan/);
    expect(said).toMatchObject({ uuid: 'a', message: { role: 'user', content: notKept } });
    expect(answer).toMatchObject({
      uuid: 'b',
      parentUuid: 'a',
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
    });
  });

  it('keeps nothing of a turn that began with a wholly private prompt, and continues with the next turn', () => {
    const lines = through([
      line('user', '<private>the diary</private>', { uuid: 'a' }),
      line('assistant', [{ type: 'text', text: 'About the diary' }], { uuid: 'b' }),
      line('user', 'Mend the lamp', { uuid: 'c' }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('diary');
    expect(lines[2].message.content).toBe('Mend the lamp');
  });

  it.each([
    [
      codex,
      (text: string) => ({ type: 'event_msg', payload: { type: 'user_message', message: text } }),
      [
        { type: 'compacted', payload: { message: 'the diary', replacement_history: [{ text: 'the diary' }] } },
        { type: 'response_item', payload: { type: 'compaction_summary', summary: 'the diary' } },
        { type: 'event_msg', payload: { type: 'plan_update', explanation: 'the diary' } },
      ],
    ],
    [
      pi,
      (text: string) => ({
        ...{ type: 'message', id: `m${text.length}`, parentId: null },
        message: { role: 'user', content: [{ type: 'text', text }] },
      }),
      [
        { type: 'compaction', id: 'c', parentId: 'a', summary: 'the diary' },
        { type: 'message', id: 'd', parentId: 'c', message: { role: 'branchSummary', summary: 'the diary' } },
      ],
    ],
    [
      qwen,
      (text: string) => ({ type: 'user', uuid: `m${text.length}`, message: { role: 'user', parts: [{ text }] } }),
      [{ type: 'system', subtype: 'chat_compression', systemPayload: { compressedHistory: ['the diary'] } }],
    ],
  ])('has no summary of a private turn, which $name writes later', (agent, say, later) => {
    const time = { timestamp: '2026-03-01T10:00:00.000Z', sessionId: 's1', cwd: '/srv' };
    const write = (first: string) => {
      const toVault = vaultLines(agent, 'a/s1.jsonl', emptyState(), noLimits, {
        projectOf: (folder) => folder,
        sessionState: () => undefined,
      });
      return [say(first), say('Mend the lamp'), ...later].map((value) =>
        toVault(JSON.stringify({ ...time, ...value })),
      );
    };
    const lines = write('<private>the diary</private>');
    expect(lines.join('')).not.toContain('diary');
    expect(lines[1]).toContain('Mend the lamp');
    expect(write('open').join('').split('the diary').length).toBeGreaterThan(later.length);
  });

  it('does not exist for an ignored folder, or for a line that is not JSON', () => {
    expect(through([line('user', 'x')], { ignore: ['/home/dev/app'] })).toEqual([undefined]);
    const toVault = vaultLines(claudeCode, 'a.jsonl', emptyState(), noLimits, {
      projectOf: (f) => f,
      sessionState: () => undefined,
    });
    expect(toVault('{"half')).toBeUndefined();
  });
});

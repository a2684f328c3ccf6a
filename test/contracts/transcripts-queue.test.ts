// What a person types while the agent works: `queue-operation` lines and `queued_command` attachments.
import { describe, expect, it } from 'vitest';
import { answer, differences, type Json, prompt, start, toolResult, toolUse, workbench } from './transcript-builder.ts';

const key = 'p/s1.jsonl';
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
const queue = (operation: string, minutes: number, content?: unknown): Json => ({
  type: 'queue-operation',
  operation,
  timestamp: at(minutes),
  sessionId: 's1',
  ...(content === undefined ? {} : { content }),
});
const given = (uuid: string, text: unknown, minutes: number, more: Json = {}): Json => ({
  type: 'attachment',
  uuid,
  parentUuid: null,
  isSidechain: false,
  sessionId: 's1',
  timestamp: at(minutes),
  cwd: '/w',
  attachment: { type: 'queued_command', prompt: text, commandMode: 'prompt', ...more },
});
/** A turn in which the agent works, with the given lines in its middle. */
const turn = (...middle: Json[]): Json[] => [
  prompt('p1', 'first', 0, { cwd: '/w' }),
  answer('a1', [toolUse('t1', 'Bash', { command: 'ls' })], 1),
  ...middle,
  toolResult('r1', 't1', 'files', 6),
  answer('a2', 'done', 7),
];

/** The texts of one transcript read whole and read line by line, which must be the same. */
async function texts(lines: readonly Json[]): Promise<string[]> {
  const whole = await workbench();
  whole.write(key, lines);
  await whole.ingest();
  const rows = whole.rows();
  const pieces = await workbench();
  for (const line of lines) {
    pieces.append(key, line);
    await pieces.take(key);
  }
  await pieces.ingest();
  const without = (all: Record<string, string[]>, home: string) =>
    Object.fromEntries(
      Object.entries(all).map(([table, list]) => [table, list.map((row) => row.replaceAll(home, ''))]),
    );
  expect(differences(without(pieces.rows(), pieces.home), without(rows, whole.home))).toEqual([]);
  expect((await whole.ingest({ reimport: true })).entries.added).toBe(0);
  expect(differences(whole.rows(), rows)).toEqual([]);
  return whole.texts();
}

describe('what is typed while the agent works', () => {
  it('14. a queued prompt that becomes a separate prompt is stored once, under the id of its line', async () => {
    const lines = [
      ...turn(queue('enqueue', 2, 'then commit')),
      queue('dequeue', 8),
      prompt('p2', 'then commit', 8, { parentUuid: 'a2' }),
      answer('a3', 'committed', 9),
    ];
    expect(await texts(lines)).toEqual(['first', '', 'done', 'then commit', 'committed']);
  });

  it('14. a queued prompt that an older client gave to the running turn is stored where it was given', async () => {
    expect(await texts(turn(queue('enqueue', 2, 'and fix the typo'), queue('remove', 5)))).toEqual([
      'first',
      '',
      'and fix the typo',
      'done',
    ]);
  });

  it('14. a queued prompt in an attachment is stored once, and a fork that copies the attachment does not double it', async () => {
    const lines = turn(queue('enqueue', 2, 'and fix the typo'), queue('remove', 5), given('g1', 'and fix the typo', 5));
    expect(await texts(lines)).toEqual(['first', '', 'and fix the typo', 'done']);
    const bench = await workbench();
    bench.write(key, lines);
    bench.write(
      'p/s2.jsonl',
      lines.filter((line) => line.type !== 'queue-operation').map((line) => ({ ...line, sessionId: 's2' })),
    );
    await bench.ingest();
    expect(await bench.texts('s2')).toEqual(await bench.texts('s1'));
    expect((await bench.store.entries.counts()).entries).toBe(4);
    expect((await bench.store.entries.find('g1'))[0]).toMatchObject({ author: 'person', role: 'user', session: 's1' });
  });

  it('14. a queued prompt that the person withdrew was not said', async () => {
    expect(await texts(turn(queue('enqueue', 2, 'no wait'), queue('popAll', 3, 'no wait')))).not.toContain('no wait');
    expect(await texts(turn(queue('enqueue', 2, 'no'), queue('enqueue', 2.1, 'wait'), queue('popAll', 3)))).toEqual([
      'first',
      '',
      'done',
    ]);
    // Withdrawn, then sent after all, in other words.
    const changed = turn(queue('enqueue', 2, 'no wait'), queue('popAll', 3, 'no wait'), queue('enqueue', 4, 'go on'));
    expect(await texts([...changed, queue('remove', 8)])).toContain('go on');
  });

  it('14. a prompt that was still queued when the client ended was typed, and is stored', async () => {
    expect(await texts(turn(queue('enqueue', 2, 'also run the linter')))).toContain('also run the linter');
  });

  it('14. the same words typed again later are another prompt', async () => {
    const lines = [
      ...turn(queue('enqueue', 2, 'yes'), queue('remove', 3)),
      prompt('p2', 'yes', 30, { parentUuid: 'a2' }),
      answer('a3', 'ok', 31),
    ];
    expect(await texts(lines)).toEqual(['first', '', 'yes', 'done', 'yes', 'ok']);
  });

  it('14. several queued prompts, sent as one, are one prompt', async () => {
    const lines = [
      ...turn(queue('enqueue', 2, 'one\nmore'), queue('enqueue', 3, 'two')),
      queue('dequeue', 8),
      queue('dequeue', 8),
      prompt('p2', 'one\nmore\ntwo', 8, { parentUuid: 'a2' }),
    ];
    expect(await texts(lines)).toEqual(['first', '', 'done', 'one\nmore\ntwo']);
  });

  it('14. queued commands and shell lines are stored as typed, once', async () => {
    const command =
      '<command-message>copy</command-message>\n<command-name>/copy</command-name>\n<command-args>2</command-args>';
    const lines = [
      ...turn(queue('enqueue', 2, '/copy 2'), queue('enqueue', 3, 'git log')),
      queue('dequeue', 8),
      prompt('p2', command, 8, { parentUuid: 'a2' }),
      queue('dequeue', 9),
      prompt('p3', '<bash-input>git log</bash-input>', 9, { parentUuid: 'p2' }),
    ];
    expect(await texts(lines)).toEqual(['first', '', 'done', '/copy 2', '! git log']);
  });

  it('19. notes on background tasks are queued too, and are not prompts', async () => {
    const note = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>';
    const lines = turn(
      queue('enqueue', 2, note),
      queue('enqueue', 2, '{"task_id":"b2","description":"run the tests"}'),
      queue('enqueue', 3, [{ type: 'text', text: '<ide_opened_file>x.ts</ide_opened_file>' }]),
      queue('enqueue', 3, 'look at x'),
      queue('remove', 5),
      queue('remove', 5),
      given('g1', note, 5, { commandMode: 'task-notification' }),
      given('g2', [{ type: 'text', text: 'look at x' }], 5, { origin: { kind: 'human' } }),
    );
    expect(await texts(lines)).toEqual(['first', '', 'look at x', 'done']);
  });

  it('19. a private turn continues when something is queued in it, and a queued private prompt begins one', async () => {
    const inside = [
      prompt('p1', '<private>my own business</private>', 0, { cwd: '/w' }),
      answer('a1', 'secret work', 1),
      queue('enqueue', 2, 'quicker please'),
      queue('remove', 3),
      answer('a2', 'more secret work', 4),
      prompt('p2', 'now this', 5),
      answer('a3', 'ok', 6),
    ];
    expect(await texts(inside)).toEqual(['now this', 'ok']);
    const begun = turn(queue('enqueue', 2, '<private>the code is 4711</private>'), queue('remove', 3));
    expect(await texts([...begun, prompt('p2', 'now this', 8)])).toEqual(['first', '', 'now this']);
  });

  it('14. the queue of a subagent, and lines of any shape, are skipped', async () => {
    const odd: Json[] = [
      { type: 'queue-operation' },
      queue('enqueue', 2, 7),
      queue('enqueue', 2, ''),
      queue('remove', 3),
      queue('popAll', 3),
      { type: 'attachment', uuid: 'x1', attachment: { type: 'queued_command' } },
      { type: 'attachment', uuid: 'x2', attachment: 'queued_command' },
      { ...given('x3', 'side', 3), isSidechain: true },
    ];
    expect(await texts(turn(...odd))).toEqual(['first', '', 'done']);
  });
});

it('a fork that starts with its queue and then copies its history stores the prompt once', async () => {
  const lines = [
    queue('enqueue', 10, 'count the eiders'),
    queue('dequeue', 10),
    prompt('p1', 'count the gulls', 0, { cwd: '/w' }),
    answer('a1', 'eleven', 1),
    prompt('p2', 'count the puffins', 5, { cwd: '/w' }),
    answer('a2', 'four', 6),
    prompt('p3', 'count the eiders', 10.1, { cwd: '/w' }),
    answer('a3', 'none', 11),
  ];
  expect((await texts(lines)).filter((text) => text === 'count the eiders')).toHaveLength(1);
});

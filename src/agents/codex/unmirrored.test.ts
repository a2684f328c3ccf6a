import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workbench } from '../../../test/contracts/transcript-builder.ts';
import { codex } from './index.ts';

type Json = Record<string, unknown>;

const session = '01a0b3da-c522-7af2-8a6d-2e1aed53b269';
const line = (second: number, type: string, payload: Json): Json => ({
  timestamp: `2026-09-24T08:46:${String(second).padStart(2, '0')}.000Z`,
  type,
  payload,
});
const meta = line(0, 'session_meta', {
  id: session,
  cwd: '/p',
  cli_version: '0.159.3',
  source: 'cli',
  history_mode: 'paginated',
});
const turn = (second: number, turn_id: string) => line(second, 'event_msg', { type: 'task_started', turn_id });
const seen = (second: number, id: string, kinds: readonly string[], content: readonly Json[]) =>
  line(second, 'response_item', {
    ...{ type: 'message', id, role: 'user', content },
    internal_chat_message_metadata_passthrough: { content_item_kinds: kinds },
  });
const text = (said: string) => ({ type: 'input_text', text: said });
const picture = { type: 'input_image', image_url: 'data:image/png;base64,iVBOR' };
const withPicture = (second: number, id: string, said: string) =>
  seen(
    second,
    id,
    ['user.text', 'user.image', 'user.text', 'user.text'],
    [text('<image name=[Image #1] path="/tmp/a.png">'), picture, text('</image>'), text(`[Image #1] ${said}`)],
  );
const event = (second: number, content: readonly Json[]) =>
  line(second, 'event_msg', { type: 'item_completed', item: { type: 'UserMessage', id: `i${second}`, content } });
const answer = (second: number, said: string) =>
  line(second, 'response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] });

async function told(...lines: readonly Json[]): Promise<string[]> {
  const bench = await workbench();
  const file = path.join(
    bench.config.watchPath(codex),
    'sessions/2026/09/24',
    `rollout-2026-09-24T08-46-00-${session}.jsonl`,
  );
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
  expect(await bench.ingest()).toMatchObject({ problems: [] });
  const entries = await bench.store.entries.transcript('codex', session);
  return entries.map(({ author, text: said, form }) => `${author}${form === undefined ? '' : ` ${form}`}: ${said}`);
}

it('a prompt with a picture counts once, whether an event reports it or not', async () => {
  const lines = [
    ...[meta, turn(1, 'a'), withPicture(2, 'm1', 'what is this'), answer(3, 'A map.')],
    ...[turn(4, 'b'), withPicture(5, 'm2', 'and this')],
    event(6, [
      { type: 'local_image', path: '/tmp/a.png' },
      { type: 'text', text: 'and this\n\n[Image #1]' },
    ]),
    answer(7, 'A tide table.'),
  ];
  expect(await told(...lines)).toEqual([
    'person: [Image #1] what is this\n[Image]',
    'model: A map.',
    'person: and this\n\n[Image #1]\n[Image: a.png]',
    'model: A tide table.',
  ]);
});

it('an answer to a question of the model counts once, in words', async () => {
  const reply = '<send_user_message_question_reply>\n[{"answer":"4711","question":"Which port?"}]';
  const lines = [
    ...[meta, turn(1, 'a'), event(2, [{ type: 'text', text: 'set it up' }]), answer(3, 'I ask.')],
    ...[seen(4, 'm1', ['user.text'], [text(reply)]), answer(5, 'Done.')],
    ...[seen(6, 'm2', ['user.text'], [text(reply)]), event(7, [{ type: 'text', text: reply }]), answer(8, 'Again.')],
  ];
  expect(await told(...lines)).toEqual([
    'person: set it up',
    'model: I ask.',
    'person choice: Which port?\n→ 4711',
    'model: Done.',
    'person choice: Which port?\n→ 4711',
    'model: Again.',
  ]);
});

it('what the client adds does not count as a prompt', async () => {
  const lines = [
    ...[meta, turn(1, 'a')],
    seen(
      1,
      'm0',
      ['agents_md.instructions', 'environments.environment_context'],
      [text('# AGENTS.md instructions'), text('x')],
    ),
    seen(2, 'm1', ['unknown'], [text('<hook_prompt hook_run_id="stop:2">go on</hook_prompt>'), picture]),
    ...[event(3, [{ type: 'text', text: 'set it up' }]), answer(4, 'Done.')],
  ];
  expect(await told(...lines)).toEqual(['person: set it up', 'model: Done.']);
});

describe('answers to questions that a tool asked', () => {
  const item = (payload: object) => ({ timestamp: '2026-03-01T10:00:00.000Z', type: 'response_item', payload });
  const asks = (name: string) => item({ type: 'function_call', name, call_id: 'q1', arguments: '{"questions":[]}' });
  const output = (answers: unknown) =>
    item({ type: 'function_call_output', call_id: 'q1', output: JSON.stringify({ answers }) });
  const replies = (...lines: readonly unknown[]) => {
    const file = { key: 'rollout-2026-03-01T10-00-00-t1.jsonl', state: {} };
    return lines
      .flatMap((line) => codex.read(line, file).items)
      .flatMap((one) => (one.kind === 'entry' && one.role === 'user' ? [one] : []));
  };

  it('are the person\u2019s, as a choice that does not end the turn', () => {
    const answers = {
      where_to_store: { answers: ['In a file', 'user_note: next to the config'] },
      when: { answers: [] },
    };
    expect(replies(asks('request_user_input'), output(answers))).toMatchObject([
      {
        author: 'person',
        form: 'choice',
        queued: 'given',
        text: 'where to store\n\u2192 In a file, next to the config',
      },
    ]);
  });

  it('are missing if the tool could not ask, which is a failure', () => {
    const read = codex.read(
      item({
        type: 'function_call_output',
        call_id: 'q1',
        output: 'request_user_input is unavailable in Default mode',
      }),
      { key: 'rollout-2026-03-01T10-00-00-t1.jsonl', state: {} },
    );
    expect(read.items).toMatchObject([{ kind: 'tool-result', failed: true }]);
  });

  it('are those of this tool alone, and not what it says when it cannot ask', () => {
    expect(replies(asks('read_file'), output({ a: { answers: ['x'] } }))).toEqual([]);
    for (const odd of [{}, null, [], 'x', { a: { answers: [] } }, { a: 1 }])
      expect(replies(asks('request_user_input'), output(odd))).toEqual([]);
  });
});

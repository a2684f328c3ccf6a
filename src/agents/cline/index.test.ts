// What Cline 3.0.65 wrote, counted by hand; and tasks of the older extension and of Roo, written from descriptions
// (untried).
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pulledAgent } from '../../../test/pulled-agent.ts';
import { roo } from '../roo/index.ts';
import { cline } from './index.ts';

const id = '1794789765794_td2xx';
const fixture = path.join(import.meta.dirname, 'fixtures/3.0.65/sessions');

describe('Cline 3.0.65', () => {
  it('gives its prompt, answers and tool uses', async () => {
    const { root, ingest, said, outcomes, session } = await pulledAgent(cline);
    fs.cpSync(fixture, path.join(root, 'sessions'), { recursive: true });
    expect(await ingest()).toMatchObject({ files: { imported: 1, failed: 0 }, problems: [] });
    expect(await said(id)).toEqual([
      'user person: Which port do the notes name?',
      'assistant model: I will read the file first.',
      'assistant model: used run_commands',
      'assistant model: The notes say that the port is 4711. The file missing.txt does not exist.',
    ]);
    expect(await outcomes(id)).toEqual(['run_commands ok', 'run_commands error']);
    expect(await session(id)).toMatchObject({
      cwd: '/home/dev/proj',
      title: 'Which port do the notes name?',
      branch: 'main',
      toolUses: 2,
    });
  });

  it('keeps what a rewrite leaves out, and takes each message once', async () => {
    const { root, ingest, said } = await pulledAgent(cline);
    fs.cpSync(fixture, path.join(root, 'sessions'), { recursive: true });
    await ingest();
    const file = path.join(root, 'sessions', id, `${id}.messages.json`);
    const whole = JSON.parse(fs.readFileSync(file, 'utf8'));
    const prompt = {
      id: 'n1',
      role: 'user',
      content: [{ type: 'text', text: '<user_input mode="act">Go on</user_input>' }],
    };
    whole.messages = [...whole.messages.slice(4), { ...prompt, ts: 1794789800000 }];
    fs.writeFileSync(file, JSON.stringify(whole));
    expect(await ingest()).toMatchObject({ entries: { added: 1 } });
    expect(await said(id)).toHaveLength(5);
    expect((await said(id)).at(-1)).toBe('user person: Go on');
  });

  it('waits for JSON that is half written', async () => {
    const { root, ingest, said } = await pulledAgent(cline);
    fs.cpSync(fixture, path.join(root, 'sessions'), { recursive: true });
    const file = path.join(root, 'sessions', id, `${id}.messages.json`);
    const whole = fs.readFileSync(file);
    fs.writeFileSync(file, whole.subarray(0, 3000));
    expect(await ingest()).toMatchObject({ entries: { added: 0 }, problems: [] });
    fs.writeFileSync(file, whole);
    await ingest();
    expect(await said(id)).toHaveLength(4);
  });
});

const details =
  '<environment_details>\n# Current Working Directory (/home/dev/proj) Files\nnotes.txt\n</environment_details>';
const task = [
  {
    role: 'user',
    content: [
      { type: 'text', text: '<task>\nWhich port?\n</task>' },
      { type: 'text', text: details },
    ],
    ts: 1760000000000,
  },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't1', name: 'execute_command', input: { command: 'cat x' } }],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 't1', content: 'Command executed. Exit code: 1\nno such file' },
      { type: 'text', text: '[ERROR] You did not use a tool' },
      { type: 'text', text: '<feedback>\nLook in notes.txt\n</feedback>' },
    ],
  },
  { role: 'assistant', content: 'It is 4711.' },
];

it.each([
  ['Cline, older extension', cline, '1760000000000'],
  ['Roo', roo, '0f3c2a11-57c4-4f6a-9a53-6b1f1f0c1a01'],
] as const)('a task of %s gives only the words of the person', async (_, agent, name) => {
  const { put, ingest, said, outcomes, session } = await pulledAgent(agent);
  put(`tasks/${name}/api_conversation_history.json`, task);
  put(`tasks/${name}/ui_messages.json`, []);
  expect(await ingest()).toMatchObject({ files: { imported: 1, failed: 0 }, problems: [] });
  expect(await said(name)).toEqual([
    'user person: Which port?',
    'assistant model: used execute_command',
    'user person: Look in notes.txt',
    'assistant model: It is 4711.',
  ]);
  expect(await outcomes(name)).toEqual(['execute_command error']);
  expect(await session(name)).toMatchObject({ agent: agent.name, cwd: '/home/dev/proj' });
});

describe('a task in which the model wrote its calls as text', () => {
  const text = (...texts: string[]) => texts.map((one) => ({ type: 'text', text: one }));
  const messages = [
    {
      role: 'user',
      content: text(
        '<task>\nMake it blue\n</task>\n\n<file_content path="a.xml">\n<answer>42</answer>\n</file_content>',
        details,
      ),
    },
    {
      role: 'assistant',
      content: text('<thinking>hm</thinking>I look first.\n\n<read_file>\n<path>a.html</path>\n</read_file>'),
    },
    { role: 'user', content: text("[read_file for 'a.html'] Result:", '<task>not the person</task>', details) },
    {
      role: 'assistant',
      content:
        '<write_to_file>\n<path>a.html</path>\n<content>\n<p>\n<content>x</content>\n</p>\n</content>\n</write_to_file>',
    },
    {
      role: 'user',
      content: text(
        "[write_to_file for 'a.html'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\nUse CSS\n</feedback>",
        details,
      ),
    },
    { role: 'assistant', content: '<execute_command>\n<command>npm test</command>\n</execute_command>' },
    { role: 'user', content: text("[execute_command for 'npm test'] Result:\nCommand executed.\nExit code: 1\nno") },
    { role: 'assistant', content: '<attempt_completion>\n<result>\nIt is blue.\n</result>\n</attempt_completion>' },
    { role: 'user', content: text('[attempt_completion] Result:\n<feedback>\nNow green\n</feedback>', details) },
    { role: 'assistant', content: 'In HTML <p> is a paragraph, and x < y.' },
  ];

  it.each([
    ['Cline', cline, '1760000000001'],
    ['Roo', roo, '0f3c2a11-57c4-4f6a-9a53-6b1f1f0c1a02'],
  ] as const)('has calls with outcomes, and only the words of the person: %s', async (_, agent, name) => {
    const { put, ingest, said, outcomes } = await pulledAgent(agent);
    put(`tasks/${name}/api_conversation_history.json`, messages);
    await ingest();
    expect(await said(name)).toEqual([
      'user person: Make it blue',
      'assistant model: I look first.',
      'assistant model: used write_to_file',
      'user person: Use CSS',
      'assistant model: used execute_command',
      'assistant model: It is blue.',
      'user person: Now green',
      'assistant model: In HTML <p> is a paragraph, and x < y.',
    ]);
    expect(await outcomes(name)).toEqual([
      'read_file ok',
      'write_to_file error',
      'execute_command error',
      'attempt_completion ok',
    ]);
  });

  it('native calls: the person’s replies in results are prompts, the final answer is an answer', async () => {
    const { put, ingest, said } = await pulledAgent(cline);
    const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
    const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content });
    put('tasks/1760000000002/api_conversation_history.json', [
      { role: 'user', content: text('<task>\nMake it blue\n</task>') },
      { role: 'assistant', content: [call('a', 'ask_followup_question', { question: 'Which blue?' })] },
      { role: 'user', content: [result('a', '<answer>\nnavy\n</answer>')] },
      { role: 'assistant', content: [call('b', 'attempt_completion', { result: 'It is navy.' })] },
      {
        role: 'user',
        content: [
          result('b', text('The user has provided feedback on the results.\n<feedback>\nNow green\n</feedback>')),
        ],
      },
    ]);
    await ingest();
    expect(await said('1760000000002')).toEqual([
      'user person: Make it blue',
      'assistant model: Which blue?',
      'user person: navy',
      'assistant model: It is navy.',
      'user person: Now green',
    ]);
  });

  it('is read in time proportional to its length', () => {
    const read = (content: string, role: string) =>
      cline.read(
        { type: 'message', id: 'u', message: { role, content } },
        { key: 'a.jsonl', state: { open: 'u#0=read_file' } },
      );
    for (const part of [
      '<read_file>',
      '<path>',
      '</path>',
      '<read_file><path>',
      '[read_file',
      '<content>',
      '<thinking>',
    ])
      for (const role of ['user', 'assistant'])
        expect(read(part.repeat(30_000), role).items.length).toBeLessThan(40_000);
  });
});

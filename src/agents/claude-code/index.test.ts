import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ParsedEntry, ParsedItem } from '../agent.ts';
import { claudeCode } from './index.ts';

const read = (line: unknown, key = 'p/s1.jsonl') => claudeCode.read(line, { key, state: {} });
const entryOf = (line: unknown, key?: string): ParsedEntry | undefined =>
  read(line, key).items.find((item) => item.kind === 'entry');
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  uuid: 'u',
  message: { role: 'user', content },
  ...more,
});
const assistant = (content: unknown, more: object = {}) => ({
  type: 'assistant',
  uuid: 'a',
  message: { role: 'assistant', model: 'm', content },
  ...more,
});

describe('places', () => {
  it('keeps transcripts below the home folder, or where CLAUDE_CONFIG_DIR says', () => {
    expect(claudeCode.root({}, '/home/x')).toBe('/home/x/.claude/projects');
    expect(claudeCode.root({ CLAUDE_CONFIG_DIR: '/etc/claude' }, '/home/x')).toBe('/etc/claude/projects');
    expect(claudeCode.root({ CLAUDE_CONFIG_DIR: '' }, '/home/x')).toBe('/home/x/.claude/projects');
  });

  it('names the session and the subagent by the path', () => {
    expect(claudeCode.describe('-w-tide/1234.jsonl')).toEqual({ session: '1234' });
    expect(claudeCode.describe('-w-tide/1234/subagents/agent-a1.jsonl')).toEqual({ session: '1234', subagent: 'a1' });
    expect(claudeCode.describe('-w-tide/agent-a1.jsonl')).toEqual({ session: 'agent-a1', subagent: 'a1' });
  });

  it('recognises only JSON lines as transcripts', () => {
    expect(['p/s.jsonl', 'p/s.meta.json', 'p/s.jsonl.bak', 'jsonl'].map(claudeCode.isTranscript)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('resumes a session by its id', () => {
    expect(claudeCode.resume('1234')).toEqual(['claude', '--resume', '1234']);
  });
});

describe('prompts', () => {
  it('carry what the line says about itself', () => {
    const more = { sessionId: 's', cwd: '/w', parentUuid: 'p', timestamp: '2026-03-02T09:00:00Z' };
    expect(entryOf(user('hello', more))).toEqual({
      kind: 'entry',
      uuid: 'u',
      session: 's',
      role: 'user',
      author: 'person',
      at: Date.parse('2026-03-02T09:00:00Z'),
      cwd: '/w',
      text: 'hello',
      toolUses: [],
      continues: 'p',
    });
  });

  it('are joined from their blocks, with names for pictures', () => {
    const blocks = [
      { type: 'text', text: 'look' },
      { type: 'image', source: { data: 'AAAA' } },
      { type: 'text', text: 'here' },
    ];
    expect(entryOf(user(blocks))?.text).toBe('look\nhere\n[Image]');
    expect(entryOf(user([{ type: 'image', source: { media_type: 'image/png' } }]))).toMatchObject({
      text: '[Image: image/png]',
      author: 'person',
    });
    const named = [{ type: 'text', text: 'see [Image #1]' }, { type: 'image' }];
    expect(entryOf(user(named))?.text).toBe('see [Image #1]');
    expect(entryOf(user([{ type: 'document', title: 'plan.pdf' }]))?.text).toBe('[Document: plan.pdf]');
  });

  it('lose what the client put into them, even without a closing tag', () => {
    const clean = (text: string) => entryOf(user(text))?.text;
    expect(clean('<system-reminder>a</system-reminder>fix<ide_selection>b</ide_selection> it')).toBe('fix it');
    expect(clean('<system-reminder>a</system-reminder><system-reminder>b</system-reminder>c')).toBe('c');
    expect(clean('never <system-reminder> closed')).toBe('never <system-reminder> closed');
    expect(entryOf(user('<system-reminder>only</system-reminder>'))).toMatchObject({
      author: 'machine',
      text: '<system-reminder>only</system-reminder>',
    });
  });

  it('read as they were typed', () => {
    const command =
      '<command-message>init</command-message><command-name>/init</command-name><command-args>now</command-args>';
    expect(entryOf(user(command))).toMatchObject({ text: '/init now', author: 'person' });
    const bare = '<command-name>clear</command-name>\n  <command-message>clear</command-message>';
    expect(entryOf(user(bare))).toMatchObject({ text: '/clear', author: 'person', form: 'command' });
    expect(entryOf(user('<bash-input>ls -la</bash-input>'))).toMatchObject({ text: '! ls -la', author: 'person' });
    expect(entryOf(user('what does <command-name>/x</command-name> do?'))?.text).toContain('<command-name>');
  });

  it("in a subagent's file are the machine's", () => {
    const line = user('find it', { isSidechain: true });
    expect(entryOf(line)).toBeUndefined();
    expect(entryOf(line, 'p/s1/subagents/agent-x.jsonl')).toMatchObject({ author: 'machine', text: 'find it' });
  });

  it('read without the mark of a note for the memory', () =>
    expect(entryOf(user('<user-memory-input>tabs, not spaces</user-memory-input>'))).toMatchObject({
      text: '# tabs, not spaces',
      author: 'person',
    }));

  it('are not what the client says about tasks in the background and unknown commands', () => {
    const clients = [
      '<bash-notification>\n<shell-id>b1</shell-id>\n</bash-notification>',
      '<agent-notification>\n<agent-id>a1</agent-id>\n</agent-notification>',
      'Unknown slash command: nonexistent',
      'Unknown skill: nonexistent',
    ];
    for (const text of clients) expect(entryOf(user(text)), text).toMatchObject({ author: 'machine', text });
    const asked = 'Unknown skill: nonexistent. What does that mean?';
    expect(entryOf(user(asked))).toMatchObject({ author: 'person', text: asked });
  });

  // Quadratic time would never end here.
  it('are read to their end, however many tags they open', () => {
    expect(entryOf(user('<system-reminder>'.repeat(300_000)))).not.toBeNull();
    expect(entryOf(user(`<command-name>${'<command-args>'.repeat(300_000)}`))).not.toBeNull();
  });
});

describe('answers', () => {
  it('name each tool once, and thinking not at all', () => {
    const use = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });
    const entry = entryOf(
      assistant([
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Done.' },
        use('1', 'Read', { file_path: '/a' }),
        use('2', 'Read', { path: '/b', notebook_path: '/c.ipynb' }),
        use('3', 'Bash'),
      ]),
    );
    expect(entry?.text).toBe('Done.');
    expect(entry?.toolUses.map(({ id, tool, files }) => [id, tool, files])).toEqual([
      ['1', 'Read', ['/a']],
      ['2', 'Read', ['/c.ipynb', '/b']],
      ['3', 'Bash', []],
    ]);
    expect(entry?.continues).toBeUndefined();
  });

  it("that the client invented are the machine's", () => {
    expect(entryOf(assistant('Prompt is too long', { isApiErrorMessage: true }))?.author).toBe('machine');
    expect(entryOf(assistant('x', { message: { model: '<synthetic>', content: 'x' } }))?.author).toBe('machine');
    expect(entryOf(assistant('x'))?.author).toBe('model');
  });
});

describe('a subagent that the client starts ahead of time', () => {
  const readAll = (...lines: readonly unknown[]) => {
    const file = { key: 'p/agent-w1.jsonl', state: {} };
    return lines.flatMap((line) => claudeCode.read(line, file).items);
  };
  const own = { isSidechain: true, sessionId: 's9' };
  const [begins, answers] = [
    user('Warmup', { ...own, parentUuid: null }),
    assistant('Ready.', { ...own, parentUuid: 'u' }),
  ];

  it('yields nothing, neither its prompt nor its answers', () => {
    expect(readAll(begins, answers, user('x', { ...own, parentUuid: 'a' }))).toEqual([]);
    // Some versions wrote the answer alone.
    expect(readAll({ ...answers, parentUuid: null, version: '2.0.60' })).toEqual([]);
  });

  it('is judged by lines of any form', () => {
    for (const version of [{ toString: 1 }, null, 2, []])
      expect(() => readAll({ ...answers, parentUuid: null, version })).not.toThrow();
  });

  it('differs from one that was asked for something', () => {
    const asked = user('Warmup of the cache: where is it?', { ...own, parentUuid: null });
    expect(readAll(asked, answers, user('Warmup', { ...own, parentUuid: null }))).toHaveLength(3);
    expect(readAll({ ...answers, parentUuid: null, version: '2.1.20' })).toHaveLength(1);
    expect(read(user('Warmup', { parentUuid: null })).items).toMatchObject([{ author: 'person', text: 'Warmup' }]);
  });
});

describe('other lines', () => {
  it('tool results are kept beside the prompt that carries them', () => {
    const result = { type: 'tool_result', tool_use_id: 't', is_error: true, content: [{ type: 'text', text: 'no' }] };
    expect(read(user([result, { type: 'text', text: 'try again' }])).items).toMatchObject([
      { kind: 'tool-result', id: 't', failed: true, output: 'no' },
      { kind: 'entry', text: 'try again' },
    ]);
  });

  it('titles come from the lines that give them', () => {
    expect(read({ type: 'custom-title', customTitle: 'Mine', sessionId: 's' }).items).toEqual([
      { kind: 'title', title: 'Mine', by: 'person' },
    ]);
    expect(read({ type: 'ai-title', aiTitle: 'Its' }).items).toEqual([{ kind: 'title', title: 'Its', by: 'agent' }]);
    expect(read({ type: 'summary', summary: 'old', customTitle: 'no' }).items).toEqual([]);
    expect(read({ type: 'summary', summary: 'About tides', leafUuid: 'l' }).items).toEqual([
      { kind: 'title', title: 'About tides', by: 'agent', leaf: 'l' },
    ]);
    // The client asked its model for a summary and got an error.
    for (const summary of [
      'Invalid API key · Please run /login',
      'API Error: 500 {"type":"error"}',
      'Credit balance is too low',
    ])
      expect(read({ type: 'summary', summary, leafUuid: 'l' }).items, summary).toEqual([]);
  });

  it('date the transcript even when they yield nothing', () => {
    expect(read({ type: 'system', timestamp: '2026-03-02T09:00:00Z' })).toEqual({
      at: Date.parse('2026-03-02T09:00:00Z'),
      items: [],
    });
  });

  it('that are skipped without parsing would yield nothing', () => {
    const lines: object[] = [
      { type: 'system', content: 'x', customTitle: 'no' },
      { type: 'progress', data: { message: { type: 'other' } }, aiTitle: 'no' },
      { type: 'file-history-snapshot', messageId: 'm' },
      user('kept'),
      assistant('kept'),
      { type: 'custom-title', customTitle: 'kept' },
      { type: 'ai-title', aiTitle: 'kept' },
    ];
    for (const line of lines) expectJudgedWell(line);
  });
});

describe('junk', () => {
  const junk: unknown[] = [
    null,
    true,
    0,
    -1,
    Number.MAX_VALUE,
    '',
    'x',
    [],
    [null],
    {},
    { a: 1 },
    [[{ type: 'text' }]],
    { type: 'text', text: 7 },
  ];

  it('of any kind in any place yields no exception and only well-formed items', () => {
    const fields = [
      'type',
      'uuid',
      'sessionId',
      'parentUuid',
      'timestamp',
      'message',
      'isMeta',
      'isSidechain',
      'cwd',
      'origin',
      'promptSource',
      'customTitle',
    ];
    for (const kind of ['user', 'assistant', 'custom-title', 'system']) {
      for (const field of fields)
        for (const value of junk)
          for (const content of ['text', [{ type: 'text', text: 'x' }, value], value])
            wellFormed(read({ type: kind, uuid: 'u', message: { role: kind, content }, [field]: value }).items);
    }
    for (const value of junk) {
      expect(read(value).items).toEqual([]);
      wellFormed(read(assistant([{ type: 'tool_use', id: value, name: value, input: value }])).items);
      wellFormed(read(user([{ type: 'tool_result', tool_use_id: value, content: value, is_error: value }])).items);
      expect(claudeCode.recognises([value])).toBe(false);
    }
  });

  it('in dates is not a date', () => {
    for (const timestamp of ['yesterday', '', 1e300, Number.NaN, {}, '+999999-01-01T00:00:00Z'])
      expect(entryOf(user('x', { timestamp }))?.at).toBeUndefined();
  });
});

const archive = path.join(import.meta.dirname, '../../../../shared/bench/real-transcripts.tar.gz');
describe.skipIf(!existsSync(archive))('real transcripts', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-real-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are read without an exception, and skipping agrees with reading', () => {
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    const keys = (readdirSync(folder, { recursive: true }) as string[]).filter(
      (key) => key.includes('claude-code') && key.endsWith('.jsonl'),
    );
    let entries = 0;
    for (const key of keys) {
      for (const text of readFileSync(path.join(folder, key), 'utf8').split('\n')) {
        if (text === '') continue;
        const { items } = read(JSON.parse(text), key);
        wellFormed(items);
        expectJudgedWell(JSON.parse(text), key, Buffer.from(text));
        entries += items.filter((item) => item.kind === 'entry').length;
      }
    }
    expect(keys.length).toBeGreaterThan(10);
    expect(entries).toBeGreaterThan(500);
  });
});

/** A line that is left unparsed must be one that would have yielded nothing. */
function expectJudgedWell(line: object, key?: string, bytes = Buffer.from(JSON.stringify(line))): void {
  if (claudeCode.cannotMatter(bytes)) expect(read(line, key).items).toEqual([]);
}

function wellFormed(items: readonly ParsedItem[]): void {
  for (const item of items) {
    if (item.kind === 'entry') {
      expect(typeof item.uuid === 'string' && item.uuid !== '' && (item.text !== '' || item.toolUses.length > 0)).toBe(
        true,
      );
      expect(item.at === undefined || Number.isSafeInteger(item.at)).toBe(true);
      for (const use of item.toolUses) expect([typeof use.id, typeof use.tool]).toEqual(['string', 'string']);
    } else if (item.kind === 'tool-result') expect([typeof item.id, typeof item.output]).toEqual(['string', 'string']);
    else if (item.kind === 'title') expect(item.title).not.toBe('');
  }
}

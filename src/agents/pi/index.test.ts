import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentState, ParsedEntry, ParsedItem, ParsedToolResult } from '../agent.ts';
import { pi } from './index.ts';

const root = path.join(import.meta.dirname, '../../..');
const fixtures = path.join(import.meta.dirname, 'fixtures/--home-dev-tide--');
const v1 = '0d9f6c1e-57c4-4f6a-9a53-6b1f1f0c1a01';
const v1Branch = '0d9f6c1e-57c4-4f6a-9a53-6b1f1f0c1a02';
const v3 = '019c3a10-0000-7000-8000-00000000c001';
const v3Fork = '019c3a10-0000-7000-8000-00000000d001';

function linesOf(session: string): unknown[] {
  const name = readdirSync(fixtures).find((file) => file.includes(session)) ?? '';
  return readFileSync(path.join(fixtures, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Reads lines one by one; the state passes through JSON between any two, as it does between two passes. */
function readAll(lines: readonly unknown[], key = 'x.jsonl'): ParsedItem[] {
  let state: AgentState = {};
  return lines.flatMap((line) => {
    const { items } = pi.read(line, { key, state });
    state = JSON.parse(JSON.stringify(state));
    return items;
  });
}

const entriesOf = (items: readonly ParsedItem[]) => items.filter((item): item is ParsedEntry => item.kind === 'entry');
const resultsOf = (items: readonly ParsedItem[]) =>
  items.filter((item): item is ParsedToolResult => item.kind === 'tool-result');
const uuids = (session: string) => entriesOf(readAll(linesOf(session))).map((entry) => entry.uuid);

describe('version 1', () => {
  it('gives text and tool names, without thinking and tool output', () => {
    const entries = entriesOf(readAll(linesOf(v1)));
    expect(entries.map((entry) => `${entry.role}: ${entry.text}`)).toEqual([
      'user: why is the tide table off by one hour?',
      'assistant: Let me look at the parser.',
      'assistant: The offset is a constant; daylight saving is ignored.',
      'user: fix it',
      'assistant: Fixed: the offset comes from the zone now.',
    ]);
    expect(entries.every((entry) => entry.session === v1)).toBe(true);
    expect(readAll(linesOf(v1))).toContainEqual({ kind: 'header', session: v1, cwd: '/home/dev/tide' });
    expect(entries[0]?.at).toBe(Date.parse('2026-03-02T09:00:01.000Z'));
    expect(new Set(uuids(v1)).size).toBe(5);
    expect(uuids(v1)).toEqual(uuids(v1));
  });

  it('a branch does not double its history', () => {
    const [origin, branch] = [uuids(v1), uuids(v1Branch)];
    expect(branch.slice(0, 3)).toEqual(origin.slice(0, 3));
    expect(branch.slice(3).some((uuid) => origin.includes(uuid))).toBe(false);
  });

  it('a compaction has no id, and keeps the ids of the other lines and of its copy in a branch', () => {
    const summary = { type: 'compaction', timestamp: '2026-03-02T09:00:30.000Z', summary: 'The zone sets the offset.' };
    const compacted = (session: string, place: number) =>
      entriesOf(readAll([...linesOf(session).slice(0, place), summary, ...linesOf(session).slice(place)]));
    const [origin, branch] = [compacted(v1, 3), compacted(v1Branch, 3)];
    const made = (entries: readonly ParsedEntry[]) => entries.find(({ form }) => form === 'compaction');
    expect(made(origin)).toMatchObject({ author: 'machine', text: summary.summary });
    expect(made(branch)?.uuid).toBe(made(origin)?.uuid);
    expect(origin.filter(({ form }) => form === undefined).map(({ uuid }) => uuid)).toEqual(uuids(v1));
  });

  it('a tool result finds the call that asked for it, in a branch too', () => {
    for (const session of [v1, v1Branch]) {
      const items = readAll(linesOf(session));
      const use = entriesOf(items)[1]?.toolUses[0];
      expect(use).toMatchObject({ tool: 'read', files: ['src/tide.ts'] });
      expect(resultsOf(items)).toEqual([
        { kind: 'tool-result', id: use?.id, failed: false, output: 'export const offset = 3600;' },
      ]);
    }
  });
});

describe('version 3', () => {
  const items = readAll(linesOf(v3));
  const entries = entriesOf(items);
  const entryWith = (text: string) => entries.find((entry) => entry.text.includes(text));

  it('says where an entry continues from when that is not the line before', () => {
    const jumps = entries.filter((entry) => entry.continues !== undefined);
    expect(jumps.map((entry) => [entry.text, entry.continues])).toEqual([
      ['an emoji is enough', 'a0000008'],
      ['add the sunrise to the harbour page', v3],
    ]);
  });

  it('separates tool calls whose ids the provider repeats', () => {
    const ids = entries.flatMap((entry) => entry.toolUses.map((use) => use.id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(resultsOf(items).map((result) => result.id)).toEqual(ids);
    expect(resultsOf(items).map((result) => result.failed)).toEqual([false, true, false, false]);
  });

  it('stores a command that a person ran, unless they kept it from the model', () => {
    expect(entryWith('!npm test')).toMatchObject({ role: 'user', author: 'person' });
    expect(JSON.stringify(items)).not.toContain('SECRET');
  });

  it('distinguishes people from extensions, and leaves out summaries of branches and hidden state', () => {
    expect(entryWith('CI: the build is green')?.author).toBe('machine');
    expect(entryWith('draw it')?.author).toBe('person');
    expect(entryWith('Drawn as')?.author).toBe('model');
    expect(JSON.stringify(items)).not.toMatch(/hidden state|Tried an SVG/);
  });

  it('a compaction is a summary by the machine, and moves no branch', () => {
    expect(entryWith('got a moon')).toMatchObject({ author: 'machine', form: 'compaction', role: 'assistant' });
    expect(entryWith('got a moon')?.continues).toBeUndefined();
  });

  it('takes the name that a person gave to the session', () => {
    expect(items).toContainEqual({ kind: 'title', title: 'Moon phase on the harbour page', by: 'person' });
  });

  it('a fork does not double its history', () => {
    const fork = uuids(v3Fork);
    expect(fork.filter((uuid) => uuids(v3).includes(uuid))).toHaveLength(4);
    expect(new Set(fork).size).toBe(6);
    expect(entriesOf(readAll(linesOf(v3Fork))).some((entry) => entry.continues !== undefined)).toBe(false);
  });

  it('equal short ids in unrelated sessions stay separate', () => {
    const at = (timestamp: string) =>
      entriesOf(
        readAll([{ type: 'message', id: 'aa', parentId: null, timestamp, message: { role: 'user', content: 'x' } }]),
      )[0]?.uuid;
    expect(at('2026-01-01T00:00:00.000Z')).not.toBe(at('2026-01-01T00:00:00.001Z'));
  });
});

describe('the file', () => {
  it('is recognised by its header, and names its session', () => {
    expect(pi.recognises(linesOf(v1))).toBe(true);
    expect(pi.recognises(linesOf(v3))).toBe(true);
    for (const other of [[], [null], [[]], [{ type: 'session' }], [{ type: 'user', id: 'x', cwd: '/' }]])
      expect(pi.recognises(other)).toBe(false);
    expect(pi.describe(`--home-dev--/2026-04-11T14-00-00-000Z_${v3}.jsonl`)).toEqual({ session: v3 });
    expect(pi.describe('large-session.jsonl')).toEqual({ session: 'large-session' });
  });

  it('is where pi puts it', () => {
    expect(pi.root({}, '/home/dev')).toBe('/home/dev/.pi/agent/sessions');
    expect(pi.root({ PI_CODING_AGENT_DIR: '~/agent' }, '/home/dev')).toBe('/home/dev/agent/sessions');
    expect(pi.root({ PI_CODING_AGENT_SESSION_DIR: '/s', PI_CODING_AGENT_DIR: '/a' }, '/home/dev')).toBe('/s');
  });

  it('a skipped line would have yielded nothing and moved no branch', () => {
    for (const session of [v1, v1Branch, v3, v3Fork]) {
      const lines = linesOf(session);
      const kept = lines.filter((line) => !pi.cannotMatter(Buffer.from(JSON.stringify(line))));
      expect(readAll(kept)).toEqual(readAll(lines));
    }
    expect(pi.cannotMatter(Buffer.from('{"type":"label","timestamp":"","label":"…"}'))).toBe(true);
  });

  it('any JSON value can be read', () => {
    const junk: unknown[] = [
      null,
      true,
      0,
      Number.NEGATIVE_INFINITY,
      '',
      'x',
      [],
      {},
      [[]],
      { type: null },
      { id: {} },
      { role: 'user' },
    ];
    const types = ['session', 'message', 'session_info', 'custom_message', 'compaction', 'branch_summary', 'label', ''];
    const roles = ['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'hookMessage', 'nobody'];
    for (const a of junk)
      for (const b of junk) {
        const state: AgentState = {};
        const read = (value: unknown) => expect(() => pi.read(value, { key: 'k', state })).not.toThrow();
        read(a);
        for (const type of types)
          read({ type, id: a, parentId: b, timestamp: a, name: b, cwd: a, branchedFrom: b, message: b, content: a });
        for (const role of roles) {
          const block = { type: 'toolCall', id: a, name: b, arguments: a, text: b };
          const message = {
            role,
            content: [a, block, { type: 'text', text: b }],
            toolCallId: a,
            command: b,
            output: a,
          };
          read({ type: 'message', message });
          read({ type: 'message', id: a, parentId: b, message: { ...message, content: b, timestamp: a } });
        }
      }
  });
});

const samples = path.join(root, '../shared/bench/real-transcripts.tar.gz');

describe.runIf(existsSync(samples))('real sessions', () => {
  it.each(['before-compaction', 'large-session'])('%s: every prompt and answer becomes one entry', (name) => {
    const unpack = ['-xzOf', samples, `real-transcripts/pi/${name}.jsonl`];
    const lines = execFileSync('tar', unpack, { encoding: 'utf8', maxBuffer: 2 ** 28 })
      .trim()
      .split('\n');
    const items = readAll(lines.map((line) => JSON.parse(line)));
    const entries = entriesOf(items);
    expect(entries.length).toBeGreaterThan(400);
    expect(new Set(entries.map((entry) => entry.uuid)).size).toBe(entries.length);
    const asked = new Set(entries.flatMap((entry) => entry.toolUses.map((use) => use.id)));
    expect(resultsOf(items).filter((result) => !asked.has(result.id))).toEqual([]);
  });
});

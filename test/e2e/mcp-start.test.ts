// The MCP server that Claude Code starts: a shell script answers at once what the program would say, and the program takes over when it is
// needed.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { place, program, root, until } from './holdfast.ts';

const script = [path.join(root, 'bin/holdfast-mcp.sh'), process.execPath, program, path.join(root, 'dist/mcp-answers')];

type Json = Record<string, unknown>;

function serve(command: string, args: readonly string[]) {
  const own = place();
  const child: ChildProcessWithoutNullStreams = spawn(command, args, { env: own.env, cwd: own.folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said = (): Json[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    child,
    said,
    async ask(line: Json | string): Promise<Json> {
      const text = typeof line === 'string' ? line : JSON.stringify(line);
      child.stdin.write(`${text}\n`);
      const { id } = JSON.parse(text);
      await until(() => said().some((one) => one.id === id), `an answer to ${text.slice(0, 80)}; ${err}`);
      return said().find((one) => one.id === id) as Json;
    },
    tell: (line: Json) => void child.stdin.write(`${JSON.stringify(line)}\n`),
    async end() {
      child.stdin.end();
      expect({ code: await ended, err }).toEqual({ code: 0, err: '' });
    },
  };
}
const shell = () => serve('/bin/sh', script);
const node = () => serve(process.execPath, [program, 'mcp']);
/** The program that this process runs: the shell, until Node has replaced it. */
const programOf = ({ child: { pid } }: { child: ChildProcessWithoutNullStreams }): string | undefined =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0];

/** Exactly as the clients send it. */
const meta = (name: string) =>
  `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"${name}","title":"Claude Code","version":"2.1.325"},"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}}`;
const eras = {
  '2.1.325': (name = 'claude-code') => ({
    open: [
      `{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":${meta(name)}}}`,
      `{"method":"tools/list","jsonrpc":"2.0","id":0,"params":${meta(name)}}}`,
    ],
    call: (id: number, words: string) =>
      `{"method":"tools/call","params":${meta(name)},"name":"search","arguments":{"query":${JSON.stringify(words)}}},"jsonrpc":"2.0","id":${id}}`,
  }),
  '2.1.197': (name = 'claude-code') => ({
    open: [
      `{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{}},"clientInfo":{"name":"${name}","title":"Claude Code","version":"2.1.197"}},"jsonrpc":"2.0","id":0}`,
      '{"method":"notifications/initialized","jsonrpc":"2.0"}',
      '{"method":"tools/list","jsonrpc":"2.0","id":1}',
    ],
    call: (id: number, words: string) =>
      `{"method":"tools/call","params":{"name":"search","arguments":{"query":${JSON.stringify(words)}}},"jsonrpc":"2.0","id":${id}}`,
  }),
};

const talk = async (server: ReturnType<typeof serve>, lines: readonly string[]) => {
  const answers: Json[] = [];
  for (const line of lines)
    if ('id' in JSON.parse(line)) answers.push(await server.ask(line));
    else server.tell(JSON.parse(line));
  return answers;
};

describe.each(Object.entries(eras))('to Claude Code %s', (_, era) => {
  it('says what the program says, without starting it', async () => {
    const { open } = era();
    const [quick, real] = [shell(), node()];
    const answers = await talk(quick, open);
    expect(answers).toEqual(await talk(real, open));
    expect(JSON.stringify(answers)).toContain('"name":"search"');
    expect(programOf(quick)).toBe('/bin/sh');
    await quick.end();
    await real.end();
  });

  it.each([
    ['short', 'herring'],
    ['long', `herring ${'x'.repeat(200_000)}`],
  ])('becomes the program at the first call, a %s one, and answers nothing twice', async (__, words) => {
    const { open, call } = era();
    const server = shell();
    await talk(server, open);
    const first = await server.ask(call(7, words));
    expect(JSON.stringify(first)).toMatch(/"content":\[\{"type":"text"/);
    await server.ask(call(8, 'cod'));
    const ids = server.said().map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toHaveLength(4);
    await server.end();
  });

  it('leaves every other client, and every unknown request, to the program', async () => {
    const { open } = era('other-client');
    const [quick, real] = [shell(), node()];
    const answers = await talk(quick, open);
    expect(answers).toEqual(await talk(real, open));
    expect(JSON.stringify(answers)).toContain('outputSchema');
    await quick.end();
    await real.end();
  });
});

it('ends with its client, and survives a line that is not JSON', async () => {
  await shell().end();
  const server = shell();
  server.child.stdin.write('not json\n');
  await talk(server, eras['2.1.197']().open);
  await server.end().catch(() => {});
  expect(server.said().length).toBeGreaterThanOrEqual(2);
});

// The real client calls Holdfast over MCP as `install` set it up: what its model sees, and what Holdfast imports of that.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientCases, eventually, isMissing, type Machine, machine, workerPid } from './claude.ts';
import { ask, root, until } from './holdfast.ts';
import type { Asked, Step } from './mock-anthropic.ts';

const call = (tool: string, input: object, prefix = 'mcp__holdfast__'): Step => ({ tool: `${prefix}${tool}`, input });
const allowed = ['--allowedTools', 'mcp__holdfast,mcp__plugin_holdfast_holdfast'];
const list = ({ env }: Machine) => path.join(env.HOME as string, '.claude.json');

describe.each(clientCases())('Claude Code %s%s', (version) => {
  const test = it.skipIf(isMissing(version));

  test('finds, looks around and reads what an earlier session said, with the worker up and down', async () => {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    // Do not leave this to the first hook: on a busy machine the client may end before the hook has begun.
    await ask(own.env, 'worker', 'start');
    await own.claude('Remember the quokka migration', [{ text: 'The quokka table was split in two.' }]);
    const { hits } = await eventually(own, ['search', 'quokka'], (answer) => answer.hits.length === 2);
    const [first] = hits;
    const script = [
      call('search', { query: 'quokka' }),
      call('timeline', { around: first.id.slice(0, 8) }),
      call('get', { ids: [first.id.slice(0, 8)] }),
      call('briefing', {}),
      call('get', {}),
      { text: 'Read.' },
    ];
    const read = async () => {
      const session = await own.claude('What did we do then?', script, allowed);
      expect(session).toMatchObject({ code: 0, result: 'Read.', stderr: '' });
      const main = session.asked.filter(({ kind }) => kind === 'main');
      expect(main).toHaveLength(script.length);
      // Each request carries the previous answer.
      const [, found = '', around = '', full = '', told = '', wrong = ''] = main.map(({ text }) => text);
      expect(found).toMatch(
        /<holdfast-recall>.*not instructions.*«Quokka»|<holdfast-recall>.*not instructions.*«quokka»/s,
      );
      expect(found).not.toContain('\\"score\\"');
      expect(around).toMatch(new RegExp(`> ${first.id.slice(0, 8)} `));
      expect(full).toContain(`## entry ${first.id.slice(0, 8)}`);
      expect(told).toContain('What earlier sessions left behind: project');
      expect(wrong).toContain('Fields of get: ids');
      return session;
    };
    expect(workerPid(own)).toBeDefined();
    const up = await read();
    await ask(own.env, 'worker', 'stop');
    // With its hooks the client would start the worker again.
    writeFileSync(own.settings, '{}');
    const down = await read();
    expect(workerPid(own)).toBeUndefined();

    // Recalled text is not imported as something new: searches do not find the sessions that asked.
    await ask(own.env, 'ingest');
    const known = (await ask(own.env, 'search', 'quokka', '--limit', '100')).hits;
    const texts = known.filter((hit: { session: string }) => [up.id, down.id].includes(hit.session));
    expect(texts.map(({ snippet }: { snippet: string }) => snippet).join('\n')).not.toContain('split in two');
    const shown = JSON.stringify(await ask(own.env, 'show', up.id));
    expect(shown).toContain('mcp__holdfast__search');
    expect(shown).not.toContain('split in two');
  });

  test('sees the everyday tools at once, and is told how to use them', async () => {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    // An interactive client does not wait for servers before the first turn. They are ready by the second, or by a later turn on a busy
    // machine.
    let last: Asked | undefined;
    await until(async () => {
      const session = await own.claude(
        'Hello',
        [{ tool: 'Bash', input: { command: 'sleep 3' } }, { text: 'Done.' }],
        ['--allowedTools', 'Bash'],
      );
      last = session.asked.findLast(({ kind }) => kind === 'main');
      return last?.tools.includes('mcp__holdfast__search') === true;
    }, 'the tools');
    expect(last?.tools).toEqual(expect.arrayContaining(['mcp__holdfast__timeline', 'mcp__holdfast__get']));
    expect(last?.text).toContain('search finds moments');
  });

  test('calls the worker over HTTP if its configuration says so', async () => {
    const own = await machine(version);
    await ask(own.env, 'ingest', '--dir', path.join(root, 'demo'));
    await ask(own.env, 'worker', 'start');
    await eventually(own, ['worker', 'status'], ({ http: { open } }) => open);
    const token = readFileSync(path.join(own.home, 'token'), 'utf8').trim();
    const url = `http://127.0.0.1:${own.port}/mcp`;
    const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
    writeFileSync(list(own), JSON.stringify({ mcpServers: { holdfast: server } }));
    const script = [call('search', { query: 'in-memory queue redis' }), { text: 'Read.' }];
    const session = await own.claude('What about Redis?', script, allowed);
    expect(session).toMatchObject({ code: 0, result: 'Read.' });
    const seen = session.asked.filter(({ kind }) => kind === 'main').at(-1)?.text;
    expect(seen).toContain('Postgres is good enough');
    expect(seen).not.toContain('\\"score\\"');
  });

  test('a plugin brings the tools as well', async () => {
    const own = await machine(version);
    await ask(own.env, 'ingest', '--dir', path.join(root, 'demo'));
    const folder = path.join(own.project, '..', 'plugin');
    await ask(own.env, 'install', 'claude-code', '--plugin', folder);
    const script = [
      call('search', { query: 'in-memory queue redis' }, 'mcp__plugin_holdfast_holdfast__'),
      { text: 'Read.' },
    ];
    const session = await own.claude('What about Redis?', script, [...allowed, '--plugin-dir', folder]);
    expect(session).toMatchObject({ code: 0, result: 'Read.' });
    expect(session.asked.filter(({ kind }) => kind === 'main').at(-1)?.text).toContain('Postgres is good enough');
    await ask(own.env, 'ingest');
    const shown = JSON.stringify(await ask(own.env, 'show', session.id));
    expect(shown).toContain('mcp__plugin_holdfast_holdfast__search');
    expect(shown).not.toContain('Postgres is good enough');
  });

  test('keeps its own file intact while Holdfast writes it, and uninstall leaves nothing behind', async () => {
    const own = await machine(version);
    await own.claude('Hello', [{ text: 'Hello.' }]);
    const before = JSON.parse(readFileSync(list(own), 'utf8'));
    const running = own.launch(
      'Work',
      [{ tool: 'Bash', input: { command: 'sleep 2' } }, { text: 'Done.' }],
      ['--allowedTools', 'Bash'],
    );
    await until(() => own.mock.asked.length > 1, 'the session');
    await ask(own.env, 'install', 'claude-code');
    expect(await running.ended).toMatchObject({ code: 0, result: 'Done.' });
    expect(JSON.parse(readFileSync(list(own), 'utf8')).mcpServers.holdfast.env).toEqual({ HOLDFAST_HOME: own.home });
    expect(await ask(own.env, 'status')).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: 'Claude Code, MCP', ok: true })]),
    });
    await own.claude('Hello again', [{ text: 'Hello.' }]);
    await ask(own.env, 'uninstall', 'claude-code');
    const after = JSON.parse(readFileSync(list(own), 'utf8'));
    expect(Object.keys(before).filter((key) => !(key in after))).toEqual([]);
    expect(JSON.stringify(after.mcpServers ?? {})).not.toContain('holdfast');
    expect(existsSync(`${list(own)}.lock`)).toBe(false);
  });
});

// Every agent that Holdfast can be installed into: what is written comes and goes without a trace, in that agent's own
// format.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../agents/agent.ts';
import { agentNamed } from '../agents/index.ts';
import { loadConfig } from '../config/config.ts';
import { hooked, install, repair, uninstall } from '../operations/machine/install.ts';
import { status } from '../operations/machine/status.ts';
import type { Context } from '../operations/operation.ts';
import { inspectHooks } from './hooks.ts';
import { inspectMcp } from './mcp.ts';

let folder: string;
let user: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-agents-')));
  user = path.join(folder, 'user');
  fs.mkdirSync(user);
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const context = (home = 'data', more: Partial<Context> = {}): Context =>
  ({
    config: loadConfig({ HOME: user, HOLDFAST_HOME: path.join(folder, home), PATH: '/nowhere' }),
    ...more,
  }) as Context;
const given = (agent: Agent) => ({ agent: agent.name, dryRun: false, hooksOnly: false });
const snapshot = (): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(user, { recursive: true, encoding: 'utf8' })
      .filter((name) => fs.statSync(path.join(user, name)).isFile())
      .map((name) => [name, fs.readFileSync(path.join(user, name), 'utf8')]),
  );
/** The meaning of the files: if hooks and servers share one, a repair may change their order. */
const meaning = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(snapshot()).map(([name, text]) => [name, name.endsWith('.json') ? JSON.parse(text) : text]),
  );
const put = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};

/** What a person may have in such a file. */
const theirs = {
  json: [
    '',
    '{}',
    '{\n  "theme": "dark",\n  "mcpServers": { "x": { "command": "y" } },\n  "mcp": {}\n}\n',
    '{"hooks":{"SessionStart":[]},"version":1}',
  ],
  toml: [
    '',
    'model = "gpt-5"',
    'model = "gpt-5"\n\n[mcp_servers.other]\ncommand = "x" # mine\n',
    'a = 1\r\n[b]\r\nc = 2\r\n',
  ],
  yaml: [
    '',
    'GOOSE_MODEL: gpt-5',
    'GOOSE_MODEL: gpt-5\nextensions:\n  developer:\n    enabled: true # mine\n    type: builtin\nkeyring: false\n',
    '# only words\n',
  ],
};

describe.each(hooked.map((agent) => [agent.name, agent] as const))('%s', (_, agent) => {
  const files = () => {
    const { config } = context();
    return [config.agentSettings(agent), config.agentMcpFile(agent)].filter((file) => file !== undefined);
  };
  const isWhole = agent.hooks !== undefined && 'whole' in agent.hooks;
  const textsFor = (file: string) =>
    isWhole && file.endsWith('.js')
      ? ['']
      : theirs[
          agent.mcp?.format !== undefined && file === context().config.agentMcpFile(agent) ? agent.mcp.format : 'json'
        ];

  it('comes and goes without a trace, whatever the file contained', async () => {
    for (let round = 0; round < 4; round++) {
      for (const file of files()) {
        const texts = textsFor(file);
        const text = texts[round % texts.length] ?? '';
        if (text !== '') put(file, text);
        else fs.rmSync(file, { force: true });
      }
      const before = snapshot();
      expect(await install.run(context(), given(agent))).toMatchObject({ changed: true });
      if (agent.hooks)
        expect(inspectHooks(context().config, agent)).toMatchObject({
          missing: [],
          outdated: [],
          elsewhere: false,
          scripts: 'current',
        });
      if (agent.mcp) expect(inspectMcp(context().config, agent)?.state).toBe('current');
      const once = snapshot();
      await install.run(context(), given(agent));
      expect(snapshot()).toEqual(once);
      await uninstall.run(context(), { agent: agent.name });
      expect(snapshot()).toEqual(before);
    }
  });

  it('a dry run changes nothing and shows what would change', async () => {
    const answer = await install.run(context(), { ...given(agent), dryRun: true });
    expect(answer).toMatchObject({ changed: true, diff: expect.stringContaining('holdfast') });
    expect(snapshot()).toEqual({});
    expect(fs.existsSync(path.join(folder, 'data'))).toBe(false);
  });

  it('is updated to this version by repair, which leaves another data folder alone', async () => {
    await install.run(context(), given(agent));
    const whole = meaning();
    for (const file of files())
      put(
        file,
        fs
          .readFileSync(file, 'utf8')
          .replaceAll(/(holdfast) [^;\s]+;/g, '$1 0.0.1;')
          .replaceAll('/bin/sh', '/bin/old'),
      );
    await repair.run(context(), {});
    expect(meaning()).toEqual(whole);
    await repair.run(context('other'), {});
    expect(meaning()).toEqual(whole);
  });

  it('is reported by status once it is installed', async () => {
    await install.run(context(), given(agent));
    const { checks } = await status.run(context(), {});
    expect(
      checks
        .filter(({ name }) => name.startsWith(agent.title))
        .map(({ message }) => message)
        .join(),
    ).toMatch(/reports|can search/);
  });
});

it('status gives agents that are not connected the same mark', async () => {
  const [claude, codex] = [agentNamed('claude-code') as Agent, agentNamed('codex') as Agent];
  for (const name of ['.claude', '.codex']) fs.mkdirSync(path.join(user, name));
  const marks = async () => {
    const { checks } = await status.run(context(), {});
    const mark = ({ title }: Agent) => checks.filter(({ name }) => name === title).map(({ ok, off }) => [ok, off]);
    return { claude: mark(claude), codex: mark(codex) };
  };
  expect(await marks()).toEqual({ claude: [[false, undefined]], codex: [[false, undefined]] });
  await install.run(context(), given(claude));
  expect(await marks()).toEqual({ claude: [[true, undefined]], codex: [[true, true]] });
  await uninstall.run(context(), { agent: 'claude-code' });
  await install.run(context(), given(codex));
  expect((await marks()).claude).toEqual([[true, true]]);
});

it('status says that a session starts the worker only if an agent is connected', async () => {
  const claude = agentNamed('claude-code') as Agent;
  const worker = async () => (await status.run(context(), {})).checks.find(({ name }) => name === 'worker');
  expect(await worker()).toMatchObject({ ok: true, off: true, hint: 'holdfast worker start' });
  await install.run(context(), given(claude));
  expect((await worker())?.message).toContain('the next session starts it');
});

it('Codex: says that the person must approve the hooks, until Codex has recorded it', async () => {
  const codex = agentNamed('codex') as Agent;
  const answer = await install.run(context(), given(codex));
  expect('warnings' in answer && answer.warnings.join()).toContain('/hooks');
  const messages = async () =>
    (await status.run(context(), {})).checks
      .filter(({ ok }) => !ok)
      .map(({ message }) => message)
      .join();
  expect(await messages()).toContain('approved');
  const file = path.join(user, '.codex', 'config.toml');
  fs.appendFileSync(
    file,
    `\n[hooks.state."${user}/.codex/hooks.json:session_start:0:0"]\ntrusted_hash = "sha256:ab"\n`,
  );
  expect(await messages()).not.toContain('approved');
  await uninstall.run(context(), { agent: 'codex' });
  expect(fs.readFileSync(file, 'utf8')).toContain('trusted_hash');
  expect(fs.readFileSync(file, 'utf8')).not.toContain('mcp_servers');
});

it('a file of another program under the name of the plugin is left alone', async () => {
  put(path.join(user, '.config/opencode/plugins/holdfast.js'), 'export const mine = 1;\n');
  await expect(install.run(context(), given(agentNamed('opencode') as Agent))).rejects.toThrow(
    /not written by Holdfast/,
  );
  expect(snapshot()).toEqual({ '.config/opencode/plugins/holdfast.js': 'export const mine = 1;\n' });
});

it.each(['mcp_servers = {}\n', 'mcp_servers.holdfast = { command = "x" }\n'])(
  'TOML that cannot be added to safely is refused: %s',
  async (text) => {
    put(path.join(user, '.codex/config.toml'), text);
    await expect(install.run(context(), given(agentNamed('codex') as Agent))).rejects.toThrow(
      /safely|without touching/,
    );
    expect(snapshot()).toEqual({ '.codex/config.toml': text });
  },
);

describe('without a name', () => {
  const present = () => {
    for (const name of ['.codex', '.cursor/projects', '.config/goose'])
      fs.mkdirSync(path.join(user, name), { recursive: true });
  };
  const all = { agent: undefined, dryRun: false, hooksOnly: false };

  it('each agent that is found is offered, and a declined one is left alone', async () => {
    present();
    const asked: string[] = [];
    const person = {
      agrees: async (question: string) => {
        asked.push(question);
        return question.includes('Codex');
      },
    };
    const answer = await install.run(context('data', { person } as Partial<Context>), all);
    expect(asked).toEqual(['Install into Codex?', 'Install into Cursor?', 'Install into Goose?']);
    expect(answer).toMatchObject({
      found: [
        { agent: 'codex', state: 'installed' },
        { agent: 'cursor', state: 'declined' },
        { agent: 'goose', state: 'declined' },
      ],
      failed: [],
    });
    expect(Object.keys(snapshot()).sort()).toEqual(['.codex/config.toml', '.codex/hooks.json']);
  });

  it('ends if the person leaves instead of answering, and is no failure of an agent', async () => {
    present();
    const left = new Error('the person pressed Ctrl+C');
    const agrees = (_question: string): Promise<boolean> => Promise.reject(left);
    const person = { agrees };
    await expect(install.run(context('data', { person } as Partial<Context>), all)).rejects.toBe(left);
    expect(snapshot()).toEqual({});
  });

  it('changes nothing without a terminal, and --yes installs into all', async () => {
    present();
    expect(await install.run(context(), all)).toMatchObject({ found: [{}, {}, {}], done: [] });
    expect(snapshot()).toEqual({});
    put(path.join(user, '.cursor/hooks.json'), 'not json');
    expect(await install.run(context(), { ...all, yes: true })).toMatchObject({
      done: [{ agent: 'codex' }, { agent: 'goose' }],
      failed: [expect.stringContaining('not valid JSON')],
    });
  });
});

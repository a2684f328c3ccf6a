// Settings as people have them: comments, marks, other line ends, links. Each byte survives, and a file that cannot be
// read stays as it is, together with the other files of the agent.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../agents/agent.ts';
import { loadConfig } from '../config/config.ts';
import { hooked, install, repair, uninstall } from '../operations/machine/install.ts';
import type { Context } from '../operations/operation.ts';

let folder: string;
let user: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-odd-')));
  user = path.join(folder, 'user');
  fs.mkdirSync(user);
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const context = (): Context =>
  ({ config: loadConfig({ HOME: user, HOLDFAST_HOME: path.join(folder, 'data'), PATH: '/nowhere' }) }) as Context;
const given = (agent: Agent, dryRun = false) => ({ agent: agent.name, dryRun, hooksOnly: false });
const snapshot = (): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(user, { recursive: true, encoding: 'utf8' })
      .filter((name) => fs.statSync(path.join(user, name)).isFile())
      .map((name) => [name, fs.readFileSync(path.join(user, name), 'base64')]),
  );
const put = (file: string, text: string | Buffer): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};

const readable = {
  json: [
    '\ufeff{"a": 1}\n',
    '{\n\t"a": 1\n}\n',
    '{\r\n  "a": 1\r\n}\r\n',
    '{\n  // mine\n  "theme": "dark", /* x */\n  "list": [1, 2,],\n}\n',
    '// nothing yet\n{}',
    '{"a":1}',
    '{\n  "hooks": {},\n  "mcpServers": {}\n}\n',
  ],
  toml: [
    '\ufeffmodel = "x"\n',
    '# mine\nmodel = "x" # y\n\n[mcp_servers.other]\ncommand = "z"\n',
    'model = "x"\r\n[a]\r\n\tb = 1\r\n',
    'a = """\n[mcp_servers.holdfast]\n"""\n',
    "a = '''\n[mcp_servers.holdfast]'''\n[b]\n",
  ],
  yaml: [
    '\ufeffa: 1\n',
    'a: 1\r\nextensions:\r\n  x:\r\n    type: builtin\r\n',
    '# mine\na: 1 # y\nextensions:\n  # the other\n  dev:\n    type: builtin\n\n# end\n',
    'extensions:\n',
    'x: &a {b: 1}\ny: *a\n',
  ],
};
const unreadable = {
  json: ['{"a": ', '[1]', '"text"', Buffer.from('{"a":"\xe9"}', 'latin1'), Buffer.from([0xff, 0xfe, 0x7b, 0])],
  toml: ['model = = 1\n', Buffer.from('a = "\xe9"\n', 'latin1')],
  yaml: ['a: [1\n', '- 1\n', Buffer.from('a: \xe9\n', 'latin1')],
};

describe.each(hooked.map((agent) => [agent.name, agent] as const))('odd settings of %s', (_, agent) => {
  const filesOf = () => {
    const { config } = context();
    const formats = new Map<string, 'json' | 'toml' | 'yaml'>();
    const [hooks, mcp] = [config.agentSettings(agent), config.agentMcpFile(agent)];
    // A file of our own is replaced whole.
    if (hooks !== undefined && path.basename(hooks).startsWith('holdfast.') === false) formats.set(hooks, 'json');
    if (mcp !== undefined) formats.set(mcp, agent.mcp?.format ?? 'json');
    return [...formats];
  };

  it('survive byte for byte, also as links', async () => {
    for (const [file, format] of filesOf())
      for (const [i, text] of readable[format].entries()) {
        const isLink = i % 2 === 1;
        const real = path.join(user, 'dots', 'real');
        fs.rmSync(file, { force: true });
        put(isLink ? real : file, text);
        if (isLink) {
          fs.mkdirSync(path.dirname(file), { recursive: true });
          fs.symlinkSync(real, file);
        }
        const before = snapshot();
        await install.run(context(), given(agent, true));
        expect(snapshot(), text).toEqual(before);
        await install.run(context(), given(agent));
        const installed = snapshot();
        expect(installed, text).not.toEqual(before);
        await repair.run(context(), {});
        expect(snapshot(), text).toEqual(installed);
        await uninstall.run(context(), { agent: agent.name });
        expect(snapshot(), text).toEqual(before);
        expect(fs.lstatSync(file).isSymbolicLink()).toBe(isLink);
      }
  });

  it('that cannot be read are refused by name, and no file of the agent changes', async () => {
    const files = filesOf();
    for (const [file, format] of files)
      for (const text of unreadable[format]) {
        for (const [other, form] of files) put(other, readable[form][1] as string);
        put(file, text);
        const before = snapshot();
        for (const dryRun of [true, false]) {
          await expect(async () => install.run(context(), given(agent, dryRun)), String(text)).rejects.toMatchObject({
            code: 'UNREADABLE',
            message: expect.stringContaining(path.basename(file)),
          });
          expect(snapshot(), String(text)).toEqual(before);
        }
      }
  });
});

// Claude Code's list of servers stands for all: the client writes it all the time, so our changes must be small and
// quick.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeCode } from '../agents/claude-code/index.ts';
import { loadConfig } from '../config/config.ts';
import { packageRoot } from '../package.ts';
import { inspectMcp, installMcp, mendMcp, uninstallMcp } from './mcp.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-mcp-')));
  file = path.join(folder, '.claude.json');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const config = (more: NodeJS.ProcessEnv = {}) =>
  loadConfig({ HOME: folder, HOLDFAST_HOME: path.join(folder, 'data'), ...more });
const install = (more?: NodeJS.ProcessEnv) => installMcp(config(more), claudeCode);
const uninstall = () => uninstallMcp(config(), claudeCode);
const state = (more?: NodeJS.ProcessEnv) => inspectMcp(config(more), claudeCode)?.state;
const read = () => fs.readFileSync(file, 'utf8');
const entry = () => JSON.parse(read()).mcpServers.holdfast;
/** As the client writes it. */
const written = (value: object) => JSON.stringify(value, null, 2);

const theirs = {
  'no file': undefined,
  'nothing in it': '{}',
  'no bytes': '',
  'only blanks': ' \n\n',
  'an empty list over two lines': '{\n  "mcpServers": {\n  }\n}',
  'nothing in it over two lines': '{\n}',
  'no servers': written({ firstStartTime: 'x', projects: { '/srv/a': { history: [] } } }),
  'an empty list': written({ a: 1, mcpServers: {}, b: 2 }),
  'other servers': written({ mcpServers: { other: { command: 'x', env: { KEY: 'ü' } } }, oauthAccount: { id: 1 } }),
  'one line': '{"a":1,"mcpServers":{"other":{"command":"x"}}}',
};

describe('the MCP server in a list', () => {
  it.each(Object.entries(theirs))('comes and goes without a trace: %s', (_, text) => {
    if (text !== undefined) fs.writeFileSync(file, text);
    expect(state()).toBe('none');
    expect(install()).toMatchObject({ file, changed: true });
    expect(entry()).toEqual({
      type: 'stdio',
      command: '/bin/sh',
      args: [
        path.join(packageRoot, 'bin', 'holdfast-mcp.sh'),
        process.execPath,
        path.join(packageRoot, 'bin', 'holdfast'),
        path.join(packageRoot, 'dist', 'mcp-answers'),
      ],
      env: { HOLDFAST_HOME: path.join(folder, 'data') },
    });
    const once = read();
    expect(install()).toEqual({ file, changed: false, diff: '' });
    expect([read(), state()]).toEqual([once, 'current']);
    expect(uninstall()).toMatchObject({ changed: true });
    if (text === undefined) expect(fs.existsSync(file)).toBe(false);
    else expect(read()).toBe(text);
    expect(fs.readdirSync(folder)).toEqual(text === undefined ? ['data'] : ['.claude.json', 'data']);
    expect(fs.existsSync(path.join(folder, 'data', 'installs'))).toBe(false);
    expect(uninstall()).toMatchObject({ changed: false });
  });

  it('is removed even if the client has rewritten everything since', () => {
    fs.writeFileSync(file, written({ a: 1 }));
    install();
    const { mcpServers, ...rest } = JSON.parse(read());
    fs.writeFileSync(file, written({ ...rest, mcpServers, numStartups: 7 }));
    uninstall();
    expect(read()).toBe(written({ a: 1, numStartups: 7 }));
  });

  it('a dry run writes nothing, and shows what would change', () => {
    fs.writeFileSync(file, written({ a: 1 }));
    expect(installMcp(config(), claudeCode, true)?.diff).toContain('+    "holdfast": {');
    expect([read(), fs.readdirSync(folder)]).toEqual([written({ a: 1 }), ['.claude.json']]);
  });

  it('is where the client looks for it', () => {
    const elsewhere = path.join(folder, 'agent');
    expect(installMcp(config({ CLAUDE_CONFIG_DIR: elsewhere }), claudeCode)?.file).toBe(
      path.join(elsewhere, '.claude.json'),
    );
    expect(fs.existsSync(path.join(elsewhere, '.claude.json'))).toBe(true);
    fs.mkdirSync(path.join(folder, '.claude'));
    fs.writeFileSync(path.join(folder, '.claude', '.config.json'), '{}');
    expect(install()?.file).toBe(path.join(folder, '.claude', '.config.json'));
  });

  it('behind a link to no file is removed, and the link stays', () => {
    fs.symlinkSync('elsewhere.json', file);
    install();
    expect(entry()).toBeDefined();
    uninstall();
    expect(fs.readdirSync(folder).sort()).toEqual(['.claude.json', 'data']);
    expect(fs.readlinkSync(file)).toBe('elsewhere.json');
  });

  it('keeps its mode, and a link stays a link', () => {
    fs.writeFileSync(path.join(folder, 'real.json'), '{}', { mode: 0o640 });
    fs.symlinkSync('real.json', file);
    install();
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
    expect(entry()).toBeDefined();
  });

  it.each(['{"a":', '[]', '{"mcpServers": []}'])('refuses %s and leaves it alone', (text) => {
    fs.writeFileSync(file, text);
    expect(install).toThrow(/not valid JSON|JSON object|not an object/);
    expect([read(), fs.readdirSync(folder)]).toEqual([text, ['.claude.json']]);
  });

  it('leaves an entry of our name that we did not write, even when everything else is removed', () => {
    const text = written({ mcpServers: { holdfast: { command: 'holdfast', args: ['mcp'] } } });
    fs.writeFileSync(file, text);
    expect(state()).toBe('foreign');
    expect(install()?.changed).toBe(false);
    expect(uninstall()?.changed).toBe(false);
    expect(read()).toBe(text);
  });

  it('is repaired when it starts another program, but not if the person removed it or another data folder has it', () => {
    install();
    fs.writeFileSync(file, read().replace(JSON.stringify(process.execPath), '"/opt/old/node"'));
    expect(state()).toBe('outdated');
    expect(mendMcp(config(), claudeCode)).toEqual([file]);
    expect(state()).toBe('current');
    const other = { HOLDFAST_HOME: path.join(folder, 'other') };
    expect(state(other)).toBe('elsewhere');
    expect(mendMcp(config(other), claudeCode)).toEqual([]);
    fs.writeFileSync(file, '{}');
    expect(mendMcp(config(), claudeCode)).toEqual([]);
    expect(read()).toBe('{}');
  });

  it('a time limit that the person has added stays', () => {
    install();
    const value = JSON.parse(read());
    value.mcpServers.holdfast.timeout = 5000;
    fs.writeFileSync(file, written(value));
    expect(state()).toBe('current');
  });
});

describe("the client's lock", () => {
  it('is respected: a locked file is not written', () => {
    fs.writeFileSync(file, '{}');
    fs.mkdirSync(`${file}.lock`);
    expect(install).toThrow(/another program is writing/);
    expect(read()).toBe('{}');
    fs.rmdirSync(`${file}.lock`);
    expect(install()?.changed).toBe(true);
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  });

  it('that was left behind is removed', () => {
    fs.writeFileSync(file, '{}');
    fs.mkdirSync(`${file}.lock`);
    const before = new Date(Date.now() - 60_000);
    fs.utimesSync(`${file}.lock`, before, before);
    expect(install()?.changed).toBe(true);
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  });
});

it('an entry of an earlier version, which started the program at once, is updated and removed', () => {
  const older = {
    type: 'stdio',
    command: process.execPath,
    args: ['/opt/x/bin/holdfast', 'mcp'],
    env: { HOLDFAST_HOME: config().home },
  };
  fs.writeFileSync(file, written({ mcpServers: { holdfast: older } }));
  expect(state()).toBe('outdated');
  install();
  expect(state()).toBe('current');
  uninstall();
  expect(state()).toBe('none');
});

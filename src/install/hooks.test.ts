// Claude Code's settings stand for all: what is done to them is in its own file, how files are kept safe is here.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeCode } from '../agents/claude-code.ts';
import { loadConfig } from '../config.ts';
import { inspectHooks, installHooks, mendHooks, uninstallHooks, writePlugin } from './hooks.ts';
import { readRecord } from './record.ts';

const token = 'c'.repeat(64);
let folder: string;
let file: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-install-')));
  file = path.join(folder, 'user', 'agent', 'settings.json');
  fs.mkdirSync(path.join(folder, 'user'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const config = (more: NodeJS.ProcessEnv = {}) =>
  loadConfig({
    HOME: path.join(folder, 'user'),
    HOLDFAST_HOME: path.join(folder, 'data'),
    CLAUDE_CONFIG_DIR: path.dirname(file),
    ...more,
  });
const install = (more?: NodeJS.ProcessEnv) => installHooks(config(more), claudeCode, token);
const uninstall = () => uninstallHooks(config(), claudeCode);
const inspect = (more?: NodeJS.ProcessEnv) => inspectHooks(config(more), claudeCode, token);
const read = () => fs.readFileSync(file, 'utf8');
const change = (from: string | RegExp, to: string) => fs.writeFileSync(file, read().replace(from, to));
function write(text: string | Buffer): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
/** Every file and folder, with what is in it. */
const snapshot = (below: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(below, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const at = path.join(below, name);
        return [name, fs.statSync(at).isFile() ? fs.readFileSync(at, 'utf8') : ''];
      }),
  );

const theirs = {
  'no folder': undefined,
  'an empty file': '',
  'an empty object': '{}',
  'a spread empty object': '{\n\n}\n',
  settings: '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls:*)"] }\n}\n',
  'hooks of their own': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},"a":1}',
  'the same events': `{\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{ "matcher": "clear", "hooks": [] }\n\t\t],\n\t\t"Stop": []\n\t}\n}`,
  'empty hooks': '{\n    "hooks": {},\n    "z": null\n}\n',
  comments: '// mine\n{\n  "a": 1, // one\n  /* two */ "b": [1, 2,],\n}\n',
  'another way of lines': '\uFEFF{\r\n  "a": "ü",\r\n  "b": "\\u00fc"\r\n}',
};

describe('hooks in settings', () => {
  it.each(Object.entries(theirs))('23. come and go without a trace: %s', (_, text) => {
    if (text !== undefined) write(text);
    const before = snapshot(path.join(folder, 'user'));
    expect(install()).toMatchObject({ file, changed: true });
    expect(inspect()).toMatchObject({ missing: [], outdated: [], elsewhere: false });
    const once = read();
    expect(install()).toEqual({ file, changed: false, diff: '' });
    expect(read()).toBe(once);
    expect(uninstall().changed).toBe(true);
    expect(snapshot(path.join(folder, 'user'))).toEqual(before);
    expect(fs.existsSync(path.join(folder, 'data', 'installs'))).toBe(false);
    expect(uninstall().changed).toBe(false);
  });

  it.each(Object.entries(theirs))('a look changes nothing: %s', (_, text) => {
    if (text !== undefined) write(text);
    const before = snapshot(folder);
    const { diff } = installHooks(config(), claudeCode, token, true);
    expect(diff).toContain('+');
    expect(diff).not.toContain(token);
    expect(snapshot(folder)).toEqual(before);
  });

  it('what the person changes in between survives, and only ours goes', () => {
    write('{\n  "model": "opus"\n}\n');
    install();
    change('"opus"', '"sonnet"');
    change(/\n\}\n$/, ',\n  "env": { "A": "1" }\n}\n');
    uninstall();
    expect(read()).toBe('{\n  "model": "sonnet",\n  "env": { "A": "1" }\n}\n');
  });

  it('a hook that the person adds beside ours stays, also in a file that we made', () => {
    install();
    const settings = JSON.parse(read());
    const mine = { type: 'command', command: 'say done' };
    settings.hooks.Stop[0].hooks.push(mine);
    settings.hooks.SessionEnd.push({ hooks: [mine] });
    write(JSON.stringify(settings, null, 2));
    uninstall();
    expect(JSON.parse(read())).toEqual({ hooks: { Stop: [{ hooks: [mine] }], SessionEnd: [{ hooks: [mine] }] } });
  });

  it('a file that we made goes, also when the client has written it anew', () => {
    install();
    write(JSON.stringify(JSON.parse(read())));
    uninstall();
    expect(fs.readdirSync(path.join(folder, 'user'))).toEqual([]);
  });

  it('goes by what the settings say when the record is lost', () => {
    write('{\n  "model": "opus"\n}\n');
    install();
    fs.rmSync(path.join(folder, 'data'), { recursive: true });
    uninstall();
    expect(read()).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each([
    '{ "a": ',
    'not json',
    '[]',
    '{"hooks": []}',
    '{"hooks": {"Stop": "x"}}',
    '{"hooks":{"a":[]},"hooks":{"b":[]}}',
  ])('what cannot be changed safely is refused and left: %s', (text) => {
    write(text);
    expect(() => install()).toThrow(/not valid JSON|JSON object|not an object|not a list|without touching/);
    expect(read()).toBe(text);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['settings.json']);
  });

  it('what is not UTF-8 is refused and left', () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]);
    write(bytes);
    expect(() => install()).toThrow(/not UTF-8/);
    expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  });

  it('mode and link stay', () => {
    const real = path.join(folder, 'user', 'dotfiles.json');
    fs.writeFileSync(real, '{"a":1}');
    fs.chmodSync(real, 0o640);
    fs.mkdirSync(path.dirname(file));
    fs.symlinkSync(real, file);
    install();
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
    expect(fs.statSync(real).mode & 0o777).toBe(0o640);
    uninstall();
    expect(fs.readFileSync(real, 'utf8')).toBe('{"a":1}');
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('a file and a record that we make are the owner’s alone', () => {
    install();
    const record = path.join(folder, 'data', 'installs', 'claude-code.json');
    for (const made of [file, record]) expect(fs.statSync(made).mode & 0o777).toBe(0o600);
  });
});

describe('hooks of another version, port or token', () => {
  it('are seen and mended, and still leave no trace', () => {
    const before = '{\n  "model": "opus"\n}\n';
    write(before);
    install();
    expect(inspect({ HOLDFAST_PORT: '40001' }).outdated).toContain('Stop');
    expect(mendHooks(config({ HOLDFAST_PORT: '40001' }), claudeCode, token)).toEqual([file]);
    expect(read()).toContain('http://127.0.0.1:40001/');
    expect(read()).not.toContain(':37777/');
    expect(mendHooks(config({ HOLDFAST_PORT: '40001' }), claudeCode, 'd'.repeat(64))).toEqual([file]);
    expect(read()).not.toContain(token);
    uninstall();
    expect(read()).toBe(before);
  });

  it('keep what the person changed meanwhile', () => {
    write('{\n  "model": "opus"\n}\n');
    install();
    change('opus', 'sonnet');
    change(/: holdfast [^;]+;/g, ': holdfast 0.0.1;');
    expect(inspect()).toMatchObject({ version: '0.0.1' });
    mendHooks(config(), claudeCode, token);
    expect(inspect()).toMatchObject({ missing: [], outdated: [] });
    uninstall();
    expect(read()).toBe('{\n  "model": "sonnet"\n}\n');
  });

  it('that the person took out are not put back by themselves', () => {
    install();
    write('{}');
    expect(mendHooks(config(), claudeCode, token)).toEqual([]);
    expect(read()).toBe('{}');
  });

  it('that report to another data folder are left to it', () => {
    install();
    installHooks(config({ HOLDFAST_HOME: path.join(folder, 'other') }), claudeCode, 'd'.repeat(64));
    expect(inspect()).toMatchObject({ elsewhere: true });
    expect(mendHooks(config(), claudeCode, token)).toEqual([]);
  });

  it('a timeout that the person chose is theirs', () => {
    install();
    change(/"timeout": 1/g, '"timeout": 3');
    expect(install().changed).toBe(false);
    expect(read()).toContain('"timeout": 3');
  });
});

it('a prompt is reported over HTTP, and by the program for those who want it answered', () => {
  install();
  const hook = () => JSON.parse(read()).hooks.UserPromptSubmit;
  expect(hook()).toMatchObject([{ hooks: [{ type: 'http' }] }]);
  const wanted = { HOLDFAST_RECALL_ON_PROMPT: 'true' };
  expect(inspect(wanted)).toMatchObject({ missing: [], outdated: ['UserPromptSubmit'] });
  expect(mendHooks(config(wanted), claudeCode, token)).toEqual([file]);
  expect(hook()).toMatchObject([
    { hooks: [{ type: 'command', command: expect.stringContaining('holdfast-hook.cjs') }] },
  ]);
  mendHooks(config(), claudeCode, token);
  expect(hook()).toMatchObject([{ hooks: [{ type: 'http' }] }]);
  uninstall();
  expect(fs.existsSync(file)).toBe(false);
});

it('1 and 24. names the stages of a session, and no event that the oldest supported client does not know', () => {
  install();
  const known = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'StopFailure'];
  const events = [...known, 'SubagentStop', 'PreCompact', 'SessionEnd'];
  expect(Object.keys(JSON.parse(read()).hooks).sort()).toEqual(events.sort());
  expect(
    ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd', 'PreCompact'].map(
      (name) => claudeCode.readHook?.({ session_id: 's', hook_event_name: name, prompt: 'go' })?.kind,
    ),
  ).toEqual(['start', 'prompt', 'tool', 'stop', 'end', 'compact']);
});

describe('a plugin folder', () => {
  it('is written, renewed and removed', () => {
    const plugin = path.join(folder, 'user', 'plugins', 'holdfast');
    writePlugin(config(), claudeCode, token, plugin);
    expect(snapshot(plugin)['hooks/hooks.json']).toContain(token);
    expect(mendHooks(config(), claudeCode, token)).toEqual([]);
    expect(mendHooks(config({ HOLDFAST_PORT: '40001' }), claudeCode, token)).toEqual([plugin]);
    expect(snapshot(plugin)['hooks/hooks.json']).toContain(':40001/');
    expect(uninstall().plugins).toEqual([plugin]);
    expect(fs.readdirSync(path.join(folder, 'user'))).toEqual([]);
    expect(readRecord(config(), claudeCode).plugins).toEqual([]);
  });

  it('of somebody else is left alone', () => {
    const plugin = path.join(folder, 'user', 'theirs');
    fs.mkdirSync(path.join(plugin, '.claude-plugin'), { recursive: true });
    fs.writeFileSync(path.join(plugin, '.claude-plugin', 'plugin.json'), '{}');
    expect(() => writePlugin(config(), claudeCode, token, plugin)).toThrow(/another plugin/);
  });

  it.each(['theirs', 'theirs/deeper', 'half'])(
    'that cannot be written (%s) leaves nothing, and is not known',
    (name) => {
      fs.mkdirSync(path.join(folder, 'user', 'half'), { recursive: true });
      fs.writeFileSync(path.join(folder, 'user', 'half', 'hooks'), 'a file where a folder is to be');
      fs.writeFileSync(path.join(folder, 'user', 'theirs'), 'a file');
      const before = snapshot(path.join(folder, 'user'));
      expect(() => writePlugin(config(), claudeCode, token, path.join(folder, 'user', name))).toThrow();
      expect(readRecord(config(), claudeCode).plugins).toEqual([]);
      expect(snapshot(path.join(folder, 'user'))).toEqual(before);
      expect(fs.existsSync(path.join(folder, 'user', 'half', '.claude-plugin'))).toBe(false);
    },
  );

  it('that a file has taken the place of can still be taken out', () => {
    const plugin = path.join(folder, 'user', 'plugin');
    writePlugin(config(), claudeCode, token, plugin);
    fs.rmSync(plugin, { recursive: true });
    fs.writeFileSync(plugin, 'mine');
    expect(uninstall().plugins).toEqual([plugin]);
    expect(fs.readFileSync(plugin, 'utf8')).toBe('mine');
  });
});

it('says why hooks would not run', () => {
  write('{"disableAllHooks": true, "allowedHttpHookUrls": ["https://hooks.example.com/*"]}');
  install();
  const { obstacles } = inspect({ HTTP_PROXY: 'http://proxy:3128' });
  expect(obstacles.join('\n')).toMatch(/disableAllHooks[\s\S]*allowedHttpHookUrls[\s\S]*NO_PROXY/);
  write('{"allowedHttpHookUrls": ["http://127.0.0.1:*/*"]}');
  expect(inspect({ HTTP_PROXY: 'http://proxy:3128', NO_PROXY: 'localhost,127.0.0.1' }).obstacles).toEqual([]);
  write('{} // a comment');
  expect(inspect().obstacles.join()).toContain('comments');
});

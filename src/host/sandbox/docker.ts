// A container of docker or podman, from an image that brings Node and the agent's SDK.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { insidePaths } from './mounts.ts';
import type { Sandbox } from './sandbox.ts';

const run = promisify(execFile);

export const docker: Sandbox = {
  name: 'docker',
  bringsSdk: true,
  async trouble({ settings: { host }, environment }) {
    try {
      await run(host.engine, ['image', 'inspect', host.image], { env: environment, timeout: 10_000 });
      return undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `${host.engine} is not installed`;
      const said = String((error as { stderr?: unknown }).stderr ?? '').trim();
      if (/no such image|image not known/i.test(said))
        return `there is no image ${host.image}; make it: ${host.engine} build -t ${host.image} -f docker/agent.Dockerfile .`;
      return said.split('\n').at(-1) || (error as Error).message;
    }
  },
  inside: () => ({
    ...insidePaths,
    node: 'node',
    path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    sdk: '/opt/holdfast/node_modules/@anthropic-ai/claude-agent-sdk',
    program: undefined,
  }),
  command(confined, { settings: { host }, environment }) {
    const { argv, cwd, mounts, network, limits } = confined;
    const name = `holdfast-${confined.name}-${randomBytes(4).toString('hex')}`;
    const { memoryMb, cpus, processes, fileMb } = limits;
    return {
      file: host.engine,
      args: [
        ...['run', '--rm', '--init', '--name', name, '--hostname', 'holdfast'],
        ...['--read-only', '--tmpfs', '/tmp:rw,exec,nosuid,nodev', '--cap-drop', 'ALL'],
        ...['--security-opt', 'no-new-privileges', '--network', network ? 'bridge' : 'none'],
        ...['--user', `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`],
        // Who runs podman without root is root to it; with this he is himself, and his files are his.
        ...(path.basename(host.engine) === 'podman' ? ['--userns', 'keep-id'] : []),
        ...(memoryMb > 0 ? ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`] : []),
        ...(cpus > 0 ? ['--cpus', String(cpus)] : []),
        ...(processes > 0 ? ['--pids-limit', String(processes)] : []),
        ...(fileMb > 0 ? ['--ulimit', `fsize=${fileMb * 1024 * 1024}`] : []),
        ...['--ulimit', 'core=0', '--workdir', cwd],
        ...Object.entries(confined.environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...mounts.flatMap(({ from, to, write }) => [
          '--mount',
          // The fields are CSV, so a comma in a path must be quoted.
          [`type=bind`, quoted(`source=${from}`), quoted(`target=${to}`), ...(write ? [] : ['readonly'])].join(','),
        ]),
        ...[host.image, ...argv],
      ],
      // The command line of the engine needs its own; what is inside gets only what is named above.
      environment,
      cwd: '/',
      end: [host.engine, 'kill', name],
    };
  },
  unheld: async () => [],
};

const quoted = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

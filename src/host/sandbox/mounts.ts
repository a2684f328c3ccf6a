// What a group's agent sees of this machine beyond the bare system. No other file decides this.
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { globalFolder, mainGroup } from '../../schema/group.ts';
import { groupFolders } from '../../sessions/groups/group-folders.ts';
import type { Inside, Mount } from './sandbox.ts';

/** Paths in a sandbox that has a separate file system. */
export const insidePaths = {
  work: '/workspace/group',
  global: '/workspace/global',
  groups: '/workspace/groups',
  snapshots: '/workspace/snapshots',
  extra: '/workspace/extra',
  home: '/home/agent',
  run: '/run/holdfast',
  bin: '/opt/holdfast/bin',
  node: '/opt/holdfast/bin/node',
  /** The name says that it is a module, whatever lies beside it in an image. */
  runner: '/opt/holdfast/runner.mjs',
  sdk: '/opt/holdfast/sdk',
  program: '/opt/holdfast/bin/claude',
} as const;

/** A folder that the person's allow-list gives to the group. */
export interface ExtraMount {
  readonly name: string;
  readonly from: string;
  readonly write: boolean;
}

/** `here`: the run's folder of sockets, and the programs if the sandbox does not contain them. */
export function mountsOf(
  config: Config,
  group: string,
  here: Pick<Inside, 'run' | 'runner'> & Partial<Pick<Inside, 'node' | 'sdk' | 'program'>>,
  extra: readonly ExtraMount[],
): readonly Mount[] {
  const read = (from: string, to: string): Mount => ({ from, to, write: false });
  const write = (from: string, to: string): Mount => ({ from, to, write: true });
  const { work, agentHome, snapshots } = groupFolders(config, group);
  const global = path.join(config.groupsPath, globalFolder);
  const isMain = group === mainGroup;
  return [
    write(work, insidePaths.work),
    write(agentHome, insidePaths.home),
    isMain ? write(global, insidePaths.global) : read(global, insidePaths.global),
    ...(isMain ? [read(config.groupsPath, insidePaths.groups)] : []),
    read(snapshots, insidePaths.snapshots),
    ...extra.map(({ name, from, write: writable }) => ({
      from,
      to: path.posix.join(insidePaths.extra, name),
      write: writable,
    })),
    read(here.run, insidePaths.run),
    read(here.runner, insidePaths.runner),
    ...(here.node === undefined ? [] : [read(here.node, insidePaths.node)]),
    ...(here.sdk === undefined ? [] : [read(here.sdk, insidePaths.sdk)]),
    ...(here.program === undefined ? [] : [read(here.program, insidePaths.program)]),
  ];
}

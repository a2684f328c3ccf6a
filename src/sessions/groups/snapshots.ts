// JSON files that tell a group's process about its group, without access to the database. Only we write to their folder.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { mainGroup } from '../../schema/group.ts';
import type { Store } from '../../store/store.ts';
import { explain } from '../../system/errors.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { groupFolders } from './group-folders.ts';

/** A task of the group's agent. The host defines its fields. */
export type Task = Readonly<Record<string, unknown>>;

export interface Snapshots {
  readonly history: string;
  readonly tasks: string;
  /** For main only. */
  readonly groups?: string | undefined;
}

export async function writeSnapshots(
  { store, config }: { readonly store: Pick<Store, 'groups'>; readonly config: Config },
  group: string,
  tasks: readonly Task[],
): Promise<Snapshots> {
  const { snapshots } = groupFolders(config, group);
  const put = (name: string, value: unknown): string => {
    const file = path.join(snapshots, name);
    replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, 0o600);
    return file;
  };
  try {
    fs.mkdirSync(snapshots, { recursive: true, mode: 0o700 });
    const history = put('session_history.json', { sessions: await store.groups.bookmarks(group) });
    const current = put('current_tasks.json', { tasks });
    if (group !== mainGroup) return { history, tasks: current };
    const all = await store.groups.list();
    const groups = put('available_groups.json', {
      groups: all.map(({ name, createdAt, bookmarks, pointer }) => ({
        name,
        createdAt,
        bookmarks,
        active: pointer.session !== undefined,
      })),
    });
    return { history, tasks: current, groups };
  } catch (error) {
    throw explain(error, snapshots);
  }
}

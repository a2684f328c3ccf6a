// The person's allow-list of further folders, `mounts.json` in the data folder, where no agent can write. Paths that may hold credentials
// are not mounted, whatever the list says.
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { explain, HoldfastError, systemCode } from '../../system/errors.ts';
import type { ExtraMount } from './mounts.ts';
import { realPath } from './real-path.ts';

const AllowList = z.array(
  z.strictObject({
    /** The absolute path of a folder or file. */
    path: z.string().startsWith('/'),
    /** Its name below /workspace/extra. By default its own. */
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
      .optional(),
    /** The groups whose agents see it; `*` means all. */
    groups: z.array(z.string().min(1)).min(1),
    write: z.boolean().default(false),
  }),
);
type Row = z.infer<typeof AllowList>[number];

/** In addition to everything hidden, where keys, tokens and settings of programs lie: .ssh, .aws, .config, .netrc, .env … */
const names =
  /^(?:credentials?|secrets?|private[-_]?keys?|keychains?|keyrings?|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|kdbx))$/i;

/** They belong to the system, not to a project. */
const systemFolders = ['/boot', '/dev', '/etc', '/proc', '/root', '/run', '/sys', '/var/lib', '/var/run', '/var/spool'];

/** What the list gives to this group. Throws if the list, or a mount for this group, cannot be trusted. */
export function extraMounts(config: Pick<Config, 'home' | 'userHome'>, group: string): readonly ExtraMount[] {
  const file = path.join(config.home, 'mounts.json');
  const rows = readList(file);
  const mounts = rows
    .filter(({ groups }) => groups.includes(group) || groups.includes('*'))
    .map((row) => {
      const reason = refusal(row, rows, config);
      if (reason !== undefined)
        throw new HoldfastError('NO_PERMISSION', `${file}: ${row.path} is not mounted: ${reason}`, {
          hint: `Correct or remove it in ${file}.`,
        });
      return { name: row.name ?? path.basename(plain(row.path)), from: plain(row.path), write: row.write };
    });
  const twice = mounts.find(({ name }, i) => mounts.findIndex((other) => other.name === name) !== i);
  if (twice === undefined) return mounts;
  throw new HoldfastError('BAD_INPUT', `${file}: two mounts of ${group} are called ${twice.name}`, {
    hint: 'Give one of them another "name".',
  });
}

function readList(file: string): readonly Row[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw explain(error, file);
  }
  try {
    return AllowList.parse(JSON.parse(text));
  } catch (error) {
    throw new HoldfastError('BAD_INPUT', `${file} is not a list of mounts`, {
      hint: 'It looks like this: [{"path": "/srv/project", "groups": ["main"], "write": false}]',
      cause: error,
    });
  }
}

function refusal(row: Row, rows: readonly Row[], config: Pick<Config, 'home' | 'userHome'>): string | undefined {
  const from = plain(row.path);
  let real: string;
  try {
    real = realpathSync(from);
  } catch {
    // Whatever the reason, it cannot be checked.
    return 'it cannot be found';
  }
  // A process that can write to the folder of the link can change its target.
  if (real !== from) return `it is a link, or lies behind one; it leads to ${real}`;
  const steps = real.split('/').slice(1);
  if (steps.some((step) => step.startsWith('.')))
    return 'it is hidden, or in a hidden folder, where credentials are kept';
  if (steps.some((step) => names.test(step))) return 'its name suggests that it holds credentials';
  if (isBelow(realPath(config.userHome), real)) return 'it would show the whole home folder';
  for (const folder of systemFolders)
    if (isBelow(real, folder) || isBelow(folder, real)) return `it belongs to the system (${folder})`;
  const home = realPath(config.home);
  if (isBelow(real, home) || isBelow(home, real)) return "it would show Holdfast's own data";
  if (rows.some((other) => other !== row && other.write && isBelow(real, plain(other.path))))
    return 'it lies in another folder of the list that agents may write in, so they could swap it';
  return undefined;
}

/** Without `..`, and without a slash at its end. */
const plain = (file: string): string => path.resolve(file);

/** Or the same folder. */
const isBelow = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

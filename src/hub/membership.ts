// What this machine knows about its hub, in `hub.json`. Only the owner may read the file: it holds a password and the machine's secret.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { explain, HoldfastError, systemCode } from '../system/errors.ts';
import { replaceFile, syncFolder } from '../system/replace-file.ts';

const Membership = z.object({
  url: z.string().min(1),
  /** The address with which the hub was created: it can invite and revoke. */
  adminUrl: z.string().min(1).optional(),
  hub: z.string().min(1),
  person: z.string().min(1),
  personId: z.int(),
  machine: z.string().min(1),
  machineId: z.int(),
  secret: z.string().min(1),
  joinedAt: z.string(),
});
export type Membership = z.infer<typeof Membership>;

export const membershipFile = (home: string): string => path.join(home, 'hub.json');

/** Undefined if this machine has not joined a hub. */
export function readMembership(home: string): Membership | undefined {
  const file = membershipFile(home);
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw explain(error, file);
  }
  const hint = 'Remove the file, and join the hub again with a new invitation: `holdfast hub join`.';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new HoldfastError('UNREADABLE', `${file} is not valid JSON`, { hint, cause: error });
  }
  const { data } = Membership.safeParse(json);
  if (data === undefined) throw new HoldfastError('UNREADABLE', `${file} is not what Holdfast wrote there`, { hint });
  return data;
}

export function needMembership(home: string): Membership {
  const found = readMembership(home);
  if (found !== undefined) return found;
  throw new HoldfastError('NOT_FOUND', 'This machine has not joined a hub', {
    hint: 'Join one with `holdfast hub join <postgres-url>`, or make one with `holdfast hub init <postgres-url>`.',
  });
}

export function writeMembership(home: string, membership: Membership): void {
  try {
    replaceFile(membershipFile(home), `${JSON.stringify(membership, null, 2)}\n`, 0o600);
  } catch (error) {
    throw explain(error, membershipFile(home));
  }
}

export function removeMembership(home: string): void {
  fs.rmSync(membershipFile(home), { force: true });
  syncFolder(home);
}

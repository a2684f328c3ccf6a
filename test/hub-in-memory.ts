// A hub in this process: PGlite, which has pgvector. `anna` has joined it with one machine, and shares a project with the team.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { initHub, invitePerson } from '../src/hub/admin.ts';
import type { HubClient } from '../src/hub/connect.ts';
import { readAddress } from '../src/hub/url.ts';

export async function openHubInMemory() {
  const db = await PGlite.create({ extensions: { vector } });
  const client = clientOf(db);
  const [{ name } = { name: '' }] = (await db.query<{ name: string }>('SELECT current_database() AS name')).rows;
  const address = readAddress(`postgres://postgres@localhost/${name}`);
  /** What `initHub` returns, the first time and the second. */
  const made = [await initHub(client, address), await initHub(client, address)] as const;
  const { url } = await invitePerson(client, address, 'anna');
  await db.exec('SET SESSION AUTHORIZATION holdfast_anna');
  await db.query('SELECT holdfast.join_hub($1, $2, sha256($3))', [
    readAddress(url).code,
    'laptop',
    Buffer.from('secret'),
  ]);
  await db.exec("SELECT set_config('holdfast.machine', 'secret', false)");
  await db.exec("SELECT holdfast.share('github.com/acme/app', 'app', 'team')");
  return { db, client, made };
}

export const clientOf = (db: PGlite): HubClient => ({
  async query<Row>(sql: string, values?: readonly unknown[]) {
    if (values === undefined) {
      const last = (await db.exec(sql)).at(-1);
      return { rows: (last?.rows ?? []) as Row[], rowCount: last?.affectedRows ?? 0 };
    }
    const { rows, affectedRows } = await db.query(sql, values as unknown[]);
    return { rows: rows as Row[], rowCount: affectedRows ?? 0 };
  },
  end: async () => {},
});

// Whether the exchange with the hub works, according to the last exchange. Makes no network request.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';
import type { Check } from './doctor.ts';

export const hubExchanged = 'hub: exchanged';
export const hubTrouble = 'hub: trouble';

export const hasJoinedHub = ({ home }: Pick<Config, 'home'>): boolean => fs.existsSync(path.join(home, 'hub.json'));

/** If the hub does not answer, nothing is lost: report a note, not a failure. */
export async function checkHub(store: Pick<Store, 'hub'>, config: Config): Promise<Check[]> {
  if (!hasJoinedHub(config)) return [];
  const [last, trouble] = [await store.hub.note(hubExchanged), await store.hub.note(hubTrouble)];
  const when = last === undefined ? 'no exchange yet' : `last exchange ${last}`;
  if (trouble === undefined) return [{ name: 'hub', ok: true, message: when }];
  const { message, hint } = JSON.parse(trouble) as { message: string; hint?: string };
  return [{ name: 'hub', ok: false, message: `${message}; ${when}`, ...(hint === undefined ? {} : { hint }) }];
}

// What teammates did recently, noted for briefings whenever it changes.
import { type TeamSession, teammatesNote } from '../recall/briefing/teammates.ts';
import type { Store } from '../store/store.ts';
import { readPullNote } from './pull.ts';

const mostSessions = 300;
const mostOfAProject = 8;

export async function noteTeammates(store: Pick<Store, 'hub'>, team: Pick<Store, 'hub' | 'sessions'>): Promise<void> {
  const { machines } = await readPullNote(store);
  const found: Record<string, TeamSession[]> = {};
  for (const { agent, id, projectPath, title, endedAt } of await team.sessions.list({ limit: mostSessions })) {
    const list = found[projectPath] ?? [];
    if (list.length >= mostOfAProject) continue;
    const [key = ''] = await team.hub.transcriptKeys({ agent, session: id });
    const person = machines[key.split('/')[1] ?? '']?.person;
    if (person === undefined) continue;
    list.push({ person, session: id, title, at: Date.parse(endedAt) });
    found[projectPath] = list;
  }
  const text = JSON.stringify(found);
  if ((await store.hub.note(teammatesNote)) !== text) await store.hub.setNote(teammatesNote, text);
}

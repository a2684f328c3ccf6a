// A session that this machine knows through the hub: downloads its transcript and puts it where the agent looks for it.
import fs from 'node:fs';
import { agents } from '../../agents/index.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Session } from '../../schema/session.ts';
import type { Context } from '../operation.ts';
import { find } from '../recall/find.ts';

/** A teammate's session by id; undefined if no teammate shares one. */
export async function teammatesSession(
  { config }: Context<never>,
  id: string,
  agent: AgentName | undefined,
): Promise<Session | undefined> {
  const { openTeamStore } = await import('../../hub/team-store.ts');
  const team = await openTeamStore(config.home, false);
  if (team === undefined) return undefined;
  try {
    return (await find(team, id, agent)).session;
  } catch {
    // The caller reports that there is no such session.
    return undefined;
  } finally {
    await team.close();
  }
}

/** The file that was written, if the hub has a copy. */
export async function transcriptFromHub(
  { config }: Context<never>,
  { agent, id, cwd }: Session,
): Promise<string | undefined> {
  const known = agents.find(({ name }) => name === agent);
  const { readMembership } = await import('../../hub/membership.ts');
  const membership = readMembership(config.home);
  if (membership === undefined || known === undefined) return undefined;
  const [{ connectAs }, { fetchTranscript, placeTranscript }] = await Promise.all([
    import('../../hub/connect.ts'),
    import('../../hub/copies.ts'),
  ]);
  const client = await connectAs(membership);
  try {
    const found = await fetchTranscript(client, agent, id);
    if (found === undefined) return undefined;
    // The folder as the agent sees it, with links resolved.
    const folder = fs.existsSync(cwd) ? fs.realpathSync(cwd) : cwd;
    return placeTranscript(config.watchPath(known), found.key, folder, agent, found.text);
  } finally {
    await client.end();
  }
}

// What a session used and how it ended, beside what its transcript says.
import { tokensIn, totalCost } from '../../language/token-costs.ts';
import type { Session } from '../../schema/session.ts';
import type { Context } from '../operation.ts';

const keyOf = ({ agent, session }: { readonly agent: string; readonly session: string }) => `${agent} ${session}`;

/** The sessions with their tokens, cost and outcome, where these are known. */
export async function withAccounts(
  { store, config }: Pick<Context<'sessions' | 'usage'>, 'store' | 'config'>,
  sessions: readonly Session[],
): Promise<Session[]> {
  const keys = sessions.map(({ agent, id }) => ({ agent, session: id }));
  const outcomes = new Map((await store.sessions.outcomes(keys)).map((one) => [keyOf(one), one.outcome]));
  const usage = new Map((await store.usage.all()).map((one) => [keyOf(one), one.models]));
  const { prices } = config.settings;
  return sessions.map((session) => {
    const key = keyOf({ agent: session.agent, session: session.id });
    const [models = [], outcome] = [usage.get(key), outcomes.get(key)];
    const [tokens, cost] = [tokensIn(models), totalCost(models, prices)];
    return {
      ...session,
      ...(tokens === 0 ? {} : { tokens }),
      ...(cost === undefined ? {} : { cost }),
      ...(outcome === undefined ? {} : { outcome }),
    };
  });
}

// Distils a whole session at once without a model: its observations and its summary, from a single read.
import type { NewObservation, NewSummary } from '../../store/distilled/port.ts';
import type { Store } from '../../store/store.ts';
import { readSession, type TurnKey } from '../material.ts';
import { observationOf, summaryOf } from '../rows.ts';
import { observeTurn } from './observe.ts';
import { summarizeSession } from './summarize.ts';

const maker = { by: 'offline', tokens: 0 };

export async function distillSession(
  store: Pick<Store, 'entries'>,
  key: Omit<TurnKey, 'prompt'>,
): Promise<{ observations: NewObservation[]; summary: NewSummary | undefined }> {
  const session = await readSession(store, key);
  if (session === undefined) return { observations: [], summary: undefined };
  const observations = session.turns.flatMap((turn) => {
    const text = observeTurn(turn);
    return text === undefined ? [] : [observationOf(turn, text, maker)];
  });
  const account = summarizeSession(session);
  return { observations, summary: account === undefined ? undefined : summaryOf(session, account, maker) };
}

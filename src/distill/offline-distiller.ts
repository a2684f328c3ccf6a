import type { Distiller } from './distiller.ts';
import { noUsage } from './models/model.ts';
import { extractConversation } from './offline/extract.ts';
import { observeTurn } from './offline/observe.ts';
import { summarizeSession } from './offline/summarize.ts';

/** Deterministic and extractive: its text depends on the material alone. It needs no network. */
export const offlineDistiller: Distiller = {
  name: 'offline',
  rules: '9',
  parallel: 1,
  turns: 100,
  mixed: true,
  readsPages: false,
  estimate: () => 0,
  observe: async (turns) => ({ value: turns.map(observeTurn), usage: noUsage }),
  summarize: async ({ session }) => ({ value: summarizeSession(session), usage: noUsage }),
  remember: async ({ conversation }) => ({ value: extractConversation(conversation), usage: noUsage }),
};

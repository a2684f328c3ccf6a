// The real Gemini CLI, from npm, against a mock of its model. The other agents are larger: npm run test:agents.
import { it } from 'vitest';
import { connectedAndBriefed, resumedAfterDeletion } from '../agents/lives.ts';
import { isInstalled, type Program, programs } from '../agents/programs.ts';
import { because } from '../because.ts';

const gemini = programs.find(({ name }) => name === 'gemini') as Program;
// The setup installs it, so in CI these tests fail without it.
const missing = process.env.CI || isInstalled(gemini) ? undefined : 'Gemini CLI is not installed for the tests';

it.skipIf(missing)(because('Gemini CLI is connected, captured live and briefed', missing), () =>
  connectedAndBriefed(gemini),
);

it.skipIf(missing)(because('Gemini CLI continues a session that it has lost', missing), () =>
  resumedAfterDeletion(gemini),
);

// The real Gemini CLI, from npm, against a mock of its model. The other agents are larger: npm run test:agents.
import { it } from 'vitest';
import { connectedAndBriefed, resumedAfterDeletion } from '../agents/lives.ts';
import { isInstalled, type Program, programs } from '../agents/programs.ts';
import { because } from '../because.ts';

const gemini = programs.find(({ name }) => name === 'gemini') as Program;
const missing = isInstalled(gemini) ? undefined : 'Gemini CLI is not installed for the tests';
const test = it.skipIf(missing);

test(because('Gemini CLI is connected, captured live and briefed', missing), () => connectedAndBriefed(gemini));

test(because('Gemini CLI continues a session that it has lost', missing), () => resumedAfterDeletion(gemini));

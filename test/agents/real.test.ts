// The real programs: connected to Holdfast, captured while they run, briefed, resumed after a loss, and continued in each other.
import { expect, it } from 'vitest';
import { ask } from '../e2e/holdfast.ts';
import { connectedAndBriefed, machine, resumedAfterDeletion } from './lives.ts';
import { type Program, programs, runsHere } from './programs.ts';

const here = programs.filter(runsHere);
const cases = here.map((program) => [program.name, program] as const);

it.each(cases)(
  '%s: connected, captured live, briefed, and nothing of Holdfast left in its settings after uninstall',
  (_, agent) => connectedAndBriefed(agent),
);

it.each(cases)('%s: a session that the agent has lost continues where it was', (_, agent) =>
  resumedAfterDeletion(agent),
);

it.each(
  here
    .map((program, i) => [program, here[(i + 1) % here.length] as Program] as const)
    .map(([a, b]) => [a.name, b.name, a, b] as const),
)(
  'a session of %s is continued in %s, which knows the conversation; it is linked, and nothing is stored twice',
  async (_, into, from, to) => {
    const { env, run, asked, sessions } = machine([from, to]);
    await run(from, from.prompt('Which port do the notes name?'));
    await ask(env, 'ingest');
    const [first] = await sessions(from);
    const { carried, before } = await ask(env, 'resume', first?.id ?? '', '--in', into, '--print');
    if (before !== undefined) await run(to, before.slice(1));
    await run(to, to.goOn(carried.session, 'NOTOOLS go on there'));
    const request = asked('go on there').find((line) => line.includes('continued from'));
    expect(request).toContain('Which port do the notes name?');
    expect(request).toContain('missing.txt');
    await ask(env, 'ingest');
    const next = (await sessions(to)).filter(({ id }) => to.forks === true || id === carried.session);
    expect(next).toMatchObject([{ entries: 2, forkOf: first?.id }]);
  },
);

// Ten tasks of a person at a terminal, each with the number of steps it takes. A step is a command, or words or a key
// typed into a command that is waiting.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { program } from './holdfast.ts';
import { noTmux, screen } from './screen.ts';
import { gulls, lamp, lampDay, secret, tenTasks } from './ten-tasks.ts';
import type { ViewerStand } from './viewer-stand.ts';

describe.skipIf(noTmux)(because('a person at a terminal', noTmux), () => {
  let stand: ViewerStand;
  beforeAll(async () => {
    stand = await tenTasks();
  });
  afterAll(() => stand?.close());

  /** A new screen, so that nothing on it comes from an earlier step, and a count of the steps. */
  async function person() {
    const bins = [path.join(stand.folder, 'bin'), path.dirname(program), stand.env.PATH];
    const shown = await screen({ ...stand.env, PATH: bins.join(':'), PAGER: 'cat', TERM: 'screen-256color' }, 110, 50);
    let steps = 0;
    return {
      ...shown,
      steps: () => steps,
      run(command: string) {
        steps++;
        shown.run(`clear; ${command}; echo "step ${steps} ended with $?"`);
      },
      type(words: string) {
        steps++;
        shown.type(words);
      },
      press(key: string) {
        steps++;
        shown.press(key);
      },
    };
  }
  const idAfter = (text: string, words: string): string => new RegExp(`${words} (\\S+)`).exec(text)?.[1] ?? '';

  it('1. finds where something was decided, before talk about it, in one step', async () => {
    const at = await person();
    at.run('holdfast search lamp shutter decided');
    await at.sees(/Decision.*glass chimney/);
    await at.sees(`holdfast show ${lamp.slice(0, 8)}`);
    const hits = at.shown();
    const filler = hits.indexOf('Good question');
    expect(filler === -1 || hits.search(/Decision/) < filler, hits).toBe(true);
    expect(at.steps()).toBe(1);
  });

  it('2. finds the command that ran the end-to-end tests in one step', async () => {
    const at = await person();
    at.run('holdfast search command for the e2e tests');
    await at.sees(/^ {2}Bash {2}npm run test:e2e -- lamp$/m);
    expect(at.steps()).toBe(1);
  });

  it('3. finds a session by what was said and reads it in three steps', async () => {
    const at = await person();
    at.run('holdfast search --kind session');
    await at.sees('Type words');
    at.type('chimney');
    await at.sees(/^> .*lighthouse/m);
    at.press('Enter');
    await at.sees(/^The chimney is in place\.$/m);
    expect(at.shown()).toMatch(/^ {2}✓ \$ npm run test:e2e -- lamp$/m);
    expect(at.shown()).toMatch(/^Why does the lamp go out at night\?/m);
    expect(at.steps()).toBe(3);
  });

  it('4. sees what happened on a day in one step', async () => {
    const at = await person();
    at.run(`holdfast day ${lampDay}`);
    await at.sees(/^ {2}12:00 {2}Why does the lamp go out/m);
    await at.sees(/^ {2}\d\d:\d\d {2}Do that, and print the settings/m);
    expect(at.shown()).not.toContain('gulls');
    expect(at.steps()).toBe(1);
  });

  it('5. corrects a wrong memory in two steps, and the next briefing has the correction', async () => {
    const at = await person();
    at.run('holdfast search go test --kind memory');
    await at.sees(/holdfast get \w+/);
    const id = idAfter(at.shown(), 'holdfast get');
    at.run(`holdfast memory edit ${id} --text "Lighthouse tests run with mise"`);
    await at.sees('step 2 ended with 0');
    expect(at.steps()).toBe(2);
    const told = stand.run('briefing', '--project', path.join(stand.folder, 'lighthouse'));
    expect(told).toContain('run with mise');
    expect(told).not.toContain('go test');
  });

  it('7. lists the files that a session changed in one step', async () => {
    const at = await person();
    at.run(`holdfast show ${lamp.slice(0, 8)} --files -n 1`);
    await at.sees(/^files +src\/wick\.ts {2}changed$/m);
    expect(at.steps()).toBe(1);
  });

  it('8. continues an old session in three steps', async () => {
    const at = await person();
    at.run('holdfast resume');
    await at.sees('Esc leaves');
    at.type('seven gulls');
    await at.sees(/^> .*Count the gulls/m);
    at.press('Enter');
    await at.sees(`agent in ${path.join(stand.folder, 'shore')} with --resume ${gulls}`);
    expect(at.steps()).toBe(3);
  });

  it('9. compares projects in one step', async () => {
    const at = await person();
    at.run('holdfast activity');
    await at.sees(/^lighthouse +1 +\d+ .*\/lighthouse$/m);
    await at.sees(/^shore +2 +\d+ .*\/shore$/m);
    expect(at.steps()).toBe(1);
  });

  it('10. sees what an agent was told in one step', async () => {
    const at = await person();
    at.run(`holdfast briefing --given ${gulls.slice(0, 8)}`);
    await at.sees(/^- Gulls are counted at dawn$/m);
    await at.sees('step 1 ended with 0');
    expect(at.steps()).toBe(1);
  });

  // The last one: forgetting also drops all briefings given since.
  it('6. forgets a secret in the output of a tool in three steps', async () => {
    const at = await person();
    at.run(`holdfast search ${secret}`);
    await at.sees(/→ harbour door: /);
    await at.sees('step 1 ended with 0');
    const id = idAfter(at.shown(), 'holdfast show');
    at.run(`holdfast forget ${id}`);
    await at.sees('[y/N]');
    at.type('y\n');
    await at.sees('step 2 ended with 0');
    expect(at.steps()).toBe(3);
    expect(JSON.parse(stand.run('search', secret, '--json')).hits.map(({ id }: { id: string }) => id)).not.toContain(
      id,
    );
    expect(stand.run('show', lamp, '--json')).not.toContain(secret);
  });
});

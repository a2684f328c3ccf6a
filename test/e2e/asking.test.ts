// Destructive commands at a real terminal: they say what they will delete and ask once. Leaving the prompt changes nothing.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { ask, place, program } from './holdfast.ts';
import { noTmux, screen } from './screen.ts';

describe.skipIf(noTmux)(because('a question at a terminal', noTmux), () => {
  it.each([
    ['sessions delete lamp', /Delete the session Mend the lamp: 1 entry, .*\[y\/N\]/],
    ['sessions purge --keep 0', /Delete 1 session: 1 entry, .*\[y\/N\]/],
    ['forget lamp', /Forget this session for good: Mend the lamp\? \[y\/N\]/],
  ])('%s: no, Ctrl+C and Ctrl+D change nothing; yes does it', async (command, question) => {
    const at = place();
    mkdirSync(path.join(at.claude, '-srv-lamp'), { recursive: true });
    const said = {
      type: 'user',
      uuid: 'lamp-1',
      sessionId: 'lamp',
      cwd: '/srv/lamp',
      timestamp: '2026-03-01T10:00:00Z',
    };
    const line = JSON.stringify({ ...said, message: { role: 'user', content: 'Mend the lamp' } });
    writeFileSync(path.join(at.claude, '-srv-lamp', 'lamp.jsonl'), `${line}\n`);
    await ask(at.env, 'ingest');
    const env = { ...at.env, PATH: `${path.dirname(program)}:${at.env.PATH}`, TERM: 'screen-256color' };
    const person = await screen(env, 160, 40);
    let round = 0;
    const answer = async (keys: string[], ended: string) => {
      round++;
      person.run(`clear; echo round ${round}; holdfast ${command}; echo "ended with $?"`);
      await person.sees(new RegExp(`round ${round}\\n${question.source}`));
      person.press(...keys);
      await person.sees(new RegExp(`^${ended}$`, 'm'));
      expect(person.shown()).not.toMatch(/Error|bug/);
    };
    for (const [keys, ended] of [
      [['n', 'Enter'], 'ended with 1'],
      [['Enter'], 'ended with 1'],
      [['C-c'], 'ended with 130'],
      [['C-d'], 'ended with 130'],
    ] as const) {
      await answer([...keys], ended);
      expect((await ask(at.env, 'sessions')).sessions).toHaveLength(1);
    }
    await answer(['y', 'Enter'], 'ended with 0');
    expect((await ask(at.env, 'sessions')).sessions).toHaveLength(0);
  });
});

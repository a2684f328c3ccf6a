// Carries a session into another agent with a process that is killed. The next process finishes, and nothing is stored twice.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { because } from '../because.ts';
import { answer, bytesOf, prompt } from '../contracts/transcript-builder.ts';
import { ask, place } from './holdfast.ts';
import { killAtEach, noTrace } from './kill-at.ts';

it.skipIf(noTrace)(
  because('a kill at any durable step leaves no half session, and no copy is stored', noTrace),
  async () => {
    const at = place();
    const cwd = path.join(at.folder, 'proj');
    const file = path.join(at.claude, 'proj', 's1.jsonl');
    for (const folder of [cwd, path.dirname(file)]) mkdirSync(folder, { recursive: true });
    writeFileSync(file, bytesOf([prompt('u1', 'Which port?', 0, { cwd }), answer('a1', 'It is 4711.', 1, { cwd })]));
    await ask(at.env, 'ingest');
    const rounds = await killAtEach(
      at,
      () => ['resume', 's1', '--in', 'codex', '--print'],
      async () => {
        // Whatever file exists is complete and known to be a copy.
        expect(await ask(at.env, 'ingest')).toMatchObject({ entries: { added: 0, malformed: 0 }, problems: [] });
      },
    );
    expect(rounds).toBeGreaterThan(2);
    const { sessions } = await ask(at.env, 'sessions');
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(['s1']);
    const codex = readdirSync(path.join(at.env.HOME ?? '', '.codex'), { recursive: true, encoding: 'utf8' });
    expect(codex.filter((name) => name.endsWith('.jsonl')).length).toBeGreaterThan(0);
    expect(codex.filter((name) => name.endsWith('.draft'))).toEqual([]);
  },
);

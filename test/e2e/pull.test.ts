// A pull, or a forget of what was pulled, that is killed at any moment is finished by the next one.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { because } from '../because.ts';
import { addSession, fillWithSample, openCodeDatabase } from '../opencode-database.ts';
import { ask, type Place, place } from './holdfast.ts';
import { expectKillsCostNothing, killAtEach, noTrace } from './kill-at.ts';
import { rowsOf } from './rows.ts';

function withOpenCode(): Place {
  const at = place();
  const db = openCodeDatabase(path.join(at.env.HOME ?? '', '.local/share/opencode/opencode.db'));
  fillWithSample(db);
  const turns = Array.from({ length: 40 }, (_, i) => ({ prompt: `ask ${i}.`, answer: `say ${i} `.repeat(20) }));
  for (const [i, name] of ['ses_a', 'ses_b'].entries())
    addSession(db, name, turns, { from: Date.parse('2026-03-02T09:00:00Z') + i });
  db.close();
  return at;
}

const entriesOf = (at: Place) => rowsOf(at.database).get('entries');
const pulled = (at: Place) => path.join(at.home, 'pulled', 'opencode');
const held = (at: Place) => readFileSync(path.join(pulled(at), 'ses_a.jsonl'), 'utf8');

it.skipIf(noTrace)(because('a kill at any durable step of a pull costs nothing', noTrace), async () => {
  expect(await expectKillsCostNothing(withOpenCode, entriesOf)).toHaveLength(21 + 160);
});

it.skipIf(noTrace)(
  because('a forget killed at any durable step leaves nothing of it in the pulled transcript', noTrace),
  async () => {
    const at = withOpenCode();
    await ask(at.env, 'ingest');
    const { entries } = await ask(at.env, 'show', 'ses_a', '--limit', '100');
    const idOf = (text: string): string =>
      entries.find((one: { text: string; id: string }) => one.text === text)?.id ?? `no entry says ${text}`;
    const rounds = await killAtEach(
      at,
      (round) => ['forget', idOf(`ask ${round}.`), '--yes'],
      async () => {},
    );
    // The last run finished, and completed the earlier ones that were killed after their rows were deleted.
    expect(rounds).toBeGreaterThan(3);
    expect(held(at)).not.toContain(`ask ${rounds}.`);
    const left = (await ask(at.env, 'show', 'ses_a', '--limit', '100')).entries.map(
      ({ text }: { text: string }) => text,
    );
    for (let round = 1; round <= rounds; round++)
      expect(held(at).includes(`"ask ${round}."`)).toBe(left.includes(`ask ${round}.`));
    expect(readdirSync(pulled(at)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await ask(at.env, 'ingest');
    expect(held(at)).not.toContain(`ask ${rounds}.`);
  },
);

it.skipIf(noTrace)(
  because('a pull that is killed while it hides what a late prompt makes private leaves nothing of it', noTrace),
  async () => {
    const at = place();
    const storage = path.join(at.env.HOME ?? '', '.local/share/opencode/storage');
    const put = (name: string, value: unknown) => {
      mkdirSync(path.dirname(path.join(storage, name)), { recursive: true });
      writeFileSync(path.join(storage, `${name}.json`), JSON.stringify(value));
    };
    const say = (n: number, role: string, text: string) => {
      const created = Date.parse('2026-03-02T09:00:00Z') + n * 1000;
      put(`message/ses_a/msg_${n}`, { id: `msg_${n}`, role, time: { created, completed: created + 9 } });
      const part = { type: 'text', text, time: { start: created, end: created + 5 } };
      put(`part/msg_${n}/prt_${n}`, { id: `prt_${n}`, messageID: `msg_${n}`, ...part });
    };
    put('session/global/ses_a', { id: 'ses_a', directory: '/home/dev/proj', time: { created: 1 } });
    say(2, 'assistant', 'kumquat it is');
    say(3, 'user', 'next');
    say(4, 'assistant', 'gladly');
    await ask(at.env, 'ingest');
    expect(held(at)).toContain('kumquat');
    say(1, 'user', '<private>kumquat</private>');
    const rounds = await killAtEach(
      at,
      () => ['ingest'],
      async () => {},
    );
    expect(rounds).toBeGreaterThan(3);
    expect(held(at)).not.toContain('kumquat');
    expect(JSON.stringify(entriesOf(at))).not.toContain('kumquat');
    const { entries } = await ask(at.env, 'show', 'ses_a');
    expect(entries.map(({ text }: { text: string }) => text)).toEqual(['next', 'gladly']);
  },
);

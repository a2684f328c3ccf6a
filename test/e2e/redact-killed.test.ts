// SIGKILL while texts stored under older rules are redacted: after the next start no secret is left in any file, and nothing else is lost.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { briefingFolder } from '../../src/system/briefing-folder.ts';
import { because } from '../because.ts';
import { answer, bytesOf, prompt, toolResult, toolUse } from '../contracts/transcript-builder.ts';
import { ask, type Place, place, temporaryFolder } from './holdfast.ts';
import { killAtEach, noTrace } from './kill-at.ts';
import { expectSameRows, rowsOf } from './rows.ts';

/** More than two batches of rows. */
const prompts = 700;
/** A word that an older version stored → the secret in its place. */
const canaries = new Map(
  ['prompt', 'folder', 'tool', 'input', 'output', 'file', 'early'].map((name, i) => [
    `plain-${name}`,
    `ghp_${'aB3dE6gH9'.repeat(4).slice(0, 35)}${i}`,
  ]),
);
const put = (text: string): string => [...canaries].reduce((all, [word, secret]) => all.replaceAll(word, secret), text);

const lines = () => [
  prompt('p', 'say plain-prompt', 0, { cwd: '/srv/plain-folder' }),
  answer('r', [toolUse('t', 'plain-tool', { file_path: '/srv/plain-file', command: 'echo plain-input' })], 1),
  toolResult('s', 't', 'it says plain-output', 2),
  ...Array.from({ length: prompts }, (_, i) => prompt(`n${i}`, `${i} says plain-prompt`, 3 + i)),
];

/** A data folder of an older version: secrets in rows, copies, a copy of a transcript that was cut, and a briefing. */
async function older(): Promise<{ own: Place; origin: string }> {
  const own = place();
  const folder = path.join(own.claude, 'p');
  mkdirSync(folder, { recursive: true });
  const write = (parts: Parameters<typeof bytesOf>[0]) => {
    writeFileSync(path.join(folder, 's1.jsonl'), bytesOf(parts));
  };
  write([prompt('e0', 'first plain-early', 0), prompt('e1', 'second plain-early', 1), ...lines()]);
  await ask(own.env, 'ingest');
  await ask(own.env, 'vault', '--fill');
  write(lines());
  await ask(own.env, 'ingest');
  await ask(own.env, 'vault', '--fill');
  rmSync(folder, { recursive: true });

  const store = await openSqliteStore(own.database);
  while (!(await store.removal.rewriteTexts(50, { text: put, json: put }, 10_000)).outside);
  for (const copy of await store.vault.copies()) {
    const file = path.join(own.home, 'vault', copy.agent, `${copy.key}.gz`);
    const bytes = gzipSync(put(gunzipSync(readFileSync(file)).toString()));
    await store.vault.replace(copy, bytes.length, () => writeFileSync(file, bytes));
  }
  await store.close();
  const kept = path.join(own.home, 'vault', 'claude-code', 'p', 's1.kept-0.jsonl.gz');
  writeFileSync(kept, gzipSync(put(gunzipSync(readFileSync(kept)).toString())));
  rmSync(path.join(own.home, 'vault', 'redaction.json'));
  const db = new Database(own.database);
  db.prepare("DELETE FROM facts WHERE name = 'redaction'").run();
  db.close();
  const briefings = briefingFolder(own.home);
  briefings.putNotes('/srv/x', new Map([['project', briefings.putText('x', put('Last: plain-prompt'))]]));

  const origin = path.join(temporaryFolder(), 'origin');
  cpSync(own.home, origin, { recursive: true });
  return { own, origin };
}

function again({ own, origin }: { own: Place; origin: string }): void {
  rmSync(own.home, { recursive: true, force: true });
  cpSync(origin, own.home, { recursive: true });
}

/** `file: word` for each secret in the bytes of a file below the data folder. */
const survivors = ({ home }: Place, below = ''): string[] =>
  readdirSync(path.join(home, below), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(below, name))
    .filter((name) => statSync(path.join(home, name)).isFile())
    .flatMap((name) => {
      const bytes = readFileSync(path.join(home, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
      return [...canaries].flatMap(([word, secret]) => (text.includes(secret) ? [`${name}: ${word}`] : []));
    });

/** Each line of each copy. A partial copy that a kill left is a file that no undisturbed run leaves. */
const copiesOf = ({ home }: Place): Record<string, string[]> => {
  const folder = path.join(home, 'vault', 'claude-code');
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .sort()
      .map((name) => [
        name,
        gunzipSync(readFileSync(path.join(folder, name)))
          .toString()
          .split('\n'),
      ]),
  );
};

describe.skipIf(noTrace)(because('redacting again, killed at each call that makes a change durable', noTrace), () => {
  it('leaves no secret in the database, its log and the briefings after the next import', async () => {
    const stand = await older();
    const { own } = stand;
    expect(new Set(survivors(own).map((one) => one.split(': ')[1]))).toEqual(new Set(canaries.keys()));
    await ask(own.env, 'ingest');
    const expected = rowsOf(own.database);
    expect(expected.get('entries')?.length).toBeGreaterThan(prompts);

    const kills = await killAtEach(
      own,
      () => {
        again(stand);
        return ['ingest'];
      },
      async (round) => {
        await ask(own.env, 'ingest');
        expect(
          survivors(own).filter((one) => !one.startsWith('vault/')),
          `killed at call ${round}`,
        ).toEqual([]);
        expectSameRows(rowsOf(own.database), expected, `killed at call ${round}`);
      },
    );
    console.log(`import: ${kills} rounds`);
    expect(kills).toBeGreaterThan(6);
  });

  it('leaves no secret in the vault’s copies after the next run fills it, and loses none of their lines', async () => {
    const stand = await older();
    const { own, origin } = stand;
    await ask(own.env, 'ingest');
    rmSync(origin, { recursive: true });
    cpSync(own.home, origin, { recursive: true });
    await ask(own.env, 'vault', '--fill');
    const expected = copiesOf(own);
    expect(Object.keys(expected)).toContain('p/s1.kept-0.jsonl.gz');
    expect(expected['p/s1.jsonl.gz']?.length).toBeGreaterThan(prompts);

    const kills = await killAtEach(
      own,
      () => {
        again(stand);
        return ['vault', '--fill'];
      },
      async (round) => {
        await ask(own.env, 'vault', '--fill');
        expect(survivors(own), `killed at call ${round}`).toEqual([]);
        expect(copiesOf(own), `killed at call ${round}`).toEqual(expected);
      },
    );
    console.log(`vault: ${kills} rounds`);
    expect(kills).toBeGreaterThan(4);
  });
});

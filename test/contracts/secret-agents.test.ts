// A secret and a private passage in every text of every agent's transcripts, whatever field it stands in: none of them is stored.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { letters } from '../secret-shapes.ts';
import { all, benchFor, found, nameOf, names, pulledSets } from './agent-bench.ts';
import { fixtureSets } from './agent-fixtures.ts';
import type { Json } from './transcript-builder.ts';

/** Fields that tell a reader what it reads. A program makes the ids itself, so no person's secret gets there. */
const isStructure = (key: string): boolean =>
  /(?:^|_)(?:id|uuid|key)s?$|Ids?$|Uuid$|ID$|^(?:parent\w*|session|branchedFrom|type|role|kind|status|version|model|mode|api|state|say|ask|phase|operation|originator|source|provider|tool|name|time\w*|timestamp|created\w*|updated\w*|\w*_at|\w+Time|ts)$/i.test(
    key,
  );
const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\d[T ]|^\d+$/.test(text);

let made = 0;

const secret = (core: string): string => `ghp_${core}`;
const passage = (core: string): string => `<private>about ${core}</private>`;

/** `around` makes what is put into a text. The places are those of what must not be stored. */
function canaries(around: (core: string) => string) {
  const places = new Map<string, string>();
  const canary = (place: string): string => {
    const core = `a1${letters('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 34, ++made * 7919)}`;
    places.set(core, place);
    return around(core);
  };
  const withSecrets = (value: unknown, key: string, place: string): unknown => {
    if (typeof value === 'string') return isStructure(key) || isTime(value) ? value : inText(value, key, place);
    if (Array.isArray(value)) return value.map((item) => withSecrets(item, key, `${place}[]`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, withSecrets(item, name, `${place}.${name}`)]),
    );
  };
  /** JSON within a text stays JSON. */
  const inText = (text: string, key: string, place: string): string => {
    const inner = /^[[{]/.test(text) ? parsed(text) : undefined;
    if (inner !== undefined) return JSON.stringify(withSecrets(inner, key, `${place}>`));
    return `${text} ${canary(place)}`;
  };
  return { places, withSecrets, inText };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Rewriting = Pick<ReturnType<typeof canaries>, 'withSecrets' | 'inText'>;

function rewrite(file: string, { withSecrets, inText }: Rewriting): void {
  if (/\.(?:db|sqlite|vscdb)$/.test(file)) {
    rewriteDatabase(file, inText);
    return;
  }
  const text = fs.readFileSync(file, 'utf8');
  const line = (one: string): string => {
    const value = parsed(one);
    return typeof value === 'object' && value !== null ? JSON.stringify(withSecrets(value, '', '')) : one;
  };
  if (/\.json$/.test(file)) fs.writeFileSync(file, line(text));
  if (/\.jsonl$/.test(file)) fs.writeFileSync(file, text.split('\n').map(line).join('\n'));
}

function rewriteDatabase(file: string, inText: (text: string, key: string, place: string) => string): void {
  const database = new Database(file);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  for (const table of tables.filter((name) => !name.startsWith('sqlite_')))
    for (const row of database.prepare(`SELECT rowid AS row_number, * FROM "${table}"`).all() as Json[])
      for (const [column, value] of Object.entries(row)) {
        if (typeof value !== 'string' || isStructure(column) || isTime(value) || value === '') continue;
        database
          .prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`)
          .run(inText(value, column, `${table}.${column}`), row.row_number);
      }
  database.close();
}

const stored = (folder: string): string =>
  names(folder)
    .map((key) => {
      const bytes = fs.readFileSync(path.join(folder, key));
      return `${key}\n${(key.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('latin1')}`;
    })
    .join('\n');

describe.each(fixtureSets.map((set) => [nameOf(set), set] as const))('%s', (_, set) => {
  it.each([
    ['a secret', secret],
    ['a private passage', passage],
  ])('%s in any text of its transcripts is stored nowhere', async (_, around) => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    const made = canaries(around);
    for (const key of names(bench.watched)) rewrite(path.join(bench.watched, key), made);
    await bench.ingest();
    expect((await bench.store.sessions.list({})).length).toBeGreaterThan(0);
    await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY });
    await bench.closeStores();
    const text = stored(bench.config.home);
    expect(made.places.size).toBeGreaterThan(0);
    expect([...made.places].filter(([core]) => text.includes(core)).map(([, place]) => place)).toEqual([]);
  });
});

describe.each(pulledSets)('%s', (_, set) => {
  it('a title that the agent gave is not stored if every prompt was private', async () => {
    const bench = await benchFor(set);
    all(set, bench.watched);
    await bench.ingest();
    const { sessions, entries } = await found(bench.store, set);
    const titles = new Set(sessions.filter((one) => one.titleSource === 'agent').map(({ title }) => title));
    const said = [...entries.values()].flatMap((session) => session.said);
    const prompts = new Set(said.filter(({ author }) => author === 'person').map(({ text }) => text));
    const fresh = await benchFor(set);
    all(set, fresh.watched);
    const text = (one: string): string => {
      const inner = /^[[{]/.test(one) ? parsed(one) : undefined;
      if (inner !== undefined) return JSON.stringify(anywhere(inner));
      // Some agents put quotation marks or an element around what was typed.
      const prompt = [...prompts].find((typed) => one.includes(typed));
      if (prompt !== undefined) return one.replace(prompt, () => `<private>${prompt}</private>`);
      return titles.has(one) ? 'told-by-the-title' : one;
    };
    const anywhere = (value: unknown): unknown => {
      if (typeof value === 'string') return text(value);
      if (Array.isArray(value)) return value.map(anywhere);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, anywhere(item)]));
    };
    for (const key of names(fresh.watched))
      rewrite(path.join(fresh.watched, key), { withSecrets: anywhere, inText: text });
    await fresh.ingest();
    const left = [...(await found(fresh.store, set)).entries.values()].flatMap((session) => session.said);
    expect(left.filter(({ author }) => author === 'person')).toEqual([]);
    await fresh.closeStores();
    expect(prompts.size).toBeGreaterThan(0);
    const kept = stored(fresh.config.home);
    const places = [...kept.matchAll(/told-by-the-title/g)].map(({ index }) =>
      kept.slice(Math.max(0, index - 160), index + 60),
    );
    expect(places).toEqual([]);
  });
});

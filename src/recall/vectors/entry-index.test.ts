import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunk, entry, rules } from '../../../test/contracts/chunks.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import type { NewEntry } from '../../store/transcripts/port.ts';
import { type EntryIndex, openEntryIndex } from './entry-index.ts';
import { flag } from './places.ts';

const dimensions = 256;
const model = 'm';
let folder: string;
let store: Store;
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-index-'));
  store = await openSqliteStore(path.join(folder, 'holdfast.db'));
  await store.vectors.wantModel(model);
});
afterEach(async () => {
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A vector that depends on the text alone. */
function vectorOf(text: string): Int8Array {
  let state = [...text].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0, 7);
  return Int8Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 24) - 128;
  });
}

async function embed(limit = 1000): Promise<void> {
  const texts = await store.vectors.pending(limit);
  await store.vectors.save(
    model,
    texts.map(({ kind, id, stamp, text }) => ({
      kind,
      id,
      stamp,
      vectors: text.startsWith('long') ? [vectorOf(text), vectorOf(`${text}, second part`)] : [vectorOf(text)],
    })),
  );
}

async function loaded(ceiling = 1e9, restMs?: number): Promise<EntryIndex> {
  const index = openEntryIndex(store, model, ceiling, restMs);
  await index.load();
  await index.update();
  return index;
}

/** Everything that an index says, by the rows of the store: places may have other numbers in another index. */
async function content({ places, scan }: EntryIndex, query: Int8Array): Promise<string[]> {
  const cosines = await scan(query);
  const lines: string[] = [];
  for (let place = 0; place < places.size; place++) {
    if ((places.flags[place] as number) & flag.gone) continue;
    const row = (at: number) => (at < 0 ? undefined : places.rowid[at]);
    lines.push(
      JSON.stringify([
        places.rowid[place],
        places.sessionRow(places.session[place] as number),
        row(places.previous[place] as number),
        row(places.next[place] as number),
        places.at[place],
        places.role[place],
        places.flags[place],
        places.length[place],
        (cosines[place] as number).toFixed(5),
      ]),
    );
    expect(places.placeOf(places.rowid[place] as number)).toBe(place);
  }
  return lines.sort();
}

describe('an index that follows the store', () => {
  it.each([1, 2, 3, 4, 5, 6])('equals a new one, after anything that can happen (%i)', async (seed) => {
    let state = seed;
    const dice = (sides: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * sides);
    };
    const files = Array.from({ length: 4 }, (_, i) => ({
      key: `p/f${i}.jsonl`,
      session: `s${i}`,
      entries: [] as NewEntry[],
    }));
    let serial = 0;
    const fresh = (session: string): NewEntry =>
      entry(`e${++serial}`, `${dice(4) === 0 ? 'long' : 'text'} ${serial} ${dice(9)}`, { session });
    // Freed place numbers are reused at once, or not at all.
    const follower = await loaded(1e9, seed % 2 === 0 ? -1 : undefined);
    for (let step = 0; step < 60; step++) {
      const file = files[dice(files.length)] as (typeof files)[number];
      const event = dice(8);
      if (event < 4) {
        const from = file.entries.length * 10;
        const added = Array.from({ length: 1 + dice(3) }, () => fresh(file.session));
        file.entries.push(...added);
        await store.transcripts.commit([chunk(added, { key: file.key, from, bornAt: files.indexOf(file) })], rules);
      } else if (event === 4 && file.entries.length > 0) {
        // Read again: some texts have changed, some are gone.
        const kept = file.entries.filter(() => dice(3) > 0);
        file.entries = kept.map((one) => (dice(2) ? { ...one, text: `${one.text} changed` } : one));
        await store.transcripts.commit(
          [chunk(file.entries, { key: file.key, restart: true, bornAt: files.indexOf(file) })],
          rules,
        );
      } else if (event === 5) {
        // A fork: the same entries in another file, which may turn out to be the older one.
        const copied = (files[dice(files.length)] as (typeof files)[number]).entries.slice(0, 2);
        const from = file.entries.length * 10;
        const added = copied.map((one) => ({ ...one, session: file.session }));
        file.entries.push(...added);
        if (added.length > 0)
          await store.transcripts.commit([chunk(added, { key: file.key, from, bornAt: files.indexOf(file) })], rules);
      } else if (event === 6)
        await store.removal.deleteSessions([{ agent: 'claude-code', session: file.session }], rules);
      else await embed(1 + dice(6));
      if (dice(3) === 0) {
        await follower.update();
        expect(await content(follower, vectorOf('q'))).toEqual(await content(await loaded(), vectorOf('q')));
      }
    }
    await embed();
    await follower.update();
    const after = await content(follower, vectorOf('q'));
    expect(after).toEqual(await content(await loaded(), vectorOf('q')));
  });

  it('reads nothing again while nothing changes', async () => {
    await store.transcripts.commit([chunk([entry('a', 'one')])], rules);
    await embed();
    const index = await loaded();
    const seen: unknown[] = [];
    const watched = {
      ...store,
      vectors: {
        ...store.vectors,
        of: (...args: Parameters<Store['vectors']['of']>) => {
          seen.push(args);
          return store.vectors.of(...args);
        },
      },
    };
    const follower = openEntryIndex(watched, model, 1e9);
    await follower.load();
    await follower.update();
    await follower.update();
    expect(seen).toEqual([]);
    expect(await content(follower, vectorOf('one'))).toEqual(await content(index, vectorOf('one')));
  });

  it('reads only new vectors when a session got vectors and nothing else changed', async () => {
    await store.transcripts.commit([chunk([entry('a', 'one'), entry('b', 'two')])], rules);
    await embed(1);
    const read: number[] = [];
    const watched = {
      ...store,
      vectors: {
        ...store.vectors,
        placesAfter: async (...args: Parameters<Store['vectors']['placesAfter']>) => {
          const page = await store.vectors.placesAfter(...args);
          read.push(...page.ids);
          return page;
        },
      },
    };
    const follower = openEntryIndex(watched, model, 1e9);
    await follower.load();
    await follower.update();
    read.length = 0;
    await embed();
    await follower.update();
    expect(read).toEqual([]);
    expect(await content(follower, vectorOf('one'))).toEqual(await content(await loaded(), vectorOf('one')));
  });

  it('sees what another connection wrote', async () => {
    const index = await loaded();
    const other = await openSqliteStore(path.join(folder, 'holdfast.db'));
    await other.transcripts.commit([chunk([entry('a', 'one')])], rules);
    await index.update();
    expect(index.places.size).toBe(1);
    await other.close();
  });
});

describe('cosines', () => {
  it('of searches that run at once do not mix', async () => {
    await store.transcripts.commit([chunk([entry('a', 'one'), entry('b', 'two')])], rules);
    await embed();
    const { scan } = await loaded();
    const [first, second] = await Promise.all([scan(vectorOf('one')), scan(vectorOf('two'))]);
    expect([first[0], second[1]].map((cosine) => cosine?.toFixed(3))).toEqual(['1.000', '1.000']);
  });

  it('are those of the texts, the best part of each, and 0 without a vector', async () => {
    await store.transcripts.commit([chunk([entry('a', 'one'), entry('b', 'long tale'), entry('c', '')])], rules);
    await embed();
    const { places, scan, similarity } = await loaded();
    const cosines = [...(await scan(vectorOf('long tale, second part')))];
    expect(cosines.map((cosine) => Math.round(cosine * 1000) / 1000)).toEqual([expect.any(Number), 1, 0]);
    expect(Math.abs(cosines[0] as number)).toBeLessThan(0.3);
    expect([...places.flags.slice(0, 3)].map((flags) => flags & flag.noVector)).toEqual([0, 0, flag.noVector]);
    expect(similarity(0, 0)).toBeCloseTo(1, 5);
    expect(similarity(0, 2)).toBe(0);
  });

  it('of two entries are those of their last vectors, which cover the whole texts', async () => {
    await store.transcripts.commit([chunk([entry('a', 'one'), entry('b', 'two')])], rules);
    const whole = vectorOf('the same');
    await store.vectors.save(
      model,
      (await store.vectors.pending(2)).map(({ text, ...one }) => ({ ...one, vectors: [vectorOf(text), whole] })),
    );
    const index = await loaded();
    expect(index.similarity(0, 1)).toBeCloseTo(1, 5);
    await store.transcripts.commit([chunk([entry('c', 'three')], { from: 20 })], rules);
    await store.vectors.save(
      model,
      (await store.vectors.pending(2)).map(({ text, ...one }) => ({ ...one, vectors: [vectorOf(text), whole] })),
    );
    await index.update();
    expect(index.similarity(0, 2)).toBeCloseTo(1, 5);
  });

  it('above the memory ceiling find the same entries first, exactly', async () => {
    const many = Array.from({ length: 300 }, (_, i) => entry(`e${i}`, `text ${i}`));
    await store.transcripts.commit([chunk(many)], rules);
    await embed(200);
    const small = await loaded(100 * dimensions);
    const whole = await loaded();
    await embed();
    await Promise.all([small.update(), whole.update()]);
    const query = vectorOf('text 77').map((value, i) => (i % 3 === 0 ? -value : value));
    const best = async (index: EntryIndex) => {
      return [...(await index.scan(query)).entries()]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 10)
        .map(([place, cosine]) => [index.places.rowid[place], cosine.toFixed(4)]);
    };
    expect(await best(small)).toEqual(await best(whole));
    expect(small.similarity(3, 3)).toBe(1);
    expect(Math.abs(small.similarity(3, 4))).toBeLessThan(0.4);
  });
});

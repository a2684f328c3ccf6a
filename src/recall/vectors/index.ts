// ④ Search by meaning, kept in memory: the places of all entries and the vectors of one model, loaded with the first search and updated
// before each. The store says which sessions have changed since.
import type { Config } from '../../config/config.ts';
import type { Embedder, Searched, WeightedWords } from '../../embedding/embedder.ts';
import { refineTexts } from '../../embedding/pending.ts';
import type { Store } from '../../store/store.ts';
import type { SubjectKind } from '../../store/vectors/port.ts';
import { openChoosing } from './choosing.ts';
import { type EntryIndex, openEntryIndex } from './entry-index.ts';
import type { VectorScan } from './place-vectors.ts';
import type { Places } from './places.ts';
import { openSubjectIndex, type SubjectIndex } from './subject-index.ts';

export { flag, type Places } from './places.ts';

export interface Meaning {
  /** Loads and updates what is needed. Contract: fails only if the store does; without vectors the note says why. */
  ready(): Promise<MeaningState>;
  /** From now on no search waits for the close reading of texts: this process does it in the background. */
  leaveReading(): void;
  close(): Promise<void>;
}

export interface MeaningState {
  readonly places: Places;
  /** Absent when entries cannot be compared by meaning. */
  readonly search?: MeaningSearch | undefined;
  /** Why search by meaning is missing or incomplete: a sentence for the answer. */
  readonly note?: string | undefined;
}

export interface MeaningSearch extends VectorScan {
  readonly model: string;
  /** Embedding a text takes microseconds. */
  readonly instant: boolean;
  /**
   * Reads closely those of these places that have a rough vector, in order, for as long as this process lets a search wait. Asks for the
   * places only if it may read. True when some were read: the state is then out of date. Contract: never throws; what cannot be stored stays rough.
   */
  readClosely(places: () => readonly number[]): Promise<boolean>;
  /** Undefined if the text says nothing. Fails if a model or its endpoint does. */
  embed(query: string, words?: WeightedWords, among?: Searched): Promise<Int8Array | undefined>;
  /** The cosine of the query with every observation, summary or memory that has a vector, by its row in the store. */
  scanSubjects(kind: SubjectKind, query: Int8Array): Promise<ReadonlyMap<number, number>>;
}

/** After this long without a search, the data is freed. The next search loads it again. */
const idleMs = 15 * 60_000;

export interface MeaningDeps {
  readonly store: Pick<Store, 'vectors'>;
  readonly config: Config;
  /** How long a search may wait for the close reading of its best candidates, asked as it begins. It reads a few in any case. */
  readonly closelyMs?: (() => number) | undefined;
}

export const usualCloselyMs = 120;
/** Texts per step. */
const readAtOnce = 4;

export function openMeaning({ store, config, closelyMs = () => usualCloselyMs }: MeaningDeps): Meaning {
  let loaded: EntryIndex | undefined;
  const subjects = new Map<SubjectKind, SubjectIndex>();
  let idle: NodeJS.Timeout | undefined;
  const choosing = openChoosing(store, config);
  let readsClosely = true;
  /** Concurrent searches share one read of the store. */
  let turn: Promise<unknown> = Promise.resolve();

  async function bringUpToDate(): Promise<MeaningState> {
    const { model, embedder: by, note } = await choosing.choose();
    clearTimeout(idle);
    idle = setTimeout(letGo, idleMs).unref();
    if (loaded === undefined || loaded.model !== model) {
      letGo();
      const fresh = openEntryIndex(store, model, ceiling());
      await fresh.load();
      loaded = fresh;
    }
    await loaded.update();
    const { places, scan, similarity, isRough } = loaded;
    if (by === undefined || model === undefined) return { places, ...(note === undefined ? {} : { note }) };
    const { instant, query: embed } = by;
    const scanSubjects: MeaningSearch['scanSubjects'] = (kind, query) => inTurn(() => scanKind(kind, model, query));
    return {
      places,
      search: {
        ...{ model, instant, embed, scan, similarity, isRough, scanSubjects },
        readClosely: (some) => readClosely(by, places, () => some().filter(isRough)),
      },
      ...(note === undefined ? {} : { note }),
    };
  }

  async function readClosely(by: Embedder, places: Places, find: () => readonly number[]): Promise<boolean> {
    if (!readsClosely || by.refine === undefined) return false;
    const some = find();
    if (some.length === 0) return false;
    const until = performance.now() + closelyMs();
    let read = 0;
    try {
      const texts = await store.vectors.rough(
        some.length,
        some.map((place) => places.rowid[place] as number),
      );
      for (let at = 0; at < texts.length && (at === 0 || performance.now() < until); at += readAtOnce)
        read += await refineTexts(store, by, texts.slice(at, at + readAtOnce), 'here');
    } catch {
      // A read-only store is searched with what it has.
    }
    return read > 0;
  }

  const ceiling = () => config.settings.vectorMemoryMb * 1e6;

  function letGo(): void {
    loaded = undefined;
    subjects.clear();
  }

  async function scanKind(kind: SubjectKind, model: string, query: Int8Array): Promise<ReadonlyMap<number, number>> {
    const index = subjects.get(kind) ?? openSubjectIndex(store, kind, model, ceiling());
    subjects.set(kind, index);
    await index.update();
    return index.scan(query);
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    // The caller gets the error; the next one still has its turn.
    turn = mine.catch(() => {});
    return mine;
  }

  return {
    ready: () => inTurn(bringUpToDate),
    leaveReading() {
      readsClosely = false;
    },
    async close() {
      await turn;
      clearTimeout(idle);
      await choosing.close();
    },
  };
}

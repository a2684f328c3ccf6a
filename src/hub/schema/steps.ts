// The hub's schema in PostgreSQL. Tables change step by step. Functions, policies and rights are replaced as a whole after the last step.
// Members read through row-level security and write through functions alone.
import { exchangeFunctions } from './exchange.ts';
import { membershipFunctions } from './membership.ts';
import { rights } from './rights.ts';
import { firstTables } from './tables.ts';
import { vectorFunctions } from './vectors.ts';
import { packed, wordFunctions } from './words.ts';

/** Increased with every step: a program that knows fewer steps than the hub has must not write to it. */
export interface HubStep {
  readonly version: number;
  readonly sql: string;
}

/** One row for each word, share and up to 128 entries; before, each entry had a row for each of its words. */
const packedWords = `
  CREATE TABLE holdfast.packed (
    share int NOT NULL,
    word bigint NOT NULL,
    first int NOT NULL,
    last int NOT NULL,
    entries int[] NOT NULL,
    times smallint[] NOT NULL,
    lengths int[] NOT NULL
  );
  INSERT INTO holdfast.packed ${packed('holdfast.postings')};
  DROP TRIGGER IF EXISTS entry_gone ON holdfast.entries;
  DROP FUNCTION IF EXISTS holdfast.entry_gone(), holdfast.held(bigint, int[], int), holdfast.take_vectors();
  DROP TABLE holdfast.postings;
  ALTER TABLE holdfast.packed RENAME TO postings;
  CREATE INDEX postings_by_share ON holdfast.postings (share, word, first);
  CREATE TYPE holdfast.incoming AS (
    transcript int, share int, uuid text, print uuid, session_print uuid, pos bigint, at bigint, role text, length int, line text, hash bigint,
    words bigint[], times smallint[], vector text
  );
  -- Lines are compressed while a push holds its number: lz4 takes a fraction of the time. A server may be built without it.
  DO $$ BEGIN
    ALTER TABLE holdfast.entries ALTER COLUMN line SET COMPRESSION lz4, ALTER COLUMN words SET COMPRESSION lz4, ALTER COLUMN times SET COMPRESSION lz4;
    ALTER TABLE holdfast.rows ALTER COLUMN line SET COMPRESSION lz4;
  EXCEPTION WHEN feature_not_supported THEN NULL;
  END $$;
`;

/**
 * A search can leave out what subagents said. Only functions write to these tables, one push of a person at a time, so no foreign key has to
 * check every entry: `unshare` and the trigger on entries delete what belongs to them.
 */
const leanEntries = `
  ALTER TABLE holdfast.entries ADD COLUMN subagent boolean NOT NULL DEFAULT false;
  UPDATE holdfast.entries e SET subagent = true FROM holdfast.transcripts t WHERE t.id = e.transcript
    AND (json_typeof(t.line::json -> 'subagent') = 'string' OR e.line LIKE '%"subagent":"%' AND json_typeof(e.line::json -> 'subagent') = 'string');
  ALTER TABLE holdfast.entries DROP CONSTRAINT IF EXISTS entries_transcript_fkey;
  ALTER TABLE holdfast.unindexed DROP CONSTRAINT IF EXISTS unindexed_entry_fkey;
  ALTER TABLE holdfast.vectors DROP CONSTRAINT IF EXISTS vectors_entry_fkey;
  DROP FUNCTION IF EXISTS holdfast.push(jsonb), holdfast.find_words(bigint[], int[], int), holdfast.take_vectors(holdfast.incoming[]);
  DROP TYPE holdfast.incoming;
`;

/**
 * Vectors are as wide as those of the hub's model, which the first vectors decide. They arrive apart from their entries: an embedder may need
 * minutes for them, and the index of neighbours takes milliseconds for each, for which no other push should wait. The index by time finds the
 * entries of a few days among millions.
 */
const vectorsOfAnyWidth = (vectors: string | undefined): string => `
  ALTER TABLE holdfast.hub ADD COLUMN dimensions int;
  DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM holdfast.vectors) THEN UPDATE holdfast.hub SET dimensions = 256;
    ELSE
      UPDATE holdfast.hub SET model = NULL;
      DROP INDEX IF EXISTS holdfast.vectors_by_meaning;
      ${vectors === undefined ? '' : `ALTER TABLE holdfast.vectors ALTER COLUMN vector TYPE ${vectors}.halfvec;`}
    END IF;
  END $$;
  CREATE INDEX entries_by_time ON holdfast.entries (share, at) INCLUDE (id, transcript, role, subagent);
  DROP FUNCTION IF EXISTS holdfast.push(jsonb, text, text, text, text), holdfast.take_vectors(jsonb, int[], text);
`;

/** What members write: names, texts, ids and hashes of words. */
const written = {
  people: ['name'],
  machines: ['name'],
  shares: ['project', 'name'],
  transcripts: ['key', 'line'],
  sessions: ['session', 'print', 'title', 'line', 'hash'],
  entries: ['uuid', 'print', 'session_print', 'line', 'hash', 'words'],
  postings: ['word', 'entries'],
  rows: ['key', 'print', 'session_print', 'line', 'hash'],
  copies: ['bytes'],
  tombstones: ['print', 'memory'],
  vectors: ['vector'],
};

/**
 * No statistics of what members write. The planner's estimates rest on the rows of all people, and comparisons of texts count as safe: a
 * member could find other people's texts by asking for estimates (EXPLAIN) again and again. The same type again removes what was collected.
 */
const noStatistics = `DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT a.attrelid::regclass AS of, quote_ident(a.attname) AS name, format_type(a.atttypid, a.atttypmod) AS type
      FROM (VALUES ${Object.entries(written)
        .flatMap(([table, columns]) => columns.map((column) => `('${table}', '${column}')`))
        .join(', ')}) AS w (of, name)
      JOIN pg_attribute a ON a.attrelid = ('holdfast.' || w.of)::regclass AND a.attname = w.name
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %s TYPE %s, ALTER COLUMN %2$s SET STATISTICS 0', c.of, c.name, c.type);
    END LOOP;
  END $$;
`;

/** The name as an index sees it: not the column itself, so that the server never looks for a member's guess before it checks the policy. */
const hidden = (column: string): string => `(${column} || '')`;

/**
 * Comparisons of texts count as safe, so an index finds what a member asks for before the policy removes it, and EXPLAIN ANALYZE counts what was
 * removed: a member could guess the names of people, machines and projects letter by letter. What a person forgot concerns that person's
 * machines alone.
 */
const hiddenNames = `
  ALTER TABLE holdfast.people DROP CONSTRAINT IF EXISTS people_name_key;
  CREATE UNIQUE INDEX people_by_name ON holdfast.people (${hidden('name')});
  DROP INDEX IF EXISTS holdfast.machines_by_name;
  CREATE UNIQUE INDEX machines_by_name ON holdfast.machines (person, ${hidden('name')}) WHERE left_at IS NULL;
  ALTER TABLE holdfast.shares DROP CONSTRAINT IF EXISTS shares_person_project_key;
  CREATE UNIQUE INDEX shares_by_project ON holdfast.shares (person, ${hidden('project')});
  ALTER INDEX holdfast.people_by_name ALTER COLUMN 1 SET STATISTICS 0;
  ALTER INDEX holdfast.machines_by_name ALTER COLUMN 2 SET STATISTICS 0;
  ALTER INDEX holdfast.shares_by_project ALTER COLUMN 2 SET STATISTICS 0;
  DROP POLICY IF EXISTS seen ON holdfast.tombstones;
  ALTER TABLE holdfast.tombstones DROP COLUMN IF EXISTS shared;
`;

/** `vectors` is the schema of pgvector, quoted, if the hub uses it. */
export const hubSteps = (vectors: string | undefined): readonly HubStep[] => [
  { version: 1, sql: firstTables(vectors) },
  { version: 2, sql: packedWords },
  { version: 3, sql: leanEntries },
  { version: 4, sql: vectorsOfAnyWidth(vectors) + noStatistics },
  { version: 5, sql: hiddenNames },
];

export const hubVersion = 5;

/** Everything but the tables. `members` is the group role, quoted. Contract: run twice, it changes nothing. */
export const hubFunctions = (members: string, vectors: string | undefined): string =>
  [wordFunctions, membershipFunctions, exchangeFunctions, vectorFunctions(vectors), rights(members)].join('\n');

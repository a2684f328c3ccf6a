// The tables of version 1 of a hub. Later versions change them in steps of their own: see steps.ts.

/** `vectors` is the schema of pgvector, quoted. Without it, vectors are bytes, and the asking machine compares them for the best hits by words. */
export const firstTables = (vectors: string | undefined): string =>
  [memberTables, sessionTables, wordTables, derivedTables, vectorTables(vectors)].join('\n');

const memberTables = `
  CREATE SCHEMA holdfast;
  CREATE TABLE holdfast.hub (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    program text NOT NULL DEFAULT 'holdfast hub',
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    version int NOT NULL,
    members name NOT NULL,
    -- Raised by each push as the first thing in its transaction: a number that is visible has no smaller one still to come.
    seq bigint NOT NULL DEFAULT 0,
    -- Where pgvector is installed, if it is; and whose vectors these are.
    vector_schema name,
    model text
  );
  CREATE TABLE holdfast.people (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    role name NOT NULL UNIQUE,
    made_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
  );
  CREATE TABLE holdfast.machines (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person int NOT NULL REFERENCES holdfast.people,
    name text NOT NULL,
    secret bytea NOT NULL UNIQUE,
    joined_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz,
    left_at timestamptz,
    -- How far the machine has pushed, in its own count of changes, and the mark of its last push.
    pushed bigint NOT NULL DEFAULT 0,
    mark uuid
  );
  CREATE UNIQUE INDEX machines_by_name ON holdfast.machines (person, name) WHERE left_at IS NULL;
  CREATE TABLE holdfast.codes (
    hash bytea PRIMARY KEY,
    person int NOT NULL REFERENCES holdfast.people,
    made_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz
  );
  CREATE TABLE holdfast.shares (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person int NOT NULL REFERENCES holdfast.people,
    project text NOT NULL,
    name text NOT NULL,
    audience text NOT NULL CHECK (audience IN ('me', 'team')),
    since timestamptz NOT NULL DEFAULT now(),
    entries bigint NOT NULL DEFAULT 0,
    words bigint NOT NULL DEFAULT 0,
    UNIQUE (person, project)
  );
`;

const sessionTables = `
  -- One for each push: a machine that has pulled up to a number checks by the stamp that it is still the same hub.
  CREATE TABLE holdfast.batches (
    seq bigint PRIMARY KEY,
    stamp uuid NOT NULL DEFAULT gen_random_uuid(),
    entries int NOT NULL DEFAULT 0
  );
  CREATE TABLE holdfast.transcripts (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    share int NOT NULL REFERENCES holdfast.shares ON DELETE CASCADE,
    machine int NOT NULL REFERENCES holdfast.machines,
    agent text NOT NULL,
    key text NOT NULL,
    line text NOT NULL,
    seq bigint NOT NULL,
    UNIQUE (share, machine, agent, key)
  );
  CREATE INDEX transcripts_by_seq ON holdfast.transcripts (seq);
  CREATE TABLE holdfast.sessions (
    transcript int NOT NULL REFERENCES holdfast.transcripts ON DELETE CASCADE,
    share int NOT NULL,
    session text NOT NULL,
    print uuid NOT NULL,
    title text NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    line text NOT NULL,
    hash bigint NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (transcript, session)
  );
  CREATE INDEX sessions_by_print ON holdfast.sessions (print);
  CREATE INDEX sessions_by_share ON holdfast.sessions (share, ended_at);
  CREATE TABLE holdfast.entries (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transcript int NOT NULL REFERENCES holdfast.transcripts ON DELETE CASCADE,
    share int NOT NULL,
    uuid text NOT NULL,
    print uuid NOT NULL,
    session_print uuid NOT NULL,
    pos bigint NOT NULL,
    at bigint NOT NULL,
    role text NOT NULL,
    length int NOT NULL,
    line text NOT NULL,
    hash bigint NOT NULL,
    words bigint[] NOT NULL,
    times smallint[] NOT NULL,
    seq bigint NOT NULL,
    UNIQUE (transcript, uuid)
  );
  -- Entries whose words are still to be indexed: a push, during which others wait, does not do it.
  CREATE TABLE holdfast.unindexed (
    entry int PRIMARY KEY REFERENCES holdfast.entries ON DELETE CASCADE,
    share int NOT NULL
  );
  CREATE INDEX entries_by_place ON holdfast.entries (transcript, pos, uuid);
  CREATE INDEX entries_by_seq ON holdfast.entries (seq);
  CREATE INDEX entries_by_print ON holdfast.entries (print);
  CREATE INDEX entries_by_session ON holdfast.entries (session_print);
`;

const wordTables = `
  -- Words are hashes: a list of words would tell every member what others write about.
  CREATE TABLE holdfast.postings (
    word bigint NOT NULL,
    share int NOT NULL,
    entry int NOT NULL,
    times smallint NOT NULL,
    length int NOT NULL
  );
  CREATE UNIQUE INDEX postings_by_word ON holdfast.postings (word, share, entry) INCLUDE (times, length);
`;

const derivedTables = `
  CREATE TABLE holdfast.rows (
    share int NOT NULL REFERENCES holdfast.shares ON DELETE CASCADE,
    machine int NOT NULL REFERENCES holdfast.machines,
    kind text NOT NULL,
    key text NOT NULL,
    print uuid,
    session_print uuid,
    at bigint NOT NULL,
    line text, -- empty: it was there and is no more
    hash bigint NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (share, machine, kind, key)
  );
  CREATE INDEX rows_by_seq ON holdfast.rows (seq);
  CREATE INDEX rows_by_print ON holdfast.rows (print);
  CREATE INDEX rows_by_session ON holdfast.rows (session_print);
  CREATE TABLE holdfast.copies (
    transcript int NOT NULL REFERENCES holdfast.transcripts ON DELETE CASCADE,
    share int NOT NULL,
    part int NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (transcript, part)
  );
  CREATE TABLE holdfast.tombstones (
    person int NOT NULL REFERENCES holdfast.people,
    print uuid NOT NULL,
    memory text, -- of a memory: its hash in full
    at bigint NOT NULL,
    shared boolean NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (person, print)
  );
  CREATE INDEX tombstones_by_seq ON holdfast.tombstones (seq);
`;

const vectorTables = (vectors: string | undefined): string => `
  CREATE TABLE holdfast.vectors (
    entry int PRIMARY KEY REFERENCES holdfast.entries ON DELETE CASCADE,
    share int NOT NULL,
    vector ${vectors === undefined ? 'bytea' : `${vectors}.halfvec(256)`} NOT NULL
  );
  CREATE INDEX vectors_by_share ON holdfast.vectors (share);
  ${vectors === undefined ? '' : `CREATE INDEX vectors_by_meaning ON holdfast.vectors USING hnsw (vector ${vectors}.halfvec_cosine_ops);`}
`;

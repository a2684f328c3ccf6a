// The hub's schema in PostgreSQL, step by step. Members read through row-level security and write through functions alone.

/** Increased with every step: a program that knows fewer steps than the hub has must not write to it. */
export interface HubStep {
  readonly version: number;
  readonly sql: string;
}

/** `machine()` and `me()` identify a caller by two things: the connection's role, and the machine's secret, of which the hub holds a hash. */
const identity = `
  CREATE FUNCTION holdfast.machine() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT m.id FROM machines m JOIN people p ON p.id = m.person
    WHERE p.role = session_user AND p.revoked_at IS NULL AND m.left_at IS NULL
      AND m.secret = sha256(convert_to(coalesce(current_setting('holdfast.machine', true), ''), 'UTF8'))
  $$;
  CREATE FUNCTION holdfast.me() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT person FROM machines WHERE id = machine()
  $$;
  CREATE FUNCTION holdfast.visible() RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT coalesce(array_agg(s.id), '{}') FROM shares s, (SELECT me() AS id) m
    WHERE s.person = m.id OR (s.audience = 'team' AND m.id IS NOT NULL)
  $$;
  -- The role is all that a person has before the first machine has joined: the code makes up for the secret.
  CREATE FUNCTION holdfast.join_hub(code text, machine text, secret_hash bytea) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE who int; made int;
  BEGIN
    SELECT id INTO who FROM people WHERE role = session_user AND revoked_at IS NULL;
    IF who IS NULL THEN RAISE EXCEPTION 'holdfast: not a member'; END IF;
    UPDATE codes SET used_at = now() WHERE hash = sha256(convert_to(code, 'UTF8')) AND person = who AND used_at IS NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'holdfast: no such code'; END IF;
    IF EXISTS (SELECT 1 FROM machines m WHERE m.person = who AND m.name = machine AND m.left_at IS NULL) THEN
      RAISE EXCEPTION 'holdfast: machine exists';
    END IF;
    INSERT INTO machines (person, name, secret) VALUES (who, machine, secret_hash) RETURNING id INTO made;
    RETURN made;
  END $$;
  CREATE FUNCTION holdfast.new_code(code_hash bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    IF me() IS NULL THEN RAISE EXCEPTION 'holdfast: not a member'; END IF;
    INSERT INTO codes (hash, person) VALUES (code_hash, me());
  END $$;
  CREATE FUNCTION holdfast.leave_hub(machine_name text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    UPDATE machines SET left_at = now() WHERE person = me() AND left_at IS NULL AND name = machine_name;
    RETURN FOUND;
  END $$;
`;

const tables = `
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
  -- Words are hashes: a list of words would tell every member what others write about.
  CREATE TABLE holdfast.postings (
    word bigint NOT NULL,
    share int NOT NULL,
    entry int NOT NULL,
    times smallint NOT NULL,
    length int NOT NULL
  );
  CREATE UNIQUE INDEX postings_by_word ON holdfast.postings (word, share, entry) INCLUDE (times, length);
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
  CREATE FUNCTION holdfast.entry_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    DELETE FROM postings WHERE word = ANY (OLD.words) AND share = OLD.share AND entry = OLD.id;
    UPDATE shares SET entries = entries - 1, words = words - OLD.length WHERE id = OLD.share;
    RETURN NULL;
  END $$;
  CREATE TRIGGER entry_gone AFTER DELETE ON holdfast.entries FOR EACH ROW EXECUTE FUNCTION holdfast.entry_gone();
`;

const sharing = `
  CREATE FUNCTION holdfast.share(identity text, project_name text, wanted text) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE made int;
  BEGIN
    IF me() IS NULL THEN RAISE EXCEPTION 'holdfast: not a member'; END IF;
    INSERT INTO shares (person, project, name, audience) VALUES (me(), identity, project_name, wanted)
      ON CONFLICT (person, project) DO UPDATE SET audience = excluded.audience, name = excluded.name RETURNING id INTO made;
    RETURN made;
  END $$;
  CREATE FUNCTION holdfast.unshare(identity text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE which int; had bigint;
  BEGIN
    SELECT id INTO which FROM shares WHERE person = me() AND project = identity FOR UPDATE;
    IF which IS NULL THEN RETURN NULL; END IF;
    SELECT count(*) INTO had FROM entries e JOIN transcripts t ON t.id = e.transcript WHERE t.share = which;
    DELETE FROM transcripts WHERE share = which;
    DELETE FROM shares WHERE id = which;
    RETURN had;
  END $$;
`;

/** Removes what the tombstones of one push name from everything that the person shares. */
const forgetting = `
  CREATE FUNCTION holdfast.forget_marked(who int, at_seq bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE mine int[];
  BEGIN
    SELECT coalesce(array_agg(id), '{}') INTO mine FROM shares WHERE person = who;
    -- A copy that holds some of it goes as a whole; the machine sends one without it.
    DELETE FROM copies c USING entries e, tombstones t WHERE t.person = who AND t.seq = at_seq AND e.share = ANY (mine)
      AND t.print IN (e.print, e.session_print) AND c.transcript = e.transcript;
    DELETE FROM entries e USING tombstones t WHERE t.person = who AND t.seq = at_seq AND e.share = ANY (mine) AND e.print = t.print;
    DELETE FROM entries e USING tombstones t WHERE t.person = who AND t.seq = at_seq AND e.share = ANY (mine) AND e.session_print = t.print;
    DELETE FROM copies c USING sessions s, tombstones t WHERE t.person = who AND t.seq = at_seq AND s.print = t.print
      AND s.share = ANY (mine) AND c.transcript = s.transcript;
    DELETE FROM sessions s USING tombstones t WHERE t.person = who AND t.seq = at_seq AND s.share = ANY (mine) AND s.print = t.print;
    UPDATE rows r SET line = NULL, hash = 0, seq = at_seq FROM tombstones t
      WHERE t.person = who AND t.seq = at_seq AND r.share = ANY (mine) AND (r.print = t.print OR r.session_print = t.print)
        AND (t.memory IS NULL OR r.at <= t.at) AND r.line IS NOT NULL;
  END $$;
  -- For the administrator, who owns these tables: members have no right to call it.
  CREATE FUNCTION holdfast.forget_for_all(who int, which uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE now_at bigint;
  BEGIN
    UPDATE hub SET seq = seq + 1 RETURNING seq INTO now_at;
    INSERT INTO tombstones (person, print, memory, at, shared, seq)
      SELECT who, which, NULL, (extract(epoch FROM now()) * 1000)::bigint, EXISTS (
        SELECT 1 FROM sessions s JOIN shares x ON x.id = s.share WHERE s.print = which AND x.person = who AND x.audience = 'team'), now_at
      ON CONFLICT (person, print) DO UPDATE SET seq = excluded.seq;
    PERFORM forget_marked(who, now_at);
    INSERT INTO batches (seq, entries) VALUES (now_at, 0);
  END $$;
`;

const pushing = `
  CREATE FUNCTION holdfast.push(batch jsonb) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE
    who int := me(); here int := machine(); now_at bigint; mine int[]; added int := 0; vectors_in name;
  BEGIN
    IF who IS NULL THEN RAISE EXCEPTION 'holdfast: not a member'; END IF;
    UPDATE hub SET seq = seq + 1 RETURNING seq, vector_schema INTO now_at, vectors_in;
    UPDATE machines SET pushed = coalesce((batch ->> 'cursor')::bigint, pushed), mark = (batch ->> 'mark')::uuid, seen_at = now()
      WHERE id = here AND mark IS NOT DISTINCT FROM (batch ->> 'after')::uuid;
    IF NOT FOUND THEN RAISE EXCEPTION 'holdfast: another push came between'; END IF;
    SELECT coalesce(array_agg(id), '{}') INTO mine FROM shares WHERE person = who;

    -- First what was forgotten: nothing of it is taken in below.
    INSERT INTO tombstones (person, print, memory, at, shared, seq)
      SELECT who, g.print, g.memory, g.at, EXISTS (
          SELECT 1 FROM shares s WHERE s.audience = 'team' AND s.id = ANY (mine) AND (
            EXISTS (SELECT 1 FROM entries e WHERE e.share = s.id AND (e.print = g.print OR e.session_print = g.print))
            OR EXISTS (SELECT 1 FROM rows r WHERE r.share = s.id AND (r.print = g.print OR r.session_print = g.print)))), now_at
      FROM jsonb_to_recordset(coalesce(batch -> 'forgotten', '[]')) AS g (print uuid, memory text, at bigint)
      -- A memory that was remembered again can be forgotten again.
      ON CONFLICT (person, print) DO UPDATE SET at = excluded.at, seq = excluded.seq WHERE excluded.memory IS NOT NULL AND excluded.at > tombstones.at;
    IF FOUND THEN PERFORM forget_marked(who, now_at); END IF;

    INSERT INTO transcripts (share, machine, agent, key, line, seq)
      SELECT t.share, here, t.agent, t.key, t.line, now_at
      FROM jsonb_to_recordset(coalesce(batch -> 'transcripts', '[]')) AS t (share int, agent text, key text, line text)
      WHERE t.share = ANY (mine)
      ON CONFLICT (share, machine, agent, key) DO UPDATE SET line = excluded.line, seq = excluded.seq;
    DELETE FROM entries e USING transcripts t, jsonb_to_recordset(coalesce(batch -> 'dropped', '[]')) AS d (share int, agent text, key text, uuids text[])
      WHERE t.share = d.share AND t.machine = here AND t.agent = d.agent AND t.key = d.key AND e.transcript = t.id AND e.uuid = ANY (d.uuids);
    INSERT INTO sessions (transcript, share, session, print, title, started_at, ended_at, line, hash, seq)
      SELECT t.id, t.share, s.session, s.print, s.title, s.started, s.ended, s.line, s.hash, now_at
      FROM jsonb_to_recordset(coalesce(batch -> 'sessions', '[]'))
        AS s (share int, agent text, key text, session text, print uuid, title text, started bigint, ended bigint, line text, hash bigint)
      JOIN transcripts t ON t.share = s.share AND t.machine = here AND t.agent = s.agent AND t.key = s.key
      WHERE NOT EXISTS (SELECT 1 FROM tombstones x WHERE x.person = who AND x.print = s.print)
      ON CONFLICT (transcript, session) DO UPDATE SET title = excluded.title, started_at = excluded.started_at, ended_at = excluded.ended_at,
        line = excluded.line, hash = excluded.hash, seq = excluded.seq WHERE sessions.hash <> excluded.hash;

    CREATE TEMP TABLE incoming ON COMMIT DROP AS
      SELECT t.id AS transcript, t.share, e.uuid, e.print, e.session AS session_print, e.pos, e.at, e.role, e.length, e.line, e.hash,
        coalesce(e.words, '{}') AS words, coalesce(e.times, '{}') AS times, e.vector
      FROM jsonb_to_recordset(coalesce(batch -> 'entries', '[]')) AS e (share int, agent text, key text, uuid text, print uuid, session uuid,
        pos bigint, at bigint, role text, length int, line text, hash bigint, words bigint[], times smallint[], vector text)
      JOIN transcripts t ON t.share = e.share AND t.machine = here AND t.agent = e.agent AND t.key = e.key
      WHERE NOT EXISTS (SELECT 1 FROM tombstones x WHERE x.person = who AND x.print IN (e.print, e.session));
    -- A text that changed is another one: its words and its vector go with the old row.
    DELETE FROM entries e USING pg_temp.incoming i WHERE e.transcript = i.transcript AND e.uuid = i.uuid AND e.hash <> i.hash;
    WITH put AS (
      INSERT INTO entries (transcript, share, uuid, print, session_print, pos, at, role, length, line, hash, words, times, seq)
        SELECT transcript, share, uuid, print, session_print, pos, at, role, length, line, hash, words, times, now_at FROM pg_temp.incoming
        ON CONFLICT (transcript, uuid) DO NOTHING RETURNING id, share, length
    ), counted AS (
      UPDATE shares s SET entries = s.entries + n.entries, words = s.words + n.words
        FROM (SELECT share, count(*) AS entries, sum(length) AS words FROM put GROUP BY share) n WHERE s.id = n.share
    ), later AS (
      INSERT INTO unindexed (entry, share) SELECT id, share FROM put
    )
    SELECT count(*) INTO added FROM put;
    IF (batch ->> 'model') IS NOT NULL THEN
      UPDATE hub SET model = batch ->> 'model' WHERE model IS NULL;
      IF EXISTS (SELECT 1 FROM hub WHERE model = batch ->> 'model') THEN PERFORM take_vectors(); END IF;
    END IF;
    DROP TABLE pg_temp.incoming;

    INSERT INTO rows (share, machine, kind, key, print, session_print, at, line, hash, seq)
      SELECT r.share, here, r.kind, r.key, r.print, r.session, r.at, r.line, r.hash, now_at
      FROM jsonb_to_recordset(coalesce(batch -> 'rows', '[]'))
        AS r (share int, kind text, key text, print uuid, session uuid, at bigint, line text, hash bigint)
      WHERE r.share = ANY (mine) AND NOT EXISTS (
        SELECT 1 FROM tombstones x WHERE x.person = who AND x.print IN (r.print, r.session) AND (x.memory IS NULL OR r.at <= x.at))
      ON CONFLICT (share, machine, kind, key) DO UPDATE SET print = excluded.print, session_print = excluded.session_print, at = excluded.at,
        line = excluded.line, hash = excluded.hash, seq = excluded.seq WHERE rows.hash <> excluded.hash;
    INSERT INTO copies (transcript, share, part, bytes)
      SELECT t.id, t.share, c.part, decode(c.bytes, 'base64')
      FROM jsonb_to_recordset(coalesce(batch -> 'copies', '[]')) AS c (share int, agent text, key text, part int, bytes text)
      JOIN transcripts t ON t.share = c.share AND t.machine = here AND t.agent = c.agent AND t.key = c.key
      ON CONFLICT (transcript, part) DO UPDATE SET bytes = excluded.bytes;
    DELETE FROM copies x USING transcripts t, jsonb_to_recordset(coalesce(batch -> 'copies', '[]')) AS c (share int, agent text, key text, of int)
      WHERE t.share = c.share AND t.machine = here AND t.agent = c.agent AND t.key = c.key AND x.transcript = t.id AND x.part >= c.of;
    INSERT INTO batches (seq, entries) VALUES (now_at, added);
    RETURN now_at;
  END $$;
`;

/**
 * BM25 over the postings, as SQLite computes it. Common words only rank the entries that rarer words have found, so that
 * a query costs what its rare words cost.
 */
const finding = `
  -- Share by share where they are few: the index then leads to each, and a project costs the same in a hub of any size.
  CREATE FUNCTION holdfast.held(one bigint, within int[], most int) RETURNS TABLE (entry int, share int, times smallint, length int)
    LANGUAGE plpgsql STABLE SET search_path = holdfast, pg_temp AS $$
  BEGIN
    IF cardinality(within) <= 64 THEN
      RETURN QUERY SELECT p.entry, p.share, p.times, p.length FROM unnest(within) AS s (id)
        CROSS JOIN LATERAL (SELECT * FROM postings q WHERE q.word = one AND q.share = s.id LIMIT most) p LIMIT most;
    ELSE
      RETURN QUERY SELECT p.entry, p.share, p.times, p.length FROM postings p WHERE p.word = one AND p.share = ANY (within) LIMIT most;
    END IF;
  END $$;
  CREATE FUNCTION holdfast.find_words(asked bigint[], within int[], most int) RETURNS TABLE (entry int, score real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp SET jit = off AS $$
  DECLARE
    open_shares int[]; total float8; mean float8; cap int; one bigint; found int;
    rare bigint[] := '{}'; rare_weight float8[] := '{}'; common bigint[] := '{}'; common_weight float8[] := '{}';
  BEGIN
    SELECT array_agg(s.id), sum(s.entries), greatest(1, sum(s.words) / greatest(1, sum(s.entries))) INTO open_shares, total, mean
      FROM shares s WHERE s.id = ANY (visible()) AND (within IS NULL OR s.id = ANY (within)) AND s.entries > 0;
    IF open_shares IS NULL THEN RETURN; END IF;
    cap := least(20000, greatest(2000, (total * 0.03)::int));
    FOREACH one IN ARRAY asked LOOP
      SELECT count(*) INTO found FROM held(one, open_shares, cap + 1);
      CONTINUE WHEN found = 0;
      IF found <= cap THEN
        rare := rare || one;
        rare_weight := rare_weight || ln(1 + (total - found + 0.5) / (found + 0.5))::float8;
      ELSE
        common := common || one;
        common_weight := common_weight || ln(1 + (total - found + 0.5) / (found + 0.5))::float8;
      END IF;
    END LOOP;
    IF rare = '{}' THEN
      -- Nothing rare was asked for: some of what holds the first word.
      rare := common[1:1]; rare_weight := common_weight[1:1]; common := common[2:]; common_weight := common_weight[2:];
    END IF;
    RETURN QUERY
      WITH held AS (
        SELECT x.entry, x.share, i.weight * x.times * 2.2 / (x.times + 1.2 * (0.25 + 0.75 * x.length / mean)) AS part
        FROM unnest(rare, rare_weight) AS i (word, weight)
        CROSS JOIN LATERAL held(i.word, open_shares, cap) x
      ), best AS (
        SELECT h.entry, min(h.share) AS share, sum(h.part) AS score FROM held h GROUP BY h.entry ORDER BY 3 DESC LIMIT 3 * most
      )
      SELECT b.entry, (b.score + coalesce((
          SELECT sum(i.weight * p.times * 2.2 / (p.times + 1.2 * (0.25 + 0.75 * p.length / mean)))
          FROM unnest(common, common_weight) AS i (word, weight) JOIN postings p ON p.word = i.word AND p.share = b.share AND p.entry = b.entry), 0))::real AS score
      FROM best b ORDER BY 2 DESC, 1 LIMIT most;
  END $$;
`;

/** Locks the rows, so that a forgetting that runs at the same time waits and removes their words too. */
const indexing = `
  CREATE FUNCTION holdfast.index_words(most int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE picked int[];
  BEGIN
    SELECT array_agg(x.entry) INTO picked FROM (
      SELECT u.entry FROM unindexed u JOIN entries e ON e.id = u.entry
      WHERE u.share IN (SELECT s.id FROM shares s WHERE s.person = me()) LIMIT most FOR UPDATE OF u, e SKIP LOCKED) x;
    IF picked IS NULL THEN RETURN 0; END IF;
    INSERT INTO postings (word, share, entry, times, length)
      SELECT w.word, e.share, e.id, w.times, e.length FROM entries e, unnest(e.words, e.times) AS w (word, times)
      WHERE e.id = ANY (picked) ORDER BY w.word, e.share, e.id;
    DELETE FROM unindexed WHERE entry = ANY (picked);
    RETURN cardinality(picked);
  END $$;
`;

/** Without pgvector, vectors are bytes; the asking machine compares them for the best hits by words. */
const vectorTable = (schema: string | undefined): string => {
  const type = schema === undefined ? 'bytea' : `${schema}.halfvec(256)`;
  const value = schema === undefined ? "decode(i.vector, 'base64')" : `i.vector::${schema}.halfvec(256)`;
  return `
  CREATE TABLE holdfast.vectors (
    entry int PRIMARY KEY REFERENCES holdfast.entries ON DELETE CASCADE,
    share int NOT NULL,
    vector ${type} NOT NULL
  );
  CREATE INDEX vectors_by_share ON holdfast.vectors (share);
  ${schema === undefined ? '' : `CREATE INDEX vectors_by_meaning ON holdfast.vectors USING hnsw (vector ${schema}.halfvec_cosine_ops);`}
  CREATE FUNCTION holdfast.take_vectors() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    INSERT INTO vectors (entry, share, vector)
      SELECT e.id, e.share, ${value} FROM pg_temp.incoming i JOIN entries e ON e.transcript = i.transcript AND e.uuid = i.uuid
      WHERE i.vector IS NOT NULL ON CONFLICT (entry) DO NOTHING;
  END $$;`;
};

/** Tables in which a member sees the rows of visible shares. */
const shared = ['transcripts', 'sessions', 'entries', 'postings', 'rows', 'copies', 'vectors'];

const rights = (members: string): string => `
  GRANT USAGE ON SCHEMA holdfast TO ${members};
  ${['people', 'machines', 'shares', 'tombstones', ...shared]
    .map((table) => `ALTER TABLE holdfast.${table} ENABLE ROW LEVEL SECURITY;`)
    .join('\n  ')}
  ${shared
    .map(
      (
        table,
      ) => `CREATE POLICY seen ON holdfast.${table} FOR SELECT TO ${members} USING (share = ANY ((SELECT holdfast.visible())::int[]));
  GRANT SELECT ON holdfast.${table} TO ${members};`,
    )
    .join('\n  ')}
  CREATE POLICY seen ON holdfast.shares FOR SELECT TO ${members} USING (id = ANY ((SELECT holdfast.visible())::int[]));
  GRANT SELECT ON holdfast.shares TO ${members};
  CREATE POLICY seen ON holdfast.people FOR SELECT TO ${members}
    USING (id = (SELECT holdfast.me()) OR EXISTS (SELECT 1 FROM holdfast.shares s WHERE s.person = people.id));
  GRANT SELECT (id, name) ON holdfast.people TO ${members};
  CREATE POLICY seen ON holdfast.machines FOR SELECT TO ${members}
    USING (person = (SELECT holdfast.me()) OR EXISTS (SELECT 1 FROM holdfast.shares s WHERE s.person = machines.person));
  GRANT SELECT (id, person, name, joined_at, seen_at, left_at) ON holdfast.machines TO ${members};
  CREATE POLICY seen ON holdfast.tombstones FOR SELECT TO ${members}
    USING (person = (SELECT holdfast.me()) OR (shared AND (SELECT holdfast.me()) IS NOT NULL));
  GRANT SELECT ON holdfast.tombstones TO ${members};
  GRANT SELECT (one, program, id, version, vector_schema, model) ON holdfast.hub TO ${members};
  CREATE FUNCTION holdfast.state() RETURNS TABLE (person int, machine int, pushed bigint, mark uuid, seq bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT m.person, m.id, m.pushed, m.mark, h.seq FROM machines m, hub h WHERE m.id = machine()
  $$;
  -- What a machine asks before it pulls: members alone learn how much happens.
  CREATE FUNCTION holdfast.batches_after(cursor_seq bigint, most int) RETURNS TABLE (seq bigint, stamp uuid, entries int)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT b.seq, b.stamp, b.entries FROM batches b WHERE b.seq >= cursor_seq AND me() IS NOT NULL ORDER BY b.seq LIMIT most
  $$;
  REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC;
  ${[
    'machine()',
    'me()',
    'visible()',
    'join_hub(text, text, bytea)',
    'new_code(bytea)',
    'leave_hub(text)',
    'share(text, text, text)',
    'unshare(text)',
    'push(jsonb)',
    'index_words(int)',
    'find_words(bigint[], int[], int)',
    'state()',
    'batches_after(bigint, int)',
  ]
    .map((name) => `GRANT EXECUTE ON FUNCTION holdfast.${name} TO ${members};`)
    .join('\n  ')}
`;

export const hubVersion = 1;

/** All steps. `members` is the group role, quoted; `vectors` is the schema of pgvector, quoted, if the database has it. */
export const hubSteps = (members: string, vectors: string | undefined): readonly HubStep[] => [
  {
    version: 1,
    sql: [
      tables,
      identity,
      sharing,
      vectorTable(vectors),
      forgetting,
      pushing,
      indexing,
      finding,
      rights(members),
    ].join('\n'),
  },
];

// The hub's functions for pushes and for forgetting.
import { raise } from './refusals.ts';

/** Removes what the tombstones of one push name from everything that the person shares. */
const forgetting = `
  CREATE OR REPLACE FUNCTION holdfast.forget_marked(who int, at_seq bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE mine int[];
  BEGIN
    SELECT coalesce(array_agg(id), '{}') INTO mine FROM shares WHERE person = who;
    -- Other machines read these transcripts again, and lose what is deleted below. A teammate may share the same session: theirs stays.
    UPDATE transcripts c SET seq = at_seq WHERE c.id IN (
      SELECT e.transcript FROM entries e JOIN tombstones t ON t.print = e.print WHERE t.person = who AND t.seq = at_seq AND e.share = ANY (mine)
      UNION SELECT e.transcript FROM entries e JOIN tombstones t ON t.print = e.session_print WHERE t.person = who AND t.seq = at_seq AND e.share = ANY (mine)
      UNION SELECT s.transcript FROM sessions s JOIN tombstones t ON t.print = s.print WHERE t.person = who AND t.seq = at_seq AND s.share = ANY (mine));
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
  CREATE OR REPLACE FUNCTION holdfast.forget_for_all(who int, which uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE now_at bigint;
  BEGIN
    PERFORM lock_words(who);
    UPDATE hub SET seq = seq + 1 RETURNING seq INTO now_at;
    INSERT INTO tombstones (person, print, memory, at, seq) VALUES (who, which, NULL, (extract(epoch FROM now()) * 1000)::bigint, now_at)
      ON CONFLICT (person, print) DO UPDATE SET seq = excluded.seq;
    PERFORM forget_marked(who, now_at);
    INSERT INTO batches (seq, entries) VALUES (now_at, 0);
  END $$;
`;

/** A machine that left, or was revoked, and came back is another one to the hub: what it sends again replaces what it had sent. */
const returning = `
  CREATE OR REPLACE FUNCTION holdfast.take_over(who int, here int, mine int[], batch jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = holdfast, pg_temp SET enable_seqscan = off SET jit = off AS $$
  DECLARE gone int[];
  BEGIN
    SELECT array_agg(m.id) INTO gone FROM machines m WHERE m.person = who AND m.left_at IS NOT NULL;
    UPDATE transcripts t SET machine = here WHERE t.id IN (
      SELECT max(o.id) FROM jsonb_to_recordset(coalesce(batch -> 'transcripts', '[]')) AS g (share int, agent text, key text)
      JOIN transcripts o ON o.share = g.share AND o.machine = ANY (gone) AND o.agent = g.agent AND o.key = g.key
      WHERE g.share = ANY (mine) AND NOT EXISTS (
        SELECT 1 FROM transcripts x WHERE x.share = g.share AND x.machine = here AND x.agent = g.agent AND x.key = g.key)
      GROUP BY g.share, g.agent, g.key);
    DELETE FROM rows r USING jsonb_to_recordset(coalesce(batch -> 'rows', '[]')) AS g (share int, kind text, key text)
      WHERE g.share = ANY (mine) AND r.share = g.share AND r.machine = ANY (gone) AND r.kind = g.kind AND r.key = g.key;
  END $$;
`;

/** The entries of a push beside their texts. `places` names their transcripts; `place` counts from 1. */
const givenEntry = `jsonb_to_recordset(coalesce(batch -> 'entries', '[]')) AS (place int, uuid text, print uuid, session uuid, pos bigint, at bigint, role text,
          length int, hash bigint, subagent boolean)`;

/**
 * The texts of the entries come beside the JSON, one line for each entry in the same order: the server splits them many times faster than it
 * parses JSON. Lines, as JSON, contain no line breaks.
 */
const pushing = `
  CREATE OR REPLACE FUNCTION holdfast.push(batch jsonb, said_lines text DEFAULT '', said_words text DEFAULT '', said_times text DEFAULT '')
    RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp
    -- A plan that was made while the hub was empty would read whole tables later.
    SET enable_seqscan = off SET jit = off AS $$
  DECLARE
    who int := me(); here int := machine(); now_at bigint; mine int[]; added int := 0; files int[]; file_shares int[];
  BEGIN
    IF who IS NULL THEN ${raise('notMember')}; END IF;
    -- Before the number: while this waits, other people's pushes go on.
    PERFORM lock_words(who);
    UPDATE hub SET seq = seq + 1 RETURNING seq INTO now_at;
    UPDATE machines SET pushed = coalesce((batch ->> 'cursor')::bigint, pushed), mark = (batch ->> 'mark')::uuid, seen_at = now()
      WHERE id = here AND mark IS NOT DISTINCT FROM (batch ->> 'after')::uuid;
    IF NOT FOUND THEN ${raise('pushBetween')}; END IF;
    SELECT coalesce(array_agg(id), '{}') INTO mine FROM shares WHERE person = who;

    -- First what was forgotten: nothing of it is taken in below.
    INSERT INTO tombstones (person, print, memory, at, seq)
      SELECT who, g.print, g.memory, g.at, now_at
      FROM jsonb_to_recordset(coalesce(batch -> 'forgotten', '[]')) AS g (print uuid, memory text, at bigint)
      -- A memory that was remembered again can be forgotten again.
      ON CONFLICT (person, print) DO UPDATE SET at = excluded.at, seq = excluded.seq WHERE excluded.memory IS NOT NULL AND excluded.at > tombstones.at;
    IF FOUND THEN PERFORM forget_marked(who, now_at); END IF;

    IF EXISTS (SELECT 1 FROM machines m WHERE m.person = who AND m.left_at IS NOT NULL) THEN PERFORM take_over(who, here, mine, batch); END IF;
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

    SELECT array_agg(t.id ORDER BY p.n), array_agg(t.share ORDER BY p.n) INTO files, file_shares
      FROM ROWS FROM (jsonb_to_recordset(coalesce(batch -> 'places', '[]')) AS (share int, agent text, key text)) WITH ORDINALITY AS p (share, agent, key, n)
      LEFT JOIN transcripts t ON t.share = p.share AND t.machine = here AND t.agent = p.agent AND t.key = p.key;
    -- A text that changed is another one: its words and its vector go with the old row.
    DELETE FROM entries e USING ROWS FROM (${givenEntry}) AS i WHERE e.transcript = files[i.place] AND e.uuid = i.uuid AND e.hash <> i.hash;
    WITH put AS (
      INSERT INTO entries (transcript, share, uuid, print, session_print, pos, at, role, length, line, hash, words, times, subagent, seq)
        SELECT files[i.place], file_shares[i.place], i.uuid, i.print, i.session, i.pos, i.at, i.role, i.length, i.line, i.hash, i.words::bigint[],
          i.times::smallint[], coalesce(i.subagent, false), now_at
        FROM ROWS FROM (${givenEntry}, unnest(string_to_array(said_lines, E'\\n')), unnest(string_to_array(said_words, E'\\n')),
            unnest(string_to_array(said_times, E'\\n')))
          AS i (place, uuid, print, session, pos, at, role, length, hash, subagent, line, words, times)
        WHERE files[i.place] IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tombstones x WHERE x.person = who AND x.print IN (i.print, i.session))
        ON CONFLICT (transcript, uuid) DO NOTHING RETURNING id, share, length
    ), counted AS (
      UPDATE shares s SET entries = s.entries + n.entries, words = s.words + n.words
        FROM (SELECT share, count(*) AS entries, sum(length) AS words FROM put GROUP BY share) n WHERE s.id = n.share
    ), later AS (
      INSERT INTO unindexed (entry, share) SELECT id, share FROM put
    )
    SELECT count(*) INTO added FROM put;

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

/** What a machine asks before it pushes and before it pulls. Only members learn how much happens. */
const asking = `
  CREATE OR REPLACE FUNCTION holdfast.state() RETURNS TABLE (person int, machine int, pushed bigint, mark uuid, seq bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT m.person, m.id, m.pushed, m.mark, h.seq FROM machines m, hub h WHERE m.id = machine()
  $$;
  CREATE OR REPLACE FUNCTION holdfast.batches_after(cursor_seq bigint, most int) RETURNS TABLE (seq bigint, stamp uuid, entries int)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT b.seq, b.stamp, b.entries FROM batches b WHERE b.seq >= cursor_seq AND me() IS NOT NULL ORDER BY b.seq LIMIT most
  $$;
`;

export const exchangeFunctions = [forgetting, returning, pushing, asking].join('\n');

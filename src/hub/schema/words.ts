// How the hub finds entries by words. A row of `postings` holds one word of one share, and up to 128 entries that hold the word: to write
// and to read thousands of rows would cost much more than these few.

/** Rows with more entries would be stored outside the table, and each would cost one more read. */
export const inAPack = 128;
/** Fewer entries than this join a row that has room, so that many small pushes leave few rows. */
const fewEntries = 256;
/** The filter is first compared with the best entries: this many times as many as were asked for. */
const lookedFirst = 3;
/** If fewer than one in this many of those pass, finding all entries that pass first costs less. */
const mostForOne = 30;
/** With fewer hits than this, a filtered query looks further: first at `someOfCommon` entries of each common word, then at all. */
const fewest = 20;
const someOfCommon = 5000;
/** Up to this many entries are always compared with the filter one by one. */
const fewLooked = 5000;

/** `entries` are rows of (share, word, entry, times, length). */
export const packed = (entries: string): string => `
  SELECT g.share, g.word, g.entries[k], g.entries[least(k + ${inAPack - 1}, cardinality(g.entries))],
    g.entries[k:k + ${inAPack - 1}], g.times[k:k + ${inAPack - 1}], g.lengths[k:k + ${inAPack - 1}]
  FROM (SELECT x.share, x.word, array_agg(x.entry) AS entries, array_agg(x.times) AS times, array_agg(x.length) AS lengths
      -- Sorted once, here: an order within each array would sort each of them by itself.
      FROM (SELECT y.share, y.word, y.entry, y.times, y.length FROM ${entries} y ORDER BY y.share, y.word, y.entry) x GROUP BY x.share, x.word) g,
    generate_series(1, cardinality(g.entries), ${inAPack}) k`;

/**
 * All that changes the postings of a person's shares does it under the person's lock: rows are replaced, and a change that runs at the same
 * time would not see the new ones.
 */
const writing = `
  -- The person's row is the lock: no other member can hold it, unlike an advisory one.
  CREATE OR REPLACE FUNCTION holdfast.lock_words(who int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    PERFORM 1 FROM people p WHERE p.id = who FOR NO KEY UPDATE;
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.index_words(most int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp
    SET enable_seqscan = off SET enable_hashagg = off SET work_mem = '64MB' SET jit = off AS $$
  DECLARE who int := me(); picked int[];
  BEGIN
    IF who IS NULL THEN RETURN 0; END IF;
    PERFORM lock_words(who);
    SELECT array_agg(x.entry) INTO picked FROM (
      SELECT u.entry FROM unindexed u WHERE u.share IN (SELECT s.id FROM shares s WHERE s.person = who) LIMIT most) x;
    IF picked IS NULL THEN RETURN 0; END IF;
    WITH fresh AS MATERIALIZED (
      SELECT e.share, w.word, e.id AS entry, w.times, e.length FROM entries e, unnest(e.words, e.times) AS w (word, times) WHERE e.id = ANY (picked)
    ), room AS (
      DELETE FROM postings p USING (SELECT DISTINCT f.share, f.word FROM fresh f WHERE cardinality(picked) < ${fewEntries}) f
        WHERE p.share = f.share AND p.word = f.word AND cardinality(p.entries) < ${inAPack / 2}
          AND p.first = (SELECT max(q.first) FROM postings q WHERE q.share = f.share AND q.word = f.word)
        RETURNING p.*
    ), held AS (
      SELECT * FROM fresh
      UNION ALL SELECT r.share, r.word, x.entry, x.times, x.length FROM room r, unnest(r.entries, r.times, r.lengths) AS x (entry, times, length)
    )
    INSERT INTO postings (share, word, first, last, entries, times, lengths) ${packed('held')};
    DELETE FROM unindexed WHERE entry = ANY (picked);
    RETURN cardinality(picked);
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.entries_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp
    SET enable_seqscan = off SET enable_hashagg = off SET jit = off AS $$
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM gone) THEN RETURN NULL; END IF;
    UPDATE shares s SET entries = s.entries - n.entries, words = s.words - n.words
      FROM (SELECT g.share, count(*) AS entries, sum(g.length) AS words FROM gone g GROUP BY g.share) n WHERE s.id = n.share;
    -- EXECUTE plans each time: a plan that a connection has kept from a few entries compares each of many with each.
    EXECUTE 'DELETE FROM unindexed u USING gone g WHERE u.entry = g.id';
    EXECUTE 'DELETE FROM vectors v USING gone g WHERE v.entry = g.id';
    IF NOT EXISTS (SELECT 1 FROM (SELECT DISTINCT g.share FROM gone g) d WHERE EXISTS (SELECT 1 FROM postings p WHERE p.share = d.share)) THEN RETURN NULL; END IF;
    EXECUTE $q$ WITH lost AS MATERIALIZED (
      SELECT g.share, w.word, min(g.id) AS low, max(g.id) AS high FROM gone g, unnest(g.words) AS w (word) GROUP BY g.share, w.word
    ), hit AS (
      DELETE FROM postings p USING lost l WHERE p.share = l.share AND p.word = l.word AND p.first <= l.high AND p.last >= l.low RETURNING p.*
    ), stays AS (
      SELECT h.share, h.word, x.entry, x.times, x.length FROM hit h, unnest(h.entries, h.times, h.lengths) AS x (entry, times, length)
      WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.id = x.entry)
    )
    INSERT INTO postings (share, word, first, last, entries, times, lengths) ${packed('stays')} $q$;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER entries_gone AFTER DELETE ON holdfast.entries REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION holdfast.entries_gone();
`;

/** The entries that a filter allows, as a list of ids. `files` are the transcripts of the asked agent, if one was asked for. */
const allowing = `
  CREATE OR REPLACE FUNCTION holdfast.allowed_entries(open_shares int[], files int[], since bigint, before bigint, by_role text, of_subagents boolean)
    RETURNS int[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp
    SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  DECLARE
    low bigint := coalesce(since, -9223372036854775808); high bigint := coalesce(before, 9223372036854775807); found int[];
  BEGIN
    IF files IS NOT NULL AND 4 * cardinality(files) < (SELECT count(*) FROM transcripts t WHERE t.share = ANY (open_shares)) THEN
      SELECT array_agg(e.id) INTO found FROM entries e WHERE e.transcript = ANY (files) AND e.at >= low AND e.at < high
        AND (by_role IS NULL OR e.role = by_role) AND (of_subagents OR NOT e.subagent);
    ELSE
      SELECT array_agg(e.id) INTO found FROM entries e WHERE e.share = ANY (open_shares) AND e.at >= low AND e.at < high
        AND (files IS NULL OR e.transcript = ANY (files)) AND (by_role IS NULL OR e.role = by_role) AND (of_subagents OR NOT e.subagent);
    END IF;
    RETURN coalesce(found, '{}');
  END $$;
`;

/** The part of one word in an entry's BM25, as SQLite computes it. `i` has the word's weight, `held` the entry's count and length. */
const part = (held: { times: string; length: string }): string =>
  `i.weight * ${held.times} * 2.2 / (${held.times} + 1.2 * (0.25 + 0.75 * ${held.length} / mean))`;

/** Adds what common words contribute to the best entries `w`, whose other words were counted. */
const withCommon = `w.score + coalesce((SELECT sum(${part({ times: 't.times', length: 'w.length' })})
          FROM unnest(common, common_weight) AS i (word, weight)
          CROSS JOIN LATERAL (SELECT w.times[array_position(w.words, i.word)] AS times) t WHERE t.times IS NOT NULL), 0)`;

/**
 * BM25 over the postings. Common words only rank the entries that rarer words have found, so that a query costs what its rare words cost.
 * A filter is compared with the best entries first. If it leaves hardly any of those, the entries that it allows are found first, so that
 * it loses none. If rarer words then find hardly any, the common words find entries too.
 */
const finding = `
  CREATE OR REPLACE FUNCTION holdfast.find_words(asked bigint[], within int[], most int, since bigint DEFAULT NULL, before bigint DEFAULT NULL,
      by_role text DEFAULT NULL, by_agent text DEFAULT NULL, of_subagents boolean DEFAULT true) RETURNS TABLE (entry int, score real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  DECLARE
    open_shares int[]; total float8; mean float8; cap int; one bigint; held int; total_held int; weight float8;
    rare bigint[] := '{}'; rare_weight float8[] := '{}'; rare_cap int[] := '{}'; common bigint[] := '{}'; common_weight float8[] := '{}';
    looked int := ${lookedFirst} * most; seen bigint; passed int; files int[]; allowed int[]; entries_found int[]; scores_found float8[];
    -- What rare words find, best first; what some entries of the common words add; what the filter allows, by rare words, and by all.
    step text := 'best'; rare_held bigint := 0; is_cut boolean := false;
    may_allow boolean := since IS NOT NULL OR before IS NOT NULL OR by_agent IS NOT NULL; is_filtered boolean := may_allow OR by_role IS NOT NULL;
  BEGIN
    SELECT array_agg(s.id), sum(s.entries), greatest(1, sum(s.words) / greatest(1, sum(s.entries))) INTO open_shares, total, mean
      FROM shares s WHERE s.id = ANY (visible()) AND (within IS NULL OR s.id = ANY (within)) AND s.entries > 0;
    IF open_shares IS NULL THEN RETURN; END IF;
    IF by_agent IS NOT NULL THEN
      SELECT array_agg(t.id) INTO files FROM transcripts t WHERE t.share = ANY (open_shares) AND t.agent = by_agent;
      IF files IS NULL THEN RETURN; END IF;
    END IF;
    cap := least(20000, greatest(2000, (total * 0.03)::int));
    FOREACH one IN ARRAY asked LOOP
      total_held := 0;
      FOR held IN SELECT cardinality(p.entries) FROM postings p WHERE p.share = ANY (open_shares) AND p.word = one LOOP
        total_held := total_held + held;
        EXIT WHEN total_held > cap;
      END LOOP;
      CONTINUE WHEN total_held = 0;
      weight := ln(1 + (total - total_held + 0.5) / (total_held + 0.5));
      IF total_held <= cap THEN rare := rare || one; rare_weight := rare_weight || weight; rare_cap := rare_cap || cap; rare_held := rare_held + total_held;
      ELSE common := common || one; common_weight := common_weight || weight;
      END IF;
    END LOOP;
    IF rare = '{}' AND common = '{}' THEN RETURN; END IF;
    IF rare = '{}' THEN
      -- Nothing rare was asked for: the newest of what holds the first word.
      rare := common[1:1]; rare_weight := common_weight[1:1]; common := common[2:]; common_weight := common_weight[2:];
      rare_cap := ARRAY[cap]; is_cut := true;
    END IF;
    LOOP
      IF step IN ('best', 'some') THEN
        WITH best AS MATERIALIZED (
          SELECT x.entry, sum(${part({ times: 'x.times', length: 'x.length' })}) AS score
          FROM unnest(rare, rare_weight, rare_cap) AS i (word, weight, cap)
          CROSS JOIN LATERAL (
            SELECT h.* FROM (SELECT p.* FROM postings p WHERE p.share = ANY (open_shares) AND p.word = i.word ORDER BY p.first DESC LIMIT i.cap) p,
              unnest(p.entries, p.times, p.lengths) AS h (entry, times, length) LIMIT i.cap) x
          GROUP BY x.entry ORDER BY 2 DESC, 1 LIMIT looked
        ), w AS MATERIALIZED (
          SELECT b.entry, b.score, e.words, e.times, e.length FROM best b CROSS JOIN LATERAL (
            SELECT e.words, e.times, e.length FROM entries e WHERE e.id = b.entry AND (since IS NULL OR e.at >= since) AND (before IS NULL OR e.at < before)
              AND (by_role IS NULL OR e.role = by_role) AND (of_subagents OR NOT e.subagent) AND (files IS NULL OR e.transcript = ANY (files)) OFFSET 0) e
          ORDER BY b.score DESC, b.entry LIMIT CASE WHEN common = '{}' THEN most ELSE 3 * most END
        )
        SELECT (SELECT count(*) FROM best), array_agg(w.entry), array_agg(${withCommon}) INTO seen, entries_found, scores_found FROM w;
      ELSE
        WITH a AS MATERIALIZED (SELECT x AS id FROM unnest(allowed) x), b AS MATERIALIZED (
          SELECT x.entry, sum(${part({ times: 'x.times', length: 'x.length' })}) AS score
          FROM unnest(rare, rare_weight) AS i (word, weight)
          JOIN postings p ON p.share = ANY (open_shares) AND p.word = i.word
            AND p.last >= (SELECT min(a.id) FROM a) AND p.first <= (SELECT max(a.id) FROM a)
          CROSS JOIN LATERAL unnest(p.entries, p.times, p.lengths) AS x (entry, times, length)
          -- IS TRUE keeps this a lookup in a hash. As a join, a plan that a connection has kept compares each of many with each.
          WHERE (x.entry IN (SELECT a.id FROM a)) IS TRUE
          GROUP BY x.entry ORDER BY 2 DESC, 1 LIMIT CASE WHEN common = '{}' THEN most ELSE 3 * most END
        ), w AS MATERIALIZED (SELECT b.entry, b.score, e.words, e.times, e.length FROM b JOIN entries e ON e.id = b.entry)
        SELECT array_agg(w.entry), array_agg(${withCommon}) INTO entries_found, scores_found FROM w;
      END IF;
      passed := coalesce(cardinality(entries_found), 0);
      EXIT WHEN passed >= most OR step = 'all';
      IF step = 'best' AND seen >= looked THEN
        -- There are more entries with these words.
        IF ${mostForOne} * passed >= looked THEN looked := ceil(1.5 * looked * most / passed);
        ELSIF may_allow AND (rare_held > ${fewLooked} OR is_cut) THEN step := 'allowed';
        ELSE looked := NULL;
        END IF;
      ELSE
        EXIT WHEN passed >= ${fewest} OR NOT is_filtered OR (common = '{}' AND step <> 'some' AND NOT is_cut);
        step := CASE WHEN step = 'best' THEN 'some' ELSE 'all' END;
        rare := rare || common; rare_weight := rare_weight || common_weight; common := '{}'; common_weight := '{}';
        rare_cap := rare_cap || array_fill(${someOfCommon}, ARRAY[cardinality(rare) - cardinality(rare_cap)]); looked := NULL;
      END IF;
      IF step IN ('allowed', 'all') AND allowed IS NULL THEN
        allowed := allowed_entries(open_shares, files, since, before, by_role, of_subagents);
      END IF;
    END LOOP;
    RETURN QUERY SELECT f.entry, f.score::real FROM unnest(entries_found, scores_found) AS f (entry, score) ORDER BY f.score DESC, f.entry LIMIT most;
  END $$;
`;

export const wordFunctions = `${writing}${allowing}${finding}`;

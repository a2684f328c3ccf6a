// How the hub finds entries by words. A row of `postings` holds one word of one share, and up to 128 entries that hold the word: to write
// and to read thousands of rows would cost much more than these few.

/** Rows with more entries would be stored outside the table, and each would cost one more read. */
export const inAPack = 128;
/** Fewer entries than this join a row that has room, so that many small pushes leave few rows. */
const fewEntries = 256;
/** How many times as many entries as asked for are compared with the filter first. If too few pass, all are. */
const lookedFirst = 3;
/** Fewer hits than this, and a filtered question looks further; then at no more entries of a word than `mostLooked`. */
const fewest = 20;
const mostLooked = 100_000;

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
  CREATE OR REPLACE FUNCTION holdfast.lock_words(who int) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT pg_advisory_xact_lock(hashtext('holdfast words'), who)
  $$;
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
    UPDATE shares s SET entries = s.entries - n.entries, words = s.words - n.words
      FROM (SELECT g.share, count(*) AS entries, sum(g.length) AS words FROM gone g GROUP BY g.share) n WHERE s.id = n.share;
    DELETE FROM unindexed u USING gone g WHERE u.entry = g.id;
    DELETE FROM vectors v USING gone g WHERE v.entry = g.id;
    IF NOT EXISTS (SELECT 1 FROM (SELECT DISTINCT g.share FROM gone g) d WHERE EXISTS (SELECT 1 FROM postings p WHERE p.share = d.share)) THEN RETURN NULL; END IF;
    WITH lost AS MATERIALIZED (
      SELECT g.share, w.word, min(g.id) AS low, max(g.id) AS high FROM gone g, unnest(g.words) AS w (word) GROUP BY g.share, w.word
    ), hit AS (
      DELETE FROM postings p USING lost l WHERE p.share = l.share AND p.word = l.word AND p.first <= l.high AND p.last >= l.low RETURNING p.*
    ), stays AS (
      SELECT h.share, h.word, x.entry, x.times, x.length FROM hit h, unnest(h.entries, h.times, h.lengths) AS x (entry, times, length)
      WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.id = x.entry)
    )
    INSERT INTO postings (share, word, first, last, entries, times, lengths) ${packed('stays')};
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER entries_gone AFTER DELETE ON holdfast.entries REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION holdfast.entries_gone();
`;

/**
 * BM25 over the postings, as SQLite computes it. Common words only rank the entries that rarer words have found, so that
 * a query costs what its rare words cost. If a filter leaves hardly any of those, the common words find entries too.
 */
const finding = `
  CREATE OR REPLACE FUNCTION holdfast.find_words(asked bigint[], within int[], most int, since bigint DEFAULT NULL, before bigint DEFAULT NULL,
      by_role text DEFAULT NULL, by_agent text DEFAULT NULL, of_subagents boolean DEFAULT true) RETURNS TABLE (entry int, score real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  DECLARE
    open_shares int[]; total float8; mean float8; cap int; one bigint; held int; total_held int; weight float8;
    rare bigint[] := '{}'; rare_weight float8[] := '{}'; common bigint[] := '{}'; common_weight float8[] := '{}';
    looked int := ${lookedFirst} * most; seen bigint; entries_found int[]; scores_found float8[];
    is_filtered boolean := since IS NOT NULL OR before IS NOT NULL OR by_role IS NOT NULL OR by_agent IS NOT NULL;
  BEGIN
    SELECT array_agg(s.id), sum(s.entries), greatest(1, sum(s.words) / greatest(1, sum(s.entries))) INTO open_shares, total, mean
      FROM shares s WHERE s.id = ANY (visible()) AND (within IS NULL OR s.id = ANY (within)) AND s.entries > 0;
    IF open_shares IS NULL THEN RETURN; END IF;
    cap := least(20000, greatest(2000, (total * 0.03)::int));
    FOREACH one IN ARRAY asked LOOP
      total_held := 0;
      FOR held IN SELECT cardinality(p.entries) FROM postings p WHERE p.share = ANY (open_shares) AND p.word = one LOOP
        total_held := total_held + held;
        EXIT WHEN total_held > cap;
      END LOOP;
      CONTINUE WHEN total_held = 0;
      weight := ln(1 + (total - total_held + 0.5) / (total_held + 0.5));
      IF total_held <= cap THEN rare := rare || one; rare_weight := rare_weight || weight;
      ELSE common := common || one; common_weight := common_weight || weight;
      END IF;
    END LOOP;
    IF rare = '{}' THEN
      -- Nothing rare was asked for: the newest of what holds the first word.
      rare := common[1:1]; rare_weight := common_weight[1:1]; common := common[2:]; common_weight := common_weight[2:];
    END IF;
    LOOP
      WITH best AS MATERIALIZED (
        SELECT x.entry, sum(i.weight * x.times * 2.2 / (x.times + 1.2 * (0.25 + 0.75 * x.length / mean))) AS score
        FROM unnest(rare, rare_weight) AS i (word, weight)
        CROSS JOIN LATERAL (
          SELECT h.* FROM (SELECT p.* FROM postings p WHERE p.share = ANY (open_shares) AND p.word = i.word ORDER BY p.first DESC LIMIT cap) p,
            unnest(p.entries, p.times, p.lengths) AS h (entry, times, length) LIMIT cap) x
        GROUP BY x.entry ORDER BY 2 DESC, 1 LIMIT looked
      ), wanted AS MATERIALIZED (
        SELECT b.entry, b.score, e.words, e.times, e.length FROM best b CROSS JOIN LATERAL (
          SELECT e.words, e.times, e.length FROM entries e WHERE e.id = b.entry AND (since IS NULL OR e.at >= since) AND (before IS NULL OR e.at < before)
            AND (by_role IS NULL OR e.role = by_role) AND (of_subagents OR NOT e.subagent)
            AND (by_agent IS NULL OR EXISTS (SELECT 1 FROM transcripts t WHERE t.id = e.transcript AND t.agent = by_agent)) OFFSET 0) e
        ORDER BY b.score DESC, b.entry LIMIT CASE WHEN common = '{}' THEN most ELSE 3 * most END
      )
      SELECT (SELECT count(*) FROM best), array_agg(w.entry), array_agg(w.score + coalesce((
          SELECT sum(i.weight * t.times * 2.2 / (t.times + 1.2 * (0.25 + 0.75 * w.length / mean)))
          FROM unnest(common, common_weight) AS i (word, weight)
          CROSS JOIN LATERAL (SELECT w.times[array_position(w.words, i.word)] AS times) t WHERE t.times IS NOT NULL), 0))
        INTO seen, entries_found, scores_found FROM wanted w;
      EXIT WHEN coalesce(cardinality(entries_found), 0) >= most;
      IF seen >= looked THEN
        -- The filter left too few of the best: look at all.
        looked := NULL;
      ELSIF is_filtered AND cap < ${mostLooked} AND coalesce(cardinality(entries_found), 0) < ${fewest} THEN
        rare := rare || common; rare_weight := rare_weight || common_weight; common := '{}'; common_weight := '{}';
        cap := ${mostLooked}; looked := NULL;
      ELSE EXIT;
      END IF;
    END LOOP;
    RETURN QUERY SELECT f.entry, f.score::real FROM unnest(entries_found, scores_found) AS f (entry, score) ORDER BY f.score DESC, f.entry LIMIT most;
  END $$;
`;

export const wordFunctions = `${writing}${finding}`;

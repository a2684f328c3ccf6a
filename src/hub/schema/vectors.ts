// How the hub takes vectors of entries that it holds.
import { raise } from './refusals.ts';

/** The index of neighbours takes no wider vectors. */
const widestIndexed = 4000;
/** Links of a vector, and how widely the index looks for them: pgvector's defaults (16, 64) find too few neighbours among a million entries. */
const [links, lookedForLinks] = [24, 128];

/**
 * The first vectors decide the hub's model and the width of its vectors. `entries` in a batch are rows of (place, uuid); `places` names their
 * transcripts, and `given` holds one vector in a line for each entry. Returns how many are new. Vectors of another model are not taken.
 */
export const vectorFunctions = (vectors: string | undefined): string => `
  CREATE OR REPLACE FUNCTION holdfast.take_model(name text, width int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    UPDATE hub SET model = name, dimensions = width WHERE model IS NULL;
    IF NOT FOUND THEN RETURN; END IF;
    ${
      vectors === undefined
        ? ''
        : `EXECUTE format('ALTER TABLE vectors ALTER COLUMN vector TYPE %s(%s)', $t$${vectors}.halfvec$t$, width);
    IF width <= ${widestIndexed} THEN CREATE INDEX vectors_by_meaning ON vectors USING hnsw (vector ${vectors}.halfvec_cosine_ops)
      WITH (m = ${links}, ef_construction = ${lookedForLinks}); END IF;`
    }
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.push_vectors(name text, width int, batch jsonb, given text) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp SET enable_seqscan = off SET jit = off AS $$
  DECLARE who int := me(); here int := machine(); files int[]; added int;
  BEGIN
    IF who IS NULL THEN ${raise('notMember')}; END IF;
    -- No entry goes while its vector comes.
    PERFORM lock_words(who);
    PERFORM take_model(name, width);
    IF NOT EXISTS (SELECT 1 FROM hub WHERE model = name AND dimensions = width) THEN RETURN 0; END IF;
    SELECT array_agg(t.id ORDER BY p.n) INTO files
      FROM ROWS FROM (jsonb_to_recordset(batch -> 'places') AS (share int, agent text, key text)) WITH ORDINALITY AS p (share, agent, key, n)
      LEFT JOIN transcripts t ON t.share = p.share AND t.machine = here AND t.agent = p.agent AND t.key = p.key;
    INSERT INTO vectors (entry, share, vector)
      SELECT e.id, e.share, ${vectors === undefined ? "decode(i.vector, 'base64')" : `i.vector::${vectors}.halfvec`}
      FROM ROWS FROM (jsonb_to_recordset(batch -> 'entries') AS (place int, uuid text), unnest(string_to_array(given, E'\\n')))
        AS i (place, uuid, vector)
      JOIN entries e ON e.transcript = files[i.place] AND e.uuid = i.uuid
      ON CONFLICT (entry) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
  END $$;
`;

// The hub's functions for people, machines and shares.
import { raise } from './refusals.ts';

/** `machine()` and `me()` identify a caller by two things: the connection's role, and the machine's secret, of which the hub holds a hash. */
export const membershipFunctions = `
  CREATE OR REPLACE FUNCTION holdfast.machine() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT m.id FROM machines m JOIN people p ON p.id = m.person
    WHERE p.role = session_user AND p.revoked_at IS NULL AND m.left_at IS NULL
      AND m.secret = sha256(convert_to(coalesce(current_setting('holdfast.machine', true), ''), 'UTF8'))
  $$;
  CREATE OR REPLACE FUNCTION holdfast.me() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT person FROM machines WHERE id = (SELECT machine())
  $$;
  CREATE OR REPLACE FUNCTION holdfast.visible() RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    -- Materialized: otherwise the hub would ask who is calling once for each share.
    WITH m AS MATERIALIZED (SELECT me() AS id)
    SELECT coalesce(array_agg(s.id), '{}') FROM shares s, m WHERE s.person = m.id OR (s.audience = 'team' AND m.id IS NOT NULL)
  $$;
  -- As ranges, which a policy compares at the least cost.
  CREATE OR REPLACE FUNCTION holdfast.open_shares() RETURNS int4multirange LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT coalesce(range_agg(int4range(id, id, '[]')), '{}') FROM unnest(visible()) AS id
  $$;
  -- The caller, and who shares something that the caller sees.
  CREATE OR REPLACE FUNCTION holdfast.open_people() RETURNS int4multirange LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
    SELECT coalesce(range_agg(int4range(id, id, '[]')), '{}') FROM (
      SELECT s.person AS id FROM shares s WHERE s.id = ANY ((SELECT visible())::int[]) UNION SELECT me() WHERE me() IS NOT NULL) p
  $$;
  -- The role is all that a person has before the first machine has joined: the code makes up for the secret.
  CREATE OR REPLACE FUNCTION holdfast.join_hub(code text, machine text, secret_hash bytea) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE who int; made int;
  BEGIN
    SELECT id INTO who FROM people WHERE role = session_user AND revoked_at IS NULL;
    IF who IS NULL THEN ${raise('notMember')}; END IF;
    UPDATE codes SET used_at = now() WHERE hash = sha256(convert_to(code, 'UTF8')) AND person = who AND used_at IS NULL;
    IF NOT FOUND THEN ${raise('unknownCode')}; END IF;
    IF EXISTS (SELECT 1 FROM machines m WHERE m.person = who AND m.name = machine AND m.left_at IS NULL) THEN
      ${raise('machineExists')};
    END IF;
    INSERT INTO machines (person, name, secret) VALUES (who, machine, secret_hash) RETURNING id INTO made;
    RETURN made;
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.new_code(code_hash bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    IF me() IS NULL THEN ${raise('notMember')}; END IF;
    INSERT INTO codes (hash, person) VALUES (code_hash, me());
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.leave_hub(machine_name text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  BEGIN
    UPDATE machines SET left_at = now() WHERE person = me() AND left_at IS NULL AND name = machine_name;
    RETURN FOUND;
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.share(identity text, project_name text, wanted text) RETURNS int
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE made int;
  BEGIN
    IF me() IS NULL THEN ${raise('notMember')}; END IF;
    INSERT INTO shares (person, project, name, audience) VALUES (me(), identity, project_name, wanted)
      ON CONFLICT (person, (project || '')) DO UPDATE SET audience = excluded.audience, name = excluded.name RETURNING id INTO made;
    RETURN made;
  END $$;
  CREATE OR REPLACE FUNCTION holdfast.unshare(identity text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  DECLARE which int; had bigint;
  BEGIN
    PERFORM lock_words(me());
    SELECT id INTO which FROM shares WHERE person = me() AND project = identity FOR UPDATE;
    IF which IS NULL THEN RETURN NULL; END IF;
    SELECT count(*) INTO had FROM entries e JOIN transcripts t ON t.id = e.transcript WHERE t.share = which;
    -- All words at once: to take them away entry by entry would cost much more.
    DELETE FROM postings WHERE share = which;
    DELETE FROM entries e USING transcripts t WHERE t.share = which AND e.transcript = t.id;
    DELETE FROM transcripts WHERE share = which;
    DELETE FROM shares WHERE id = which;
    RETURN had;
  END $$;
`;

// What members may read, and which functions they may call. Run with each version as a whole: it changes nothing that is right already.

/** Tables in which a member sees the rows of visible shares. */
const shared = ['transcripts', 'sessions', 'entries', 'postings', 'rows', 'copies', 'vectors'];

/**
 * The server runs the cheapest condition first, also a member's own one if it only compares, and EXPLAIN ANALYZE tells which conditions ran: a
 * member could guess a text letter by letter. So the condition of a policy is the cheapest that there can be: of equal ones the policy's runs first,
 * and no comparison costs less than one with an array of one element.
 */
const isIn = (column: string, ids: string): string => `${column} <@ ANY (ARRAY[(SELECT holdfast.${ids}())])`;
/** For indexes that begin with the share: they find what is visible and nothing else. */
const byIndex = (column: string): string => `${column} = ANY ((SELECT holdfast.visible())::int[])`;

export const rights = (members: string): string => `
  GRANT USAGE ON SCHEMA holdfast TO ${members};
  ${['people', 'machines', 'shares', 'tombstones', ...shared]
    .map((table) => `ALTER TABLE holdfast.${table} ENABLE ROW LEVEL SECURITY;`)
    .join('\n  ')}
  ${shared
    .map(
      (table) => `DROP POLICY IF EXISTS seen ON holdfast.${table};
  CREATE POLICY seen ON holdfast.${table} FOR SELECT TO ${members} USING (${isIn('share', 'open_shares')} AND ${byIndex('share')});
  GRANT SELECT ON holdfast.${table} TO ${members};`,
    )
    .join('\n  ')}
  DROP POLICY IF EXISTS seen ON holdfast.shares;
  CREATE POLICY seen ON holdfast.shares FOR SELECT TO ${members} USING (${isIn('id', 'open_shares')} AND ${byIndex('id')});
  GRANT SELECT ON holdfast.shares TO ${members};
  DROP POLICY IF EXISTS seen ON holdfast.people;
  CREATE POLICY seen ON holdfast.people FOR SELECT TO ${members}
    USING (${isIn('id', 'open_people')});
  GRANT SELECT (id, name) ON holdfast.people TO ${members};
  DROP POLICY IF EXISTS seen ON holdfast.machines;
  CREATE POLICY seen ON holdfast.machines FOR SELECT TO ${members}
    USING (${isIn('person', 'open_people')});
  GRANT SELECT (id, person, name, joined_at, seen_at, left_at) ON holdfast.machines TO ${members};
  DROP POLICY IF EXISTS seen ON holdfast.tombstones;
  CREATE POLICY seen ON holdfast.tombstones FOR SELECT TO ${members} USING (person = ANY (ARRAY[(SELECT holdfast.me())]));
  GRANT SELECT ON holdfast.tombstones TO ${members};
  GRANT SELECT (one, program, id, version, vector_schema, model, dimensions) ON holdfast.hub TO ${members};
  REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC;
  ${[
    'machine()',
    'me()',
    'visible()',
    'open_shares()',
    'open_people()',
    'join_hub(text, text, bytea)',
    'new_code(bytea)',
    'leave_hub(text)',
    'share(text, text, text)',
    'unshare(text)',
    'push(jsonb, text, text, text)',
    'push_vectors(text, int, jsonb, text)',
    'index_words(int)',
    'find_words(bigint[], int[], int, bigint, bigint, text, text, boolean)',
    'state()',
    'batches_after(bigint, int)',
  ]
    .map((name) => `GRANT EXECUTE ON FUNCTION holdfast.${name} TO ${members};`)
    .join('\n  ')}
`;

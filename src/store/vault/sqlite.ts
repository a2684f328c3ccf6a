// The port of the vault: how far its copies reach, and their sizes.

import type { AgentName } from '../../schema/agent-name.ts';
import { emptyState, formatState, parseState } from '../../schema/reader-state.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { VaultCopy, VaultDue, VaultPort } from './port.ts';

interface DueRow {
  readonly id: number;
  readonly agent: AgentName;
  readonly key: string;
  readonly upTo: number;
  readonly generation: number;
  readonly copied: number | null;
  readonly copiedOffset: number | null;
  readonly copiedBytes: number | null;
  readonly state: string | null;
  readonly lacks: number;
}

interface CopyRow {
  readonly agent: AgentName;
  readonly key: string;
  readonly bytes: number;
  readonly offset: number;
  readonly updatedAt: number;
  readonly whole: number;
}

export function vaultPort(connection: Connection): VaultPort {
  const { read, write } = connection;
  const dueColumns = `f.id, f.agent, f.key, f.offset AS upTo, f.generation, v.generation AS copied, v.offset AS copiedOffset,
       v.bytes AS copiedBytes, v.state, EXISTS (SELECT 1 FROM entries e INDEXED BY entries_gone WHERE e.file_id = f.id AND e.gone = 1 AND e.generation = v.generation) AS lacks`;
  const isDue = `f.status = 'ok' AND f.sweeping = 0 AND f.offset > 0
       AND (v.file_id IS NULL OR v.generation <> f.generation OR v.offset < f.offset)`;
  const due = connection.statement<[], DueRow>(
    `SELECT ${dueColumns} FROM files f LEFT JOIN vault_copies v ON v.file_id = f.id WHERE ${isDue}`,
  );
  const dueOfSession = connection.statement<[string, string], DueRow>(
    `SELECT ${dueColumns} FROM sessions s JOIN file_sessions fs ON fs.session_id = s.id JOIN files f ON f.id = fs.file_id
     LEFT JOIN vault_copies v ON v.file_id = f.id WHERE s.session = ? AND s.agent = ? AND ${isDue}`,
  );
  const roots = connection
    .statement<[number], string>('SELECT root FROM file_copies WHERE file_id = ? ORDER BY size DESC')
    .pluck();
  const note = connection.statement(
    `INSERT INTO vault_copies (file_id, generation, offset, bytes, state, updated_at)
     SELECT id, @generation, @offset, @bytes, @state, @at FROM files WHERE agent = @agent AND key = @key
     ON CONFLICT DO UPDATE SET generation = excluded.generation, offset = excluded.offset, bytes = excluded.bytes,
       state = excluded.state, updated_at = excluded.updated_at`,
  );
  const drop = connection.statement(
    "UPDATE vault_copies SET bytes = 0, state = '{}' WHERE file_id = (SELECT id FROM files WHERE agent = ? AND key = ?)",
  );
  const ofFile = 'file_id = (SELECT id FROM files WHERE agent = ? AND key = ?)';
  const stored = connection.statement<[string, string], { bytes: number }>(
    `SELECT bytes FROM vault_copies WHERE ${ofFile}`,
  );
  const resize = connection.statement(`UPDATE vault_copies SET bytes = ? WHERE ${ofFile}`);
  const tombstones = connection.statement<[], number>('SELECT count(*) FROM tombstones').pluck();
  const columns =
    'f.agent, f.key, v.bytes, v.offset, v.updated_at AS updatedAt, v.generation = f.generation AND v.offset >= f.offset AS whole';
  const toCopy = ({ whole, ...row }: CopyRow): VaultCopy => ({ ...row, whole: whole === 1 });
  const all = connection.statement<[], CopyRow>(
    `SELECT ${columns} FROM vault_copies v JOIN files f ON f.id = v.file_id WHERE v.bytes > 0 ORDER BY v.updated_at`,
  );
  const ofSession = connection.statement<[string, string], CopyRow>(
    `SELECT ${columns} FROM sessions s JOIN file_sessions fs ON fs.session_id = s.id JOIN vault_copies v ON v.file_id = fs.file_id
     JOIN files f ON f.id = fs.file_id WHERE s.session = ? AND s.agent = ? AND v.bytes > 0 ORDER BY f.subagent IS NOT NULL, f.key`,
  );

  function toDue(row: DueRow): VaultDue {
    // A removed copy is made again from the start once its transcript grows.
    const goesOn = row.copied === row.generation && row.copiedBytes !== 0;
    return {
      agent: row.agent,
      key: row.key,
      roots: roots.all(row.id),
      generation: row.generation,
      ...(row.lacks === 1 && !goesOn && row.copied !== null && (row.copiedBytes ?? 0) > 0
        ? { older: { generation: row.copied, bytes: row.copiedBytes ?? 0 } }
        : {}),
      from: goesOn ? (row.copiedOffset ?? 0) : 0,
      to: row.upTo,
      bytes: goesOn ? (row.copiedBytes ?? 0) : 0,
      state: goesOn && row.state !== null ? parseState(row.state) : emptyState(),
    };
  }

  return {
    async due() {
      return read(() => due.all().map(toDue));
    },
    async sessionDue(agent, session) {
      return read(() => dueOfSession.all(session, agent).map(toDue));
    },
    async note({ agent, key, generation, offset, bytes, state, at }, forgotten) {
      return write(() => {
        if (tombstones.get() !== forgotten) return { bytes: stored.get(agent, key)?.bytes ?? 0 };
        note.run({ agent, key, generation, offset, bytes, state: formatState(state), at });
        return undefined;
      });
    },
    async replace({ agent, key, bytes }, now, put) {
      return write(() => {
        if (stored.get(agent, key)?.bytes !== bytes) return false;
        put();
        resize.run(now, agent, key);
        return true;
      });
    },
    async unlessForgotten(known, work) {
      return write(() => {
        if (tombstones.get() !== known) return false;
        work();
        return true;
      });
    },
    async drop(agent, key) {
      write(() => drop.run(agent, key));
    },
    async copies(): Promise<readonly VaultCopy[]> {
      return read(() => all.all().map(toCopy));
    },
    async sessionCopies(agent, session): Promise<readonly VaultCopy[]> {
      return read(() => ofSession.all(session, agent).map(toCopy));
    },
  };
}

// Which process embeds, and why its last attempt failed.
import type { Connection } from '../sqlite/connection.ts';
import type { EmbeddingTrouble, VectorsPort } from './port.ts';

const leaseFact = 'embedding lease';

export const troubleFact = 'embedding trouble';

export function vectorAttempts(connection: Connection): Pick<VectorsPort, 'lease' | 'trouble' | 'noteTrouble'> {
  const { read, write } = connection;
  const getFact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const putFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const dropFact = connection.statement('DELETE FROM facts WHERE name = ?');

  return {
    async lease(holder, now, until) {
      return write(() => {
        const text = getFact.get(leaseFact);
        const held = text === undefined ? undefined : (JSON.parse(text) as { holder: string; until: number });
        if (held !== undefined && held.holder !== holder && held.until > now) return false;
        if (until === undefined) dropFact.run(leaseFact);
        else putFact.run(leaseFact, JSON.stringify({ holder, until }));
        return true;
      });
    },
    async trouble() {
      return read(() => {
        const text = getFact.get(troubleFact);
        return text === undefined ? undefined : (JSON.parse(text) as EmbeddingTrouble);
      });
    },
    async noteTrouble(said) {
      write(() => putFact.run(troubleFact, JSON.stringify(said)));
    },
  };
}

import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { connect } from './connection.ts';
import { migrate } from './migrations.ts';

const inMemory = 2;

function opened() {
  const db = new Database(':memory:');
  migrate(db, ':memory:');
  const { write, writeMany } = connect(db, ':memory:');
  return {
    batch: () => writeMany(() => {}),
    small: (count: number) => {
      for (let i = 0; i < count; i++) write(() => {});
    },
    journals: () => db.pragma('temp_store', { simple: true }),
  };
}

it('an import keeps its journals in memory through small transactions between its batches', () => {
  const { batch, small, journals } = opened();
  for (let round = 0; round < 10; round++) {
    batch();
    small(3);
    expect(journals()).toBe(inMemory);
  }
});

it('after an import, small transactions give temporary data back to the disk', () => {
  const { batch, small, journals } = opened();
  const before = journals();
  batch();
  small(100);
  expect(journals()).toBe(before);
});

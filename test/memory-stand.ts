// Conversations and their extractions, for tests of the librarian's pages.
import fs from 'node:fs';
import path from 'node:path';
import {
  bringInLine,
  type InLine,
  keepExtraction,
  type MemoryDeps,
  writeDue,
} from '../src/distill/memory/librarian.ts';
import type { Conversation } from '../src/schema/conversation.ts';
import type { Extraction } from '../src/schema/extraction.ts';
import type { Memory } from './demo-memory.ts';

export type Told = Pick<Conversation, 'agent' | 'file' | 'firstPos' | 'firstAt' | 'lastAt' | 'session' | 'project'>;

/** A conversation of an hour that begins at the given moment. */
export function conversation(session: string, firstAt: string, more: Partial<Told> = {}): Told {
  return {
    agent: 'claude-code',
    file: `-srv-courier/${session}.jsonl`,
    firstPos: 0,
    ...{ session, project: 'courier', firstAt, lastAt: new Date(Date.parse(firstAt) + 3_600_000).toISOString() },
    ...more,
  };
}

export const extraction = (some: Partial<Extraction> = {}): Extraction => ({
  ...{ episodes: [], projects: [], people: [], milestones: [], insights: [], facts: [], questions: [] },
  ...some,
});

export const fact = (key: string, text: string, why?: string): Partial<Extraction> => ({
  facts: [{ key, text, about: 'world', ...(why === undefined ? {} : { why }) }],
});

/** Applies the extraction of a conversation to the rows and pages. */
export async function applyExtraction(deps: MemoryDeps, told: Told, gave: Extraction, by: string): Promise<InLine> {
  await keepExtraction(deps, told, gave, by);
  return writeDue(deps);
}

/** Deletes everything that came from conversations. */
export async function deleteDerived(deps: MemoryDeps): Promise<InLine> {
  await bringInLine(deps);
  await deps.store.memory.dropExtractions(await deps.store.memory.extractions());
  return writeDue(deps);
}

export const folderOf = (memory: Memory): string => memory.config.memoryPath;
export const apply = (memory: Memory, told: Told, some: Partial<Extraction>) =>
  applyExtraction(memory.context, told, extraction(some), 'offline');
export const read = (memory: Memory, page: string): string =>
  fs.readFileSync(path.join(folderOf(memory), page), 'utf8');
export const write = (memory: Memory, page: string, text: string): void => {
  const file = path.join(folderOf(memory), page);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};
export const change = (memory: Memory, page: string, from: string | RegExp, to: string): void => {
  const before = read(memory, page);
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${page} does not hold ${from}:\n${before}`);
  write(memory, page, after);
};

/** Every file below the folder with its text. */
export function filesOf(folder: string): Record<string, string> {
  if (!fs.existsSync(folder)) return {};
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => !name.startsWith('.git') && fs.statSync(path.join(folder, name)).isFile())
      .map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
  );
}

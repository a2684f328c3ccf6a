// What a project tells agents in files that they read by themselves. A briefing that repeats it wastes space.
import path from 'node:path';
import { isTellingWord } from '../../language/stop-words.ts';
import { readSome } from '../../system/read-some.ts';

const names = ['CLAUDE.md', 'AGENTS.md', 'CLAUDE.local.md', 'GEMINI.md'];
const mostBytes = 200_000;
/** The share of a statement's significant words that one line must contain. */
const share = 0.75;

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./:-]*[\p{L}\p{N}]/gu) ?? []).filter(isTellingWord);

/** Whether the instructions of a project say what a text says. Contract: never throws; a missing folder says nothing. */
export function instructionsOf(project: string): (text: string) => boolean {
  const text = names.map((name) => readSome(path.join(project, name), mostBytes) ?? '').join('\n');
  if (text.trim() === '') return () => false;
  const lines = text.split('\n').map((line) => new Set(wordsOf(line)));
  return (statement) => {
    const command = /`([^`]{4,})`\.?$/.exec(statement)?.[1];
    if (command !== undefined && /^(?:Tests|It|Types|All checks|The task)\b/.test(statement))
      return text.includes(command);
    const words = [...new Set(wordsOf(statement))];
    return (
      words.length > 2 && lines.some((line) => words.filter((word) => line.has(word)).length >= share * words.length)
    );
  };
}

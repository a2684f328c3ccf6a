// Commit message → the session that made it. Everything that repeats the message is removed from the transcript, as if a person had
// committed by hand.
import fs from 'node:fs';
import path from 'node:path';
import { filesBelow } from './corpus.mjs';

/** Rewrites the transcripts below a folder without what repeats the messages. Returns one question for each commit. */
export function commitQuestions(folder) {
  const questions = [];
  const seen = new Set();
  for (const file of filesBelow(folder)) {
    const text = fs.readFileSync(file, 'utf8');
    const messages = text.split('\n').flatMap(messagesIn);
    if (messages.length === 0) continue;
    const session = path.basename(file, '.jsonl');
    for (const { subject } of messages) {
      if (seen.has(subject)) continue;
      seen.add(subject);
      questions.push({ id: `c${questions.length + 1}`, question: subject, sessions: [session] });
    }
    fs.writeFileSync(file, without(text, messages));
  }
  return questions;
}

function messagesIn(line) {
  if (!line.includes('git commit')) return [];
  let blocks;
  try {
    blocks = JSON.parse(line).message?.content;
  } catch {
    return [];
  }
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block) => {
    const command = block?.type === 'tool_use' ? block.input?.command : undefined;
    if (typeof command !== 'string' || !/\bgit commit\b/.test(command)) return [];
    const message =
      /<<-?\s*'?"?(\w+)'?"?\n([\s\S]*?)\n\s*\1/.exec(command)?.[2] ??
      /\s-[a-z]*m\s+"((?:[^"\\]|\\.)+)"/.exec(command)?.[1] ??
      /\s-[a-z]*m\s+'([^']+)'/.exec(command)?.[1];
    const lines = (message ?? '').split('\n').map((one) => one.trim());
    const subject = lines.find((one) => one !== '') ?? '';
    return subject.length < 15 || subject.includes('$(') ? [] : [{ subject, lines }];
  });
}

/** How many consecutive words two texts share when one quotes the other. */
const run = 4;

/** Empties every line of the transcript that repeats a part of a message, and keeps the line's place. */
function without(text, messages) {
  const runs = new Set(messages.flatMap(({ lines }) => lines.flatMap(runsOf)));
  return text
    .split('\n')
    .map((line) => {
      if (line.trim() === '' || !runsOf(line.replaceAll('\\n', ' ')).some((words) => runs.has(words))) return line;
      const value = JSON.parse(line);
      if (value.message?.content === undefined) return line;
      delete value.toolUseResult;
      const { content } = value.message;
      value.message.content = Array.isArray(content) ? content.map(silent) : '(removed)';
      return JSON.stringify(value);
    })
    .join('\n');
}

function silent(block) {
  if (block.type === 'tool_use') return { ...block, input: {} };
  if (block.type === 'tool_result') return { ...block, content: '(removed)' };
  return block.type === 'text' ? { ...block, text: '(removed)' } : block;
}

function runsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 1 - run).map((_, i) => words.slice(i, i + run).join(' '));
}

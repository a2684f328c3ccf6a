import path from 'node:path';
import { type Carry, dashed, iso, jsonLines } from '../carry.ts';

/** Droid continues a copy of the session: `--fork`. */
export const carryIntoDroid: Carry = (turns, { cwd, root, title, newId }) => {
  const session = newId();
  let before: string | undefined;
  const lines: unknown[] = [{ type: 'session_start', id: session, title, owner: 'unknown', version: 2, cwd }];
  for (const { role, text, at } of turns) {
    const id = newId();
    const parent = before === undefined ? {} : { parentId: before };
    lines.push({
      type: 'message',
      id,
      ...parent,
      timestamp: iso(at),
      message: { role, content: [{ type: 'text', text }] },
    });
    before = id;
  }
  const file = path.join(root, dashed(cwd), `${session}.jsonl`);
  return { session, files: { [file]: jsonLines(lines) }, command: ['droid', '--fork', session] };
};

import path from 'node:path';
import { type Carry, dashed, iso, jsonLines } from '../carry.ts';

export const carryIntoQwen: Carry = (turns, { cwd, root, branch, newId }) => {
  const session = newId();
  let before: string | null = null;
  const lines = turns.map(({ role, text, at }) => {
    const uuid = newId();
    const line = {
      ...{ uuid, parentUuid: before, sessionId: session, timestamp: iso(at), type: role, cwd, version: '0.24.4' },
      ...(branch === undefined ? {} : { gitBranch: branch }),
      ...(role === 'assistant' ? { model: 'carried' } : {}),
      message: { role: role === 'user' ? 'user' : 'model', parts: [{ text }] },
    };
    before = uuid;
    return line;
  });
  const file = path.join(root, dashed(cwd), 'chats', `${session}.jsonl`);
  return { session, files: { [file]: jsonLines(lines) }, command: ['qwen', '--resume', session] };
};

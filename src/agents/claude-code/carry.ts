import path from 'node:path';
import { type Carry, dashed, iso, jsonLines } from '../carry.ts';

/** A transcript as the client writes one, with messages only. */
export const carryIntoClaudeCode: Carry = (turns, { cwd, root, branch, newId }) => {
  const session = newId();
  let before: string | null = null;
  const lines = turns.map(({ role, text, at }) => {
    const uuid = newId();
    const common = {
      ...{ parentUuid: before, isSidechain: false, userType: 'external', cwd, sessionId: session, version: '2.1.197' },
      ...(branch === undefined ? {} : { gitBranch: branch }),
      ...{ uuid, timestamp: iso(at) },
    };
    before = uuid;
    if (role === 'user') return { ...common, type: 'user', message: { role, content: text } };
    const usage = { input_tokens: 0, output_tokens: 0 };
    const content = [{ type: 'text', text }];
    const message = {
      id: `msg_${uuid}`,
      type: 'message',
      role,
      model: '<synthetic>',
      content,
      stop_reason: 'end_turn',
      usage,
    };
    return { ...common, type: 'assistant', message };
  });
  const file = path.join(root, dashed(cwd), `${session}.jsonl`);
  return { session, files: { [file]: jsonLines(lines) }, command: ['claude', '--resume', session] };
};

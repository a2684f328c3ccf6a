import path from 'node:path';
import { type Carry, iso, jsonLines } from '../carry.ts';

export const carryIntoCopilot: Carry = (turns, { cwd, root, now, newId }) => {
  const session = newId();
  let before: string | null = null;
  const event = (type: string, at: number, data: unknown) => {
    const line = { type, data, id: newId(), timestamp: iso(at), parentId: before };
    before = line.id;
    return line;
  };
  const began = turns[0]?.at ?? now;
  const lines = [
    event('session.start', began, {
      ...{
        sessionId: session,
        version: 1,
        producer: 'copilot-agent',
        copilotVersion: '1.0.102',
        startTime: iso(began),
      },
      context: { cwd },
    }),
    ...turns.map(({ role, text, at }) =>
      role === 'user'
        ? event('user.message', at, { content: text, transformedContent: text })
        : event('assistant.message', at, { messageId: newId(), content: text, toolRequests: [] }),
    ),
  ];
  const folder = path.join(root, session);
  const about = [
    `id: ${session}`,
    `cwd: ${JSON.stringify(cwd)}`,
    `created_at: ${iso(began)}`,
    `updated_at: ${iso(now)}`,
    '',
  ];
  return {
    session,
    files: {
      [path.join(folder, 'workspace.yaml')]: about.join('\n'),
      [path.join(folder, 'events.jsonl')]: jsonLines(lines),
    },
    command: ['copilot', `--resume=${session}`],
  };
};

import path from 'node:path';
import { type Carry, iso, jsonLines } from '../carry.ts';

/** A rollout: what the model sees, and beside it what the program shows. */
export const carryIntoCodex: Carry = (turns, { cwd, root, now, branch, newId }) => {
  const session = newId();
  const stamp = iso(now);
  const git = branch === undefined ? {} : { git: { branch } };
  const meta = {
    id: session,
    timestamp: stamp,
    cwd,
    originator: 'holdfast',
    cli_version: '0.0.0',
    source: 'cli',
    ...git,
  };
  const lines: unknown[] = [{ timestamp: stamp, type: 'session_meta', payload: meta }];
  for (const { role, text, at } of turns) {
    const timestamp = iso(at);
    const content = [{ type: role === 'user' ? 'input_text' : 'output_text', text }];
    lines.push({ timestamp, type: 'response_item', payload: { type: 'message', role, content } });
    const shown = role === 'user' ? { type: 'user_message', message: text } : { type: 'agent_message', message: text };
    lines.push({ timestamp, type: 'event_msg', payload: shown });
  }
  const [year = '', month = '', day = ''] = stamp.slice(0, 10).split('-');
  const name = `rollout-${stamp.slice(0, 19).replaceAll(':', '-')}-${session}.jsonl`;
  const file = path.join(root, 'sessions', year, month, day, name);
  return { session, files: { [file]: jsonLines(lines) }, command: ['codex', 'resume', session] };
};

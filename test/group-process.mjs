// Stands in for the process of a group's agent: resumes or starts a session, writes its transcript, and reports its id. Told to close, it
// reports the id once more before it dies.

import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const { HOME, RESUME, PROMPT = 'hello', SYSTEM_PROMPT_APPEND = '', SNAPSHOTS = '' } = process.env;
const session = RESUME || randomUUID();
const folder = path.join(HOME, '.claude', 'projects', '-workspace-group');
fs.mkdirSync(folder, { recursive: true });
const file = path.join(folder, `${session}.jsonl`);
if (RESUME && !fs.existsSync(file)) {
  process.stderr.write(`No conversation found with session ID: ${RESUME}\n`);
  process.exit(1);
}
const line = (type, content) =>
  `${JSON.stringify({
    ...{ parentUuid: null, isSidechain: false, sessionId: session, cwd: '/workspace/group', type },
    ...{ message: { role: type, content }, uuid: randomUUID(), timestamp: new Date().toISOString() },
  })}\n`;
fs.appendFileSync(file, line('user', PROMPT) + line('assistant', [{ type: 'text', text: `You said: ${PROMPT}` }]));
const snapshots = SNAPSHOTS === '' ? [] : fs.readdirSync(SNAPSHOTS).sort();
const history = snapshots.includes('session_history.json')
  ? JSON.parse(fs.readFileSync(path.join(SNAPSHOTS, 'session_history.json'), 'utf8'))
  : undefined;
const tell = () =>
  process.stdout.write(
    `${JSON.stringify({ session, resumed: RESUME || undefined, file, history, snapshots, append: SYSTEM_PROMPT_APPEND })}\n`,
  );
tell();
process.on('SIGTERM', () => {
  tell();
  process.exit(0);
});
setInterval(() => {}, 1000);

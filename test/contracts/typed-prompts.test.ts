// Counts what people typed from the raw lines of real transcripts, without our reader, and looks for each prompt in the store.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/capture/redaction/redact.ts';
import { workbench } from './transcript-builder.ts';

type Line = Record<string, unknown>;
const bench = path.join(import.meta.dirname, '../../../shared/bench');
const archives = ['real-transcripts.tar.gz', 'coding-sessions.tar.gz'].map((name) => path.join(bench, name));

describe.skipIf(!archives.every((file) => fs.existsSync(file)))('what people typed', () => {
  it('is in the store, all of it', async () => {
    const { home, store, ingest } = await workbench();
    for (const archive of archives) execFileSync('tar', ['xzf', archive, '-C', home]);
    const folders = ['real-transcripts/claude-code/projects', 'coding-sessions/projects'].map((at) =>
      path.join(home, at),
    );
    const typed: { session: string; text: string }[] = [];
    for (const folder of folders) {
      await ingest({ dir: folder, later: true });
      for (const key of fs.readdirSync(folder, { recursive: true }) as string[])
        if (key.endsWith('.jsonl') && !path.basename(key).startsWith('agent-'))
          typed.push(...typedIn(path.join(folder, key)));
    }
    const said = new Map<string, string>();
    for (const { agent, id } of await store.sessions.list({})) {
      const own = (await store.entries.transcript(agent, id)).filter(({ author }) => author === 'person');
      said.set(id, own.map(({ text }) => plain(text)).join('\n'));
    }
    const missing = typed.filter(
      ({ session, text }) => !(said.get(session) ?? '').includes(plain(redact(text)).slice(0, 200)),
    );
    expect(typed.length).toBeGreaterThan(500);
    expect(missing).toEqual([]);
  }, 300_000);
});

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
const texts = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => (part?.type === 'text' ? String(part.text) : '')).join('\n')
      : '';
const machine =
  /^(<task-notification|<local-command|<bash-std|<system-reminder|<teammate-message|\{"task_id"|\[Request interrupted|Caveat: |This session is being continued)/;

function typedIn(file: string): { session: string; text: string }[] {
  const found: { session: string; text: string }[] = [];
  for (const row of fs.readFileSync(file, 'utf8').split('\n')) {
    let line: Line;
    try {
      line = JSON.parse(row) as Line;
    } catch {
      continue;
    }
    const message = (line.message ?? {}) as Line;
    const isPrompt = line.type === 'user' && !line.isMeta && !line.isSidechain && !line.isCompactSummary;
    const isQueued = line.type === 'queue-operation' && line.operation === 'enqueue';
    const raw = isPrompt ? texts(message.content) : isQueued ? texts(line.content) : '';
    const text = raw.replace(/<(system-reminder|ide_\w+|local-command-caveat)>[\s\S]*?<\/\1>/g, '').trim();
    const origin = ((line.origin ?? {}) as Line).kind;
    if (
      text === '' ||
      machine.test(text) ||
      (origin !== undefined && origin !== 'human') ||
      line.promptSource === 'system'
    )
      continue;
    const command = /<command-name>([^<]*)</.exec(text)?.[1];
    const shell = /<bash-input>([\s\S]*?)<\/bash-input>/.exec(text)?.[1];
    found.push({ session: String(line.sessionId ?? path.basename(file, '.jsonl')), text: command ?? shell ?? text });
  }
  return found;
}

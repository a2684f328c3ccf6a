// One secret in each place of a transcript, a client and a hook: none of them is anywhere in the memory afterwards.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, it } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { openClients } from '../../src/capture/live/client.ts';
import { receiveHook } from '../../src/capture/live/hook.ts';
import { redactStored } from '../../src/capture/redaction/redact-stored.ts';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { exportAll } from '../../src/operations/data/export.ts';
import { processJobs } from '../../src/operations/data/process.ts';
import { liveEvents } from '../../src/schema/live-event.ts';
import { archiveSession } from '../../src/sessions/archives/archives.ts';
import { answer, type Bench, type Json, prompt, toolResult, toolUse, workbench } from './transcript-builder.ts';

/** Two digits tell which place it was in. */
let count = 10;
const secrets: string[] = [];
function secret(): string {
  const made = `ghp_${'aB3dE6gH9'.repeat(4).slice(0, 34)}${count++}`;
  secrets.push(made);
  return made;
}
/** A value that is secret by its name alone. */
function password(): string {
  const made = `Tr0ub&dor-${count++}x`;
  secrets.push(made);
  return made;
}

function everything(bench: Bench): string {
  const files = (folder: string): string[] =>
    fs.readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
      const file = path.join(folder, one.name);
      if (one.isDirectory()) return files(file);
      const bytes = fs.readFileSync(file);
      return [file, (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('latin1')];
    });
  return files(bench.config.home).join('\n');
}

const survivors = (bench: Bench): string[] => {
  const text = everything(bench);
  return secrets.filter((one) => text.includes(one));
};

const deep = (inside: unknown, levels: number): unknown => (levels === 0 ? inside : { a: deep(inside, levels - 1) });
const user = (uuid: string, content: unknown, more: Json = {}) =>
  prompt(uuid, '', 1, { message: { role: 'user', content }, ...more });

const lines = (): Json[] => [
  { type: 'ai-title', aiTitle: `Title ${secret()}`, sessionId: 's1' },
  { type: 'custom-title', customTitle: `Name ${secret()}`, sessionId: 's1' },
  { type: 'summary', summary: `About ${secret()}`, leafUuid: 'p' },
  prompt('p', `say ${secret()} and "password": "${password()}"`, 0, {
    cwd: `/srv/${secret()}/x`,
    gitBranch: `fix-${secret()}`,
  }),
  user('q', [
    { type: 'text', text: secret() },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: secret() } },
    { type: 'redacted_thinking', data: secret() },
    { type: 'thinking', thinking: secret(), signature: secret() },
    { type: 'x', encrypted_content: secret(), list: [secret(), { data: secret() }] },
  ]),
  answer('r', [
    { type: 'text', text: secret() },
    { type: 'thinking', thinking: secret(), signature: 'c2lnbmF0dXJl' },
    toolUse('t1', 'Bash', { command: `export DB_PASSWORD=${password()}; echo ${secret()}`, description: secret() }),
    toolUse('t2', 'Read', { file_path: `/srv/${secret()}.txt` }),
    toolUse('t3', 'Grep', { path: `/srv/${secret()}`, pattern: secret() }),
    toolUse('t4', `mcp__x__${secret()}`, { [secret()]: 1, nested: { [secret()]: secret() }, password: password() }),
    toolUse('t5', 'NotebookEdit', { notebook_path: `/n/${secret()}.ipynb`, cells: [{ source: [secret()] }] }),
    toolUse('t6', 'Write', {
      file_path: '/a',
      content: JSON.stringify({ a: JSON.stringify({ token: secret(), password: password() }) }),
    }),
    toolUse('t7', 'Run', { args: ['--password', password()], env: [{ name: 'DB_PASSWORD', value: password() }] }),
    toolUse('t8', 'Deep', { a: deep(secret(), 250) }),
  ]),
  toolResult('s', 't1', `out ${secret()}`, 2),
  toolResult('u', 't2', [{ type: 'text', text: `Authorization: Bearer ${secret()}\nCookie: sid=${password()}` }], 2),
  toolResult(
    'v',
    't3',
    `${'x'.repeat(400)}\n${'long '.repeat(800)} API_KEY=${secret()} ${'y '.repeat(900)} PGPASSWORD=${password()}`,
    2,
  ),
  {
    ...toolResult('w', 't4', 'ok', 2),
    toolUseResult: { stdout: secret(), file: { content: secret() }, [secret()]: 1 },
  },
  {
    type: 'file-history-snapshot',
    messageId: 'm',
    snapshot: { trackedFileBackups: { [`/srv/${secret()}`]: { name: secret() } } },
  },
  {
    type: 'attachment',
    uuid: 'x',
    sessionId: 's1',
    timestamp: new Date().toISOString(),
    attachment: { type: 'file', content: secret() },
  },
  {
    type: 'queue-operation',
    operation: 'enqueue',
    content: `queued ${secret()}`,
    sessionId: 's1',
    timestamp: new Date().toISOString(),
  },
  { type: 'last-prompt', lastPrompt: secret(), sessionId: 's1' },
  { type: 'system', subtype: 'x', content: secret(), uuid: 'y', sessionId: 's1' },
  prompt('z1', `gh\\u0070_${secret().slice(4)} &quot;password&quot;: &quot;${password()}&quot;`, 3),
];

it('no secret of a transcript, a client or a hook is stored anywhere', async () => {
  const bench = await workbench();
  bench.write('p/s1.jsonl', lines());
  const deps = { ...bench.deps, events: liveEvents(bench.deps.clock), wake: () => {} };
  const clients = openClients(deps);
  const session = `client-${secret()}`;
  await clients.init({ sessionId: session, cwd: `/srv/${secret()}`, userPrompt: `do ${secret()}` });
  await clients.observe({
    sessionId: session,
    tool_name: `Tool ${secret()}`,
    tool_input: { file_path: `/a/${secret()}`, [secret()]: secret(), password: password() },
    tool_response: { out: secret() },
    cwd: `/srv/${secret()}`,
  });
  await clients.summarize({ sessionId: session, last_user_message: secret(), last_assistant_message: secret() });
  await clients.complete({ sessionId: session, reason: `because ${secret()}` });
  const hook = { session_id: 's2', transcript_path: path.join(bench.config.home, 'none.jsonl'), cwd: '/x' };
  await receiveHook(deps, claudeCode, { ...hook, hook_event_name: 'SessionStart', source: 'startup' });
  await receiveHook(deps, claudeCode, { ...hook, hook_event_name: 'SessionEnd', reason: `bye ${secret()}` });
  await bench.ingest();
  await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY });
  const context = { store: bench.store, config: bench.config, clock: bench.deps.clock };
  // Everything that is made from the rows: observations, summaries, pages, archives, an export, a backup.
  const { done } = await processJobs.run(context, processJobs.input.parse({ all: true }));
  expect(done).toMatchObject({ observe: expect.any(Number), summarize: expect.any(Number) });
  for (const one of await bench.store.sessions.list({}))
    await archiveSession(bench.deps, { agent: one.agent, session: one.id });
  expect(fs.readdirSync(bench.config.archivePath).length).toBeGreaterThan(0);
  const { counts } = await exportAll.run(context, { file: path.join(bench.config.home, 'export.jsonl') });
  expect(counts).toMatchObject({ entry: expect.any(Number), observation: expect.any(Number) });
  await bench.store.admin.backup(path.join(bench.config.home, 'backup.db'));
  await bench.closeStores();
  expect(secrets.length).toBeGreaterThanOrEqual(60);
  expect(survivors(bench)).toEqual([]);
});

it('secrets that older rules left are redacted in rows and copies, even after a stop in the middle', async () => {
  const bench = await workbench();
  const made = secrets.length;
  bench.write('p/s1.jsonl', [
    prompt('p', 'plain-one', 0, { cwd: '/srv/plain-two' }),
    answer('r', [toolUse('t', 'plain-tool', { file_path: '/srv/plain-file' })], 1),
  ]);
  await bench.ingest();
  await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY });
  // What an older version would have stored.
  const words = ['plain-one', 'plain-two', 'plain-tool', 'plain-file'];
  const later = new Map(words.map((word) => [word, secret()]));
  const put = (text: string) => words.reduce((all, word) => all.replaceAll(word, later.get(word) as string), text);
  await bench.store.removal.rewriteTexts(50, { text: put, json: put }, 1000);
  for (let i = 0; i < 5; i++) await bench.store.removal.rewriteTexts(50, { text: put, json: put }, 1000);
  const copy = path.join(bench.config.home, 'vault', 'claude-code', 'p', 's1.jsonl.gz');
  const old = zlib.gzipSync(put(zlib.gunzipSync(fs.readFileSync(copy)).toString('utf8')));
  const [known] = await bench.store.vault.copies();
  await bench.store.vault.replace(known as never, old.length, () => fs.writeFileSync(copy, old));
  expect(survivors(bench).length).toBe(words.length);
  fs.rmSync(path.join(bench.config.home, 'vault', 'redaction.json'));
  const stop = new AbortController();
  stop.abort();
  for (let i = 0; i < 10; i++) await redactStored({ store: bench.store, signal: stop.signal }, 51);
  await fillVault({ ...bench.deps, signal: stop.signal }, { quietMs: Number.NEGATIVE_INFINITY });
  await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY });
  await bench.closeStores();
  expect(survivors(bench)).toEqual([]);
  expect(secrets.length).toBe(made + words.length);
});

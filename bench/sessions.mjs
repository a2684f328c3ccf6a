// Ten thousand sessions: how long it takes to list them, and to purge them all with copies in the vault.
import fs from 'node:fs';
import path from 'node:path';
import { scratchFolder } from './corpus.mjs';
import { program, runNode, show } from './figures.mjs';

const count = 10_000;
const folder = scratchFolder();
const env = { HOME: folder, HOLDFAST_HOME: path.join(folder, 'data'), CLAUDE_CONFIG_DIR: path.join(folder, 'claude') };
const projects = path.join(folder, 'claude', 'projects');
for (let i = 0; i < count; i++) {
  const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
  const at = path.join(projects, `-srv-p${i % 100}`);
  fs.mkdirSync(at, { recursive: true });
  const line = (type, n, text) =>
    JSON.stringify({
      ...{ type, uuid: `${id}-${n}`, sessionId: id, cwd: `/srv/p${i % 100}`, isSidechain: false, parentUuid: null },
      timestamp: new Date(Date.UTC(2026, 0, 1) + i * 60_000 + n).toISOString(),
      message: { role: type, content: type === 'user' ? text : [{ type: 'text', text }] },
    });
  const lines = [line('user', 0, `Question ${i} about tables`), line('assistant', 1, `Answer ${i}: use an index.`)];
  fs.writeFileSync(path.join(at, `${id}.jsonl`), `${lines.join('\n')}\n`);
}
await runNode([program, 'ingest'], env);
await runNode(['--input-type=module', '-e', fill()], env);

const listed = await runNode([program, 'sessions', '--json'], env);
const planned = await runNode([program, 'sessions', 'purge', '--keep', '0', '--dry-run', '--json'], env);
const purged = await runNode([program, 'sessions', 'purge', '--keep', '0', '--yes', '--json'], env);
const { sessions, copies } = JSON.parse(purged.out);
if (sessions !== count || copies !== count) throw new Error(`purged ${sessions} sessions, ${copies} copies`);
fs.rmSync(folder, { recursive: true, force: true });
show([
  [`list ${count} sessions, the whole command`, listed.ms, 'ms'],
  ['say what a purge would do', planned.ms, 'ms'],
  ['purge them, with a copy in the vault each', purged.ms, 'ms', 2000],
]);

/** The worker does this after the transcripts have been quiet. */
function fill() {
  const at = (file) => JSON.stringify(path.join(import.meta.dirname, '..', 'dist', file));
  return `const { openHoldfast } = await import(${at('index.js')});
const { fillVault } = await import(${at('capture/vault/vault.js')});
const holdfast = await openHoldfast();
await fillVault(holdfast.context, { quietMs: -1 });
await holdfast.close();`;
}

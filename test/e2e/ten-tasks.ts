// The stand of the ten tasks: what a person wants from their memory. One machine with two projects, and steps that are counted.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type ViewerStand, viewerStand } from './viewer-stand.ts';

export const lamp = 'aaaaaaaa-0000-4000-8000-000000000001';
export const gulls = 'bbbbbbbb-0000-4000-8000-000000000002';
const door = 'cccccccc-0000-4000-8000-000000000003';
/** Redaction does not know it, so only the person can tell that it is a secret. */
export const secret = 'quokka marmalade';

/** Recent enough for a heat map of a year, whenever the tests run. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
export const lampDay = daysAgo(20);
const gullsDay = daysAgo(19);
const doorDay = daysAgo(30);

type Part = string | { tool: string; input: Record<string, unknown>; output: string };

/** Answers are parts of one message each; a tool use is followed by its result. */
function transcript(session: string, cwd: string, day: string, turns: readonly (readonly [string, ...Part[]])[]) {
  const lines: string[] = [];
  const idOf = (i: number) => `${session.slice(0, 8)}-${String(i).padStart(4, '0')}-4000-8000-000000000000`;
  const push = (type: 'user' | 'assistant', content: unknown) => {
    const i = lines.length;
    const at = new Date(Date.parse(`${day}T12:00:00Z`) + i * 60_000).toISOString();
    const ids = { uuid: idOf(i), parentUuid: i === 0 ? null : idOf(i - 1), sessionId: session, cwd };
    lines.push(JSON.stringify({ type, ...ids, timestamp: at, message: { role: type, content } }));
  };
  for (const [prompt, ...parts] of turns) {
    push('user', prompt);
    for (const part of parts) {
      if (typeof part === 'string') {
        push('assistant', [{ type: 'text', text: part }]);
        continue;
      }
      const id = `tool-${session}-${lines.length}`;
      push('assistant', [{ type: 'tool_use', id, name: part.tool, input: part.input }]);
      push('user', [{ type: 'tool_result', tool_use_id: id, content: part.output }]);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

const sessionsIn = (folder: string) => {
  const [lighthouse, shore] = [path.join(folder, 'lighthouse'), path.join(folder, 'shore')];
  const edit = (file: string, before: string, after: string) => ({
    tool: 'Edit',
    input: { file_path: file, old_string: before, new_string: after },
    output: 'ok',
  });
  return [
    { cwd: shore, session: door, day: doorDay, turns: [['Paint the door', 'The door is red now.']] },
    {
      cwd: lighthouse,
      session: lamp,
      day: lampDay,
      turns: [
        [
          'Why does the lamp go out at night? A shutter, or glass?',
          'Good question. Let me trace how the lamp and its shutter behave at night:',
          { tool: 'Bash', input: { command: 'npm run test:e2e -- lamp' }, output: '3 passed' },
          'Decision: the lamp gets a glass chimney and no shutter, because a shutter lets the wind in.',
        ],
        [
          'Do that, and print the settings',
          edit(path.join(lighthouse, 'src/wick.ts'), 'wick = "wet"', 'wick = "dry"'),
          { tool: 'Bash', input: { command: 'cat settings.txt' }, output: `harbour door: ${secret}` },
          'The chimney is in place.',
        ],
      ],
    },
    {
      cwd: shore,
      session: gulls,
      day: gullsDay,
      turns: [
        [
          'Count the gulls on the roof',
          edit(path.join(shore, 'roof.ts'), 'gulls = 6', 'gulls = 7'),
          'There are seven of them.',
        ],
      ],
    },
  ] as const;
};

/** All sessions are imported, the worker runs, the gulls' session was given a briefing, and a wrong fact is remembered. */
export async function tenTasks(): Promise<ViewerStand> {
  const stand = await viewerStand();
  try {
    await prepare(stand);
  } catch (error) {
    // The test never gets the stand, so it cannot end the worker.
    await stand.close();
    throw error;
  }
  return stand;
}

async function prepare(stand: ViewerStand): Promise<void> {
  for (const { cwd, session, day, turns } of sessionsIn(stand.folder)) {
    const folder = path.join(stand.claude, cwd.replaceAll('/', '-'));
    for (const one of [cwd, folder]) mkdirSync(one, { recursive: true });
    writeFileSync(path.join(folder, `${session}.jsonl`), transcript(session, cwd, day, turns));
  }
  stand.run('ingest');
  stand.run('vault', '--fill');
  stand.run('remember', 'Lighthouse tests run with go test', '--project', path.join(stand.folder, 'lighthouse'));
  stand.run('remember', 'Gulls are counted at dawn', '--project', path.join(stand.folder, 'shore'));
  // Otherwise the worker would change the order of hits during the tests.
  stand.run('embed');
  await stand.startWorker();
  const briefed = { project: path.join(stand.folder, 'shore'), session: gulls };
  const told = await fetch(`${stand.origin}/api/context/inject?${new URLSearchParams(briefed)}`, {
    headers: { authorization: `Bearer ${readFileSync(path.join(stand.home, 'token'), 'utf8').trim()}` },
  });
  expect(await told.text()).toContain('counted at dawn');
  const agent = path.join(stand.folder, 'bin/claude');
  mkdirSync(path.dirname(agent));
  writeFileSync(agent, '#!/bin/sh\necho "agent in $(pwd) with $*"\n');
  chmodSync(agent, 0o755);
}

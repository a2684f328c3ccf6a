// Kilo: its command line is a fork of OpenCode that keeps the same database in another folder. Its extension, and the command line before 7,
// are forks of Roo Code, with tasks in JSON.
import path from 'node:path';
import type { Agent } from '../agent.ts';
import { clineLike, extensionFolders } from '../cline/index.ts';
import { asObject } from '../json.ts';
import { openCodeLike } from '../opencode/index.ts';
import type { AgentPull } from '../pull.ts';

const sessions = openCodeLike({
  name: 'kilo',
  title: 'Kilo',
  database: /^kilo(?:-[\w.-]+)?\.db$/,
  root: (env, home) => path.join(env.XDG_DATA_HOME || path.join(home, '.local', 'share'), 'kilo'),
  program: 'kilo',
});

const tasks = clineLike({
  name: 'kilo',
  title: 'Kilo',
  root: sessions.root,
  also: (_, home) => [path.join(home, '.kilocode', 'cli', 'global'), ...extensionFolders(home, 'kilocode.kilo-code')],
  resume: () => [],
});

const pulls = [sessions.pull, tasks.pull].filter((pull): pull is AgentPull => pull !== undefined);

export const kilo: Agent = {
  ...sessions,
  pull: {
    isSource: (key) => pulls.some((pull) => pull.isSource(key)),
    concerns: (key) => pulls.some((pull) => pull.concerns(key)),
    leadsTo: (key) => pulls.every((pull) => pull.leadsTo(key)),
    also: (env, home) => pulls.flatMap((pull) => pull.also?.(env, home) ?? []),
    sessions: (file, tools) => (pulls.find((pull) => pull.isSource(file)) ?? pulls[0])?.sessions(file, tools) ?? [],
  },
  read: (value, file) => (asObject(value).type === 'message' ? tasks : sessions).read(value, file),
  resume: (session) => (session.startsWith('ses_') ? sessions.resume(session) : []),
};

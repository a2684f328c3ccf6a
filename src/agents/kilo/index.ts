// Kilo's command line is a fork of OpenCode that keeps the same database in another folder.
import path from 'node:path';
import { openCodeLike } from '../opencode/index.ts';

export const kilo = openCodeLike({
  name: 'kilo',
  title: 'Kilo',
  database: /^kilo(?:-[\w.-]+)?\.db$/,
  root: (env, home) => path.join(env.XDG_DATA_HOME || path.join(home, '.local', 'share'), 'kilo'),
  program: 'kilo',
});

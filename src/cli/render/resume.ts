import type { Session } from '../../schema/session.ts';
import { clean } from '../style.ts';
import type { View } from '../view.ts';

interface Resumed {
  readonly session: Session;
  readonly command: readonly string[];
  readonly folder: string;
  readonly restored: readonly string[];
  readonly ended?: number;
}

/** After the agent has had the terminal nothing is left to say. */
export function renderResume({ session, command, folder, restored, ended }: Resumed, { style }: View): string {
  if (ended !== undefined) return '';
  const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return [
    style.dim(`${clean(session.title)} · ${clean(session.project)}`),
    ...restored.map((file) => style.dim(`put back: ${clean(file)}`)),
    `cd ${quoted(folder)} && ${command.map(quoted).join(' ')}`,
  ].join('\n');
}

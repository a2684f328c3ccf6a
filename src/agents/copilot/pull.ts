// A person's name for a session is only in session-state/<session>/workspace.yaml, which Copilot rewrites whole. Names
// that Copilot gives itself are left out: they repeat the first prompt, which may be private.
import path from 'node:path';
import { derivedId } from '../derived-id.ts';
import { type AgentPull, pulledKey } from '../pull.ts';
import { pulledLine } from '../pulled-lines.ts';

const source = /(?:^|\/)workspace\.yaml$/;

/** The transcript that Holdfast writes for the names of one session. */
export const namesKey = /^names-([\w.-]+)\.jsonl$/;

export const copilotPull: AgentPull = {
  isSource: (key) => source.test(key),
  concerns: (key) => source.test(key),
  leadsTo: (key) => !/(?:^|\/)(?:checkpoints|files|node_modules|\.git)$/.test(key),
  beside: (key) => namesKey.test(key),
  *sessions(file, tools) {
    const session = path.basename(path.dirname(file));
    const key = pulledKey(`names-${session}`);
    if (!namesKey.test(key)) return;
    yield {
      key,
      mark: tools.stamp(file),
      *records() {
        const text = tools.text(file)?.slice(0, longestFile) ?? '';
        const [name, written] = [scalar(text, 'name'), Date.parse(scalar(text, 'updated_at') ?? '')];
        if (name === undefined || scalar(text, 'user_named') !== 'true') return;
        const at = Number.isNaN(written) ? undefined : written;
        // A name that was given, changed and given again is a new name.
        const id = derivedId('copilot', 'name', session, name, at ?? '');
        yield { line: pulledLine('name', id, at, { title: name, leaf: session }) };
      },
    };
  },
};

const longestFile = 1 << 20;

/** A text on the line of its key: bare, or in quotation marks. Longer forms are no names. */
function scalar(yaml: string, key: string): string | undefined {
  const said = new RegExp(`^${key}:[ \\t]+([^\\r\\n]{1,1000})$`, 'm').exec(yaml)?.[1]?.trim();
  if (said === undefined || /^(?:[|>&*!]|''$|""$)/.test(said)) return undefined;
  if (said.startsWith("'")) return said.endsWith("'") ? said.slice(1, -1).replaceAll("''", "'") : undefined;
  if (!said.startsWith('"')) return said;
  try {
    return String(JSON.parse(said));
  } catch {
    return undefined; // an escape that only YAML knows
  }
}

// Turns made by hand, as input for a distiller.
import type { SessionMaterial, Turn } from '../src/distill/material.ts';
import type { Entry } from '../src/schema/entry.ts';
import type { ToolUse } from '../src/schema/tool-use.ts';

export interface Step {
  readonly say?: string;
  readonly machine?: string;
  readonly tool?: string;
  readonly input?: Record<string, unknown>;
  readonly files?: readonly string[];
  readonly failed?: boolean;
  readonly output?: string;
}

export const say = (text: string): Step => ({ say: text });
export const edit = (file: string): Step => ({ tool: 'Edit', input: { file_path: file }, files: [file] });
export const read = (file: string): Step => ({ tool: 'Read', input: { file_path: file }, files: [file] });
export const run = (command: string, output = '', failed = false): Step => ({
  tool: 'Bash',
  input: { command },
  output,
  failed,
});

const moment = (prompt: number, i: number): string => new Date(Date.UTC(2026, 2, 1, 10, prompt, i)).toISOString();

export function turn(request: string | undefined, steps: readonly Step[], more: Partial<Turn> = {}): Turn {
  const prompt = more.prompt ?? 1;
  const entries: Entry[] = [];
  const toolUses: ToolUse[] = [];
  const add = (author: Entry['author'], text: string, tools: string[] = []): Entry => {
    const entry: Entry = {
      id: `p${prompt}e${entries.length}`,
      session: 's',
      agent: 'claude-code',
      role: author === 'model' ? 'assistant' : 'user',
      author,
      at: moment(prompt, entries.length),
      text,
      tools,
      abandoned: false,
    };
    entries.push(entry);
    return entry;
  };
  const asked = request === undefined ? undefined : add('person', request);
  for (const { say: said, machine, tool, input = {}, files = [], failed = false, output = '' } of steps) {
    if (said !== undefined) add('model', said);
    else if (machine !== undefined) add('machine', machine);
    else if (tool !== undefined) {
      const entry = add('model', '', [tool]);
      const outcome = failed ? 'error' : 'ok';
      toolUses.push({
        ...{ id: `t${toolUses.length}`, entry: entry.id, tool, at: entry.at, input: JSON.stringify(input) },
        ...{ files: [...files], outcome, output },
      });
    }
  }
  return {
    agent: 'claude-code',
    session: 's',
    project: 'tide',
    projectPath: '/home/dev/tide',
    cwd: '/home/dev/tide',
    prompt,
    ...(asked === undefined ? {} : { request: asked }),
    before: [],
    entries,
    toolUses,
    startedAt: entries[0]?.at ?? moment(prompt, 0),
    endedAt: entries.at(-1)?.at ?? moment(prompt, 0),
    ...more,
  };
}

export function session(turns: readonly Turn[], title = ''): SessionMaterial {
  const { agent, session: id, project, projectPath, cwd } = turns[0] as Turn;
  return {
    ...{ agent, session: id, project, projectPath, cwd, title, prompts: turns.length, turns },
    startedAt: turns[0]?.startedAt ?? '',
    endedAt: turns.at(-1)?.endedAt ?? '',
  };
}

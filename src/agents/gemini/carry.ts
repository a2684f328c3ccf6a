import { createHash } from 'node:crypto';
import path from 'node:path';
import { type Carry, type CarryAbout, iso, jsonLines } from '../carry.ts';
import { asObject, asString } from '../json.ts';

export const carryIntoGemini: Carry = (turns, about) => {
  const { cwd, root, now, newId } = about;
  const session = newId();
  const project = projectFolder(about);
  const hash = createHash('sha256').update(cwd).digest('hex');
  const lines: unknown[] = [
    { sessionId: session, projectHash: hash, startTime: iso(turns[0]?.at ?? now), lastUpdated: iso(now), kind: 'main' },
    ...turns.map(({ role, text, at }) =>
      role === 'user'
        ? { id: newId(), timestamp: iso(at), type: 'user', content: [{ text }] }
        : { id: newId(), timestamp: iso(at), type: 'gemini', content: text, thoughts: [], model: 'gemini-2.5-pro' },
    ),
  ];
  const name = `session-${iso(now).slice(0, 16).replace(':', '-')}-${session.slice(0, 8)}.jsonl`;
  const chats = path.join(root, project.name, 'chats', name);
  // Marks a project that Gemini has not seen.
  const mark = project.isNew ? { [path.join(root, project.name, '.project_root')]: cwd } : {};
  return { session, files: { ...mark, [chats]: jsonLines(lines) }, command: ['gemini', '--resume', session] };
};

/** The name that Gemini gave to the folder, or would give. */
function projectFolder({ cwd, root, tools }: CarryAbout): { name: string; isNew: boolean } {
  const listed = asObject(asObject(tools.json(path.join(root, '..', 'projects.json'))).projects)[cwd];
  const known =
    asString(listed) ??
    tools.names(root).find((name) => tools.text(path.join(root, name, '.project_root'))?.trim() === cwd);
  if (known !== undefined) return { name: known, isNew: false };
  const base =
    path
      .basename(cwd)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'project';
  const taken = new Set(tools.names(root));
  for (let n = 0; ; n++) {
    const name = n === 0 ? base : `${base}-${n}`;
    if (!taken.has(name)) return { name, isNew: true };
  }
}

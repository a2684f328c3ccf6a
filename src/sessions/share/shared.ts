// A session to give to another person: everything that was said and done, redacted again by the current rules.
import { z } from 'zod';
import { AgentName } from '../../schema/agent-name.ts';
import { Author } from '../../schema/entry.ts';
import type { Session } from '../../schema/session.ts';
import { Moment } from '../../schema/time.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { Store } from '../../store/store.ts';

export const sharedFormat = 'holdfast session';

const SharedUse = z.object({
  tool: z.string(),
  input: z.string(),
  files: z.array(z.string()),
  outcome: z.enum(['ok', 'error']).optional(),
  output: z.string().optional(),
});
export type SharedUse = z.infer<typeof SharedUse>;

const SharedEntry = z.object({
  id: z.string(),
  at: Moment,
  author: Author,
  subagent: z.string().optional(),
  text: z.string(),
  uses: z.array(SharedUse).optional(),
});
export type SharedEntry = z.infer<typeof SharedEntry>;

export const SharedSession = z.object({
  format: z.literal(sharedFormat),
  version: z.literal(1),
  id: z.string(),
  agent: AgentName,
  title: z.string(),
  project: z.string(),
  branch: z.string().optional(),
  links: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  startedAt: Moment,
  endedAt: Moment,
  entries: z.array(SharedEntry),
});
export type SharedSession = z.infer<typeof SharedSession>;

export interface ShareDeps {
  readonly store: Pick<Store, 'entries'>;
  /** Removes what must not leave, from text and from JSON as text. */
  readonly redact: { text(text: string): string; json(text: string): string };
  readonly signal?: AbortSignal | undefined;
}

/** How many entries to read at a time. */
const pageSize = 500;

export async function sharedSession(
  { store, redact, signal }: ShareDeps,
  session: Session,
  { tools, subagents }: { readonly tools: boolean; readonly subagents: boolean },
): Promise<SharedSession> {
  const entries: SharedEntry[] = [];
  for (let from = 0; ; from += pageSize) {
    signal?.throwIfAborted();
    const part = await store.entries.page(session.agent, session.id, { subagents, from, limit: pageSize });
    const uses = new Map<string, SharedUse[]>();
    for (const use of tools ? await store.entries.toolUses(part.entries.map(({ id }) => id)) : []) {
      const own = uses.get(use.entry);
      if (own === undefined) uses.set(use.entry, [toShared(use, redact)]);
      else own.push(toShared(use, redact));
    }
    for (const { id, at, author, subagent, text, abandoned } of part.entries) {
      const said = redact.text(text).trim();
      const done = uses.get(id);
      if (abandoned || (said === '' && done === undefined)) continue;
      entries.push({
        ...{ id, at, author, text: said },
        ...(subagent === undefined ? {} : { subagent: redact.text(subagent) }),
        ...(done === undefined ? {} : { uses: done }),
      });
    }
    // Let other work run, so that a long session does not block the process.
    await new Promise(setImmediate);
    if (from + pageSize >= part.total) break;
  }
  const { id, agent, project, branch, links, tags, startedAt, endedAt } = session;
  return {
    ...{
      format: sharedFormat,
      version: 1,
      id,
      agent,
      title: redact.text(session.title),
      project: redact.text(project),
    },
    ...(branch === undefined ? {} : { branch: redact.text(branch) }),
    ...(links === undefined ? {} : { links: links.map(redact.text) }),
    ...(tags === undefined ? {} : { tags }),
    ...{ startedAt, endedAt, entries },
  };
}

function toShared({ tool, input, files, outcome, output }: ToolUse, redact: ShareDeps['redact']): SharedUse {
  return {
    ...{ tool: redact.text(tool), input: redact.json(input), files: files.map(redact.text) },
    ...(outcome === undefined ? {} : { outcome }),
    ...(output === undefined ? {} : { output: redact.text(output) }),
  };
}

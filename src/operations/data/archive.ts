// A session as a file: the archive that grows with it, or a copy to hand to another person.
import path from 'node:path';
import { z } from 'zod';
import { AgentName } from '../../schema/agent-name.ts';
import type { Session } from '../../schema/session.ts';
import { archiveName } from '../../sessions/archives/archive-text.ts';
import { archiveSession } from '../../sessions/archives/archives.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { type Context, operation } from '../operation.ts';
import { find } from '../recall/find.ts';

const Format = z.enum(['md', 'html', 'json']);

export const archive = operation({
  name: 'archive',
  summary: 'Write a session as readable Markdown (running it again appends what is new), or as a copy to share',
  input: z.object({
    id: z.string().min(1).describe('id of a session; its beginning is enough'),
    name: z.string().trim().min(1).max(200).optional().describe('what to call it (default: its title)'),
    format: Format.optional().describe('a copy to share, with tools, redacted again: Markdown, HTML or JSON'),
    output: z
      .string()
      .min(1)
      .optional()
      .describe('where to write the copy; - is standard output (default: this folder)'),
    withoutTools: z.boolean().default(false).describe('for a copy: only what was said'),
    subagents: z.boolean().default(false).describe('for a copy: also what subagents said and did'),
    agent: AgentName.optional().describe('the agent, if two agents use the same id'),
  }),
  output: z.object({
    session: z.string(),
    outcome: z.enum(['new', 'grown', 'same', 'none', 'shared']).describe('none: the session has no messages'),
    file: z.string().optional(),
    title: z.string(),
    text: z.string().optional().describe('the copy, if there is no standard output to write it to'),
  }),
  surfaces: ['cli', 'http'],
  positional: ['id'],
  http: { method: 'POST' },
  examples: [
    'holdfast archive 0f3c',
    'holdfast archive 0f3c --name "Tax research"',
    'holdfast archive 0f3c --format html',
    'holdfast archive 0f3c --format md --output - --without-tools',
  ],
  async run(context: Context<'archives' | 'entries' | 'sessions'>, input) {
    const { session } = await find(context.store, input.id.trim(), input.agent);
    if (input.format !== undefined || input.output !== undefined) return share(context, session, input);
    if (input.withoutTools || input.subagents)
      throw new HoldfastError('BAD_INPUT', '--without-tools and --subagents are for copies', {
        hint: `Say in which format: holdfast archive ${input.id} --format md`,
      });
    const { agent, id } = session;
    return { session: id, ...(await archiveSession(context, { agent, session: id, name: input.name })) };
  },
});

interface Wanted {
  readonly name?: string | undefined;
  readonly format?: z.infer<typeof Format> | undefined;
  readonly output?: string | undefined;
  readonly withoutTools: boolean;
  readonly subagents: boolean;
}

async function share(context: Context<'entries'>, found: Session, wanted: Wanted) {
  const { config, clock, out } = context;
  const format = wanted.format ?? formatOf(wanted.output);
  if (context.remote && wanted.output !== '-')
    throw new HoldfastError('BAD_INPUT', 'output must be "-": over HTTP the copy is in the answer', {
      hint: 'Ask with "output": "-" and write the field "text" where you like.',
    });
  const session = wanted.name === undefined ? found : { ...found, title: wanted.name };
  const text = await copyOf(context, session, format, wanted);
  const done = { session: session.id, outcome: 'shared' as const, title: session.title };
  if (wanted.output === '-') {
    if (out === undefined) return { ...done, text };
    await out(text);
    return { ...done, file: '-' };
  }
  const file = path.resolve(
    wanted.output ??
      `${archiveName(session.title, Date.parse(session.endedAt) || clock(), config.settings.timeZone)}.${format}`,
  );
  try {
    replaceFile(file, text, 0o600);
  } catch (error) {
    throw explain(error, file);
  }
  return { ...done, file };
}

/** Taken from the file name; Markdown if the name does not say. */
const formatOf = (output = ''): z.infer<typeof Format> =>
  /\.html?$/i.test(output) ? 'html' : /\.json$/i.test(output) ? 'json' : 'md';

async function copyOf(
  { store, config, signal }: Context<'entries'>,
  session: Session,
  format: z.infer<typeof Format>,
  { withoutTools, subagents }: Wanted,
): Promise<string> {
  const [{ redact, redactJson }, { sharedSession }] = await Promise.all([
    import('../../capture/redaction/redact.ts'),
    import('../../sessions/share/shared.ts'),
  ]);
  const deps = { store, redact: { text: redact, json: redactJson }, signal };
  const shared = await sharedSession(deps, session, { tools: !withoutTools, subagents });
  const wording = { timeZone: config.settings.timeZone, assistant: config.settings.assistantName };
  if (format === 'json') return `${JSON.stringify(shared, null, 2)}\n`;
  if (format === 'md') return (await import('../../sessions/share/markdown.ts')).sharedMarkdown(shared, wording);
  return (await import('../../sessions/share/html.ts')).sharedHtml(shared, wording);
}

// Cline: the command line and the current extension keep one JSON file per session, the older extension one per task;
// both rewrite it whole.
import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Agent, ParsedItem } from '../agent.ts';
import { readMessageOf } from '../anthropic-blocks.ts';
import type { AgentMcp } from '../hooks.ts';
import { withoutInjected } from '../injected.ts';
import { asObject } from '../json.ts';
import { pulledReader } from '../pulled-reader.ts';
import { saysExitCode } from '../tools/exit-code.ts';
import { clineMcp } from './install.ts';
import { clinePull } from './pull.ts';
import { withCalls } from './xml-calls.ts';

/** Where editors of the VS Code family keep the data of extensions. */
export const extensionFolders = (home: string, extension: string): string[] =>
  [
    '.config/Code/User',
    '.config/Code - Insiders/User',
    '.config/VSCodium/User',
    '.config/Cursor/User',
    '.config/Windsurf/User',
    '.vscode-server/data/User',
    'Library/Application Support/Code/User',
    'Library/Application Support/Cursor/User',
  ].map((editor) => path.join(home, editor, 'globalStorage', extension));

export const cline = clineLike({
  name: 'cline',
  title: 'Cline',
  root: (env, home) => path.join(env.CLINE_DIR || path.join(home, '.cline'), 'data'),
  also: (_, home) => extensionFolders(home, 'saoudrizwan.claude-dev'),
  mcp: clineMcp,
  resume: (session) => (/^\d+_/.test(session) ? ['cline', '--id', session] : []),
});

export function clineLike(about: {
  readonly name: AgentName;
  readonly title: string;
  root(env: NodeJS.ProcessEnv, home: string): string;
  also(env: NodeJS.ProcessEnv, home: string): readonly string[];
  readonly mcp?: AgentMcp;
  resume(session: string): readonly string[];
}): Agent {
  const { name, title, root, also, resume, mcp } = about;
  return {
    name,
    readerVersion: 2,
    title,
    ...pulledReader(name, 'message', (message, place) => {
      const read = readMessageOf(withCalls(message, place.uuid, place.file.state), place, { typed, failed });
      return message.summary === true ? { ...read, items: read.items.map(asSummary) } : read;
    }),
    root,
    pull: { ...clinePull(name), also },
    ...(mcp === undefined ? {} : { mcp }),
    resume,
  };
}

/** What the client puts in place of earlier turns. */
const asSummary = (item: ParsedItem): ParsedItem =>
  item.kind === 'entry' ? { ...item, author: 'machine', form: 'compaction' } : item;

/** The client puts the person's words into tags; text without a tag is the client's own. */
const ownTags = ['user_input', 'task', 'feedback', 'user_message', 'answer'];

/** The content of files, folders and pages that a prompt names comes after it. */
const appended = /\n<(?:file|folder|url)_content /;

function typed(whole: string): string {
  const text = whole.slice(0, appended.exec(whole)?.index ?? whole.length);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const next = ownTags
      .map((tag) => ({ tag, open: opening(text, tag, at) }))
      .filter(({ open }) => open !== undefined)
      .sort((a, b) => (a.open?.[0] ?? 0) - (b.open?.[0] ?? 0))[0];
    if (next?.open === undefined) break;
    const end = text.indexOf(`</${next.tag}>`, next.open[1]);
    if (end < 0) break;
    parts.push(withoutInjected(text.slice(next.open[1], end)));
    at = end;
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Where a tag begins and ends. Attributes are short. */
function opening(text: string, tag: string, from: number): readonly [number, number] | undefined {
  for (let at = text.indexOf(`<${tag}`, from); at >= 0; at = text.indexOf(`<${tag}`, at + 1)) {
    const after = text[at + tag.length + 1];
    const end = text.indexOf('>', at);
    if ((after === '>' || after === ' ') && end >= 0 && end - at < 200) return [at, end + 1];
  }
  return undefined;
}

/** Each command of a call has its own outcome; older versions only report it in words. */
const failed = (block: Record<string, unknown>, output: string): boolean =>
  (Array.isArray(block.content) && block.content.some((part) => asObject(part).success === false)) ||
  saysExitCode.test(output.slice(0, 400)) ||
  /The tool execution failed|<error>|^The user denied this operation|^\s*\{\s*"status":\s*"(?:denied|error)"|execution was not successful/i.test(
    output.slice(0, 400),
  );

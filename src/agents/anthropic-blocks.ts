// Messages in the form of Anthropic's API (role and blocks), which Cline, Roo and others store whole → our items.
import type { ParsedItem, ParsedLine, ParsedToolResult, ParsedToolUse } from './agent.ts';
import { asObject, asString, isEmpty, textOfBlocks, textsAt } from './json.ts';
import { filesOfPatch } from './patched-files.ts';
import { roles, unknownBlock, unknownKind } from './unknown-kind.ts';

type Base = { readonly uuid: string; readonly at: number | undefined };

const fileFields = ['path', 'file_path', 'filePath', 'absolutePath', 'target_file', 'target_notebook'];

const knownBlocks: ReadonlySet<unknown> = new Set(
  (
    'text thinking redacted_thinking tool_use tool_result image document file reasoning thoughtSignature ' +
    'server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result container_upload'
  ).split(' '),
);

/**
 * What one message yields. `typed` returns what a person typed of a text in a user message; empty if the text is not
 * the person's. `failed` says whether a tool's output reports a failure that the block does not.
 */
export const readMessageOf = (...[message, base, how]: Parameters<typeof itemsOfMessage>): Omit<ParsedLine, 'at'> => ({
  items: itemsOfMessage(message, base, how),
  ...unknownBlock(knownBlocks, message.content),
  ...unknownKind(roles, message.role, 'role '),
});

function itemsOfMessage(
  message: Record<string, unknown>,
  { uuid, at }: Base,
  how: {
    readonly typed: (text: string) => string;
    readonly failed: (block: Record<string, unknown>, output: string) => boolean;
  },
): ParsedItem[] {
  const blocks = Array.isArray(message.content) ? message.content.map(asObject) : [];
  const texts = typeof message.content === 'string' ? [message.content] : textOfBlocks(message.content);
  const entry = { kind: 'entry', uuid, session: undefined, at, cwd: undefined } as const;
  const items: ParsedItem[] = [];
  if (message.role === 'user') {
    items.push(...toolResultsIn(blocks, how.failed));
    const text = texts
      .map(how.typed)
      .filter((one) => one !== '')
      .join('\n\n');
    if (text !== '') items.push({ ...entry, role: 'user', author: 'person', text, toolUses: [] });
    return items;
  }
  if (message.role !== 'assistant') return items;
  const toolUses = toolUsesIn(blocks);
  const text = texts.join('\n\n').trim();
  if (!isEmpty({ text, toolUses })) items.push({ ...entry, role: 'assistant', author: 'model', text, toolUses });
  return items;
}

export const toolUsesIn = (content: unknown): ParsedToolUse[] =>
  (Array.isArray(content) ? content : []).flatMap((part) => {
    const { type, id, name, input } = asObject(part);
    const [use, tool] = [asString(id), asString(name)];
    return type === 'tool_use' && use !== undefined && tool !== undefined
      ? [{ id: use, tool, input, files: [...textsAt(input, fileFields), ...filesOfPatch(input)] }]
      : [];
  });

/** `failed` says whether a result reports a failure that its block does not. */
export const toolResultsIn = (
  content: unknown,
  failed: (block: Record<string, unknown>, output: string) => boolean,
): ParsedToolResult[] =>
  (Array.isArray(content) ? content : []).flatMap((part) => {
    const block = asObject(part);
    const id = asString(block.tool_use_id);
    if (block.type !== 'tool_result' || id === undefined) return [];
    const output = outputOf(block.content);
    return [{ kind: 'tool-result', id, failed: block.is_error === true || failed(block, output), output }];
  });

/** A tool's output: a text, blocks of text, or the output of each of several commands. */
export function outputOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => {
      const { text, result, error } = asObject(part);
      return asString(text) ?? asString(result) ?? asString(error) ?? '';
    })
    .filter((text) => text !== '')
    .join('\n');
}

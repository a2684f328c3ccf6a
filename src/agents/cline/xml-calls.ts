// Until about 2025 the models wrote tool calls as XML into their text, and the client answered with text: both become
// blocks of calls and results here. Some words are only in calls and results: the final answer, and what the person
// said to it.
import type { AgentState } from '../agent.ts';
import { outputOf } from '../anthropic-blocks.ts';
import { asObject, asString } from '../json.ts';

type Json = Record<string, unknown>;

const tools =
  'execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace edit_file search_files list_files ' +
  'list_code_definition_names codebase_search browser_action use_mcp_tool access_mcp_resource ask_followup_question attempt_completion ' +
  'plan_mode_respond new_task switch_mode fetch_instructions update_todo_list new_rule condense web_fetch web_search load_mcp_documentation';
const opening = new RegExp(`<(${tools.replaceAll(' ', '|')})>`, 'g');

/** The same message with its calls and results as blocks. Calls without an id get one from the message's. */
export function withCalls(message: Json, uuid: string, state: AgentState): Json {
  const { content } = message;
  const blocks = (typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)).map(asObject);
  if (message.role === 'assistant') {
    const calls = blocks.flatMap((block) => (isText(block) ? callsInText(block.text) : [block]));
    const named = calls.map((block, i): Json => (block.type === 'tool_use' ? { id: `${uuid}#${i}`, ...block } : block));
    const open = named.filter(({ id, name }) => typeof name === 'string' && asString(id)?.startsWith(`${uuid}#`));
    if (open.length > 0) state.open = open.map(({ id, name }) => `${id}=${name}`).join(' ');
    else delete state.open;
    return { ...message, content: named.flatMap(withWords) };
  }
  if (message.role !== 'user') return message;
  return { ...message, content: withResults(blocks, state).flatMap(withFeedback) };
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isText = (block: Json): block is Json & { text: string } =>
  block.type === 'text' && typeof block.text === 'string';

/** Linear: goes forward once. A call without its end runs to the end of the text, as in the client. */
function callsInText(text: string): Json[] {
  const blocks: Json[] = [];
  let from = 0;
  const push = (until: number) => {
    const said = withoutThoughts(text.slice(from, until)).trim();
    if (said !== '') blocks.push({ type: 'text', text: said });
  };
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [tag, name = ''] = found;
    const close = text.indexOf(`</${name}>`, found.index);
    const end = close < 0 ? text.length : close;
    const input = parametersIn(text.slice(found.index + tag.length, end));
    if (Object.keys(input).length === 0 && close < 0) continue;
    push(found.index);
    blocks.push({ type: 'tool_use', name, input });
    from = close < 0 ? end : end + name.length + 3;
    opening.lastIndex = from;
  }
  push(text.length);
  return blocks;
}

const withoutThoughts = (text: string): string => {
  const start = text.indexOf('<thinking>');
  const end = start < 0 ? -1 : text.indexOf('</thinking>', start);
  return end < 0 ? text : text.slice(0, start) + text.slice(end + '</thinking>'.length);
};

const mostParameters = 20;

function parametersIn(body: string): Json {
  const found: Record<string, string> = {};
  const tag = /<([a-z_]{1,40})>/g;
  for (let open = tag.exec(body), count = 0; open !== null && count < mostParameters; open = tag.exec(body), count++) {
    const name = open[1] as string;
    // A file's content may contain any tag.
    const close = name === 'content' ? body.lastIndexOf('</content>') : body.indexOf(`</${name}>`, tag.lastIndex);
    const end = close < tag.lastIndex ? body.length : close;
    found[name] ??= body.slice(tag.lastIndex, end).trim();
    tag.lastIndex = end;
  }
  return found;
}

/** Answers that are only in the input of a call. */
const wordsOf: ReadonlyMap<unknown, string> = new Map([
  ['attempt_completion', 'result'],
  ['plan_mode_respond', 'response'],
  ['ask_followup_question', 'question'],
]);

function withWords(block: Json): Json[] {
  const field = block.type === 'tool_use' ? wordsOf.get(block.name) : undefined;
  const words = field === undefined ? undefined : asString(asObject(block.input)[field]);
  return words === undefined ? [block] : [{ type: 'text', text: words }, block];
}

const header = /^\[([\w.:-]{1,80})(?: [^\n]*)?\] Result:[ \t]*\n?/;
const notRun =
  /^(?:Skipping tool|Tool) \[([\w.:-]{1,80})[^\n]*|^\[([\w.:-]{1,80})[^\n]*was interrupted and not executed/;

function withResults(blocks: readonly Json[], state: AgentState): Json[] {
  const open = typeof state.open === 'string' ? state.open.split(' ') : [];
  const take = (name: string): string | undefined => {
    const at = open.findIndex((one) => one.endsWith(`=${name}`));
    return at < 0 ? undefined : open.splice(at, 1)[0]?.slice(0, -name.length - 1);
  };
  const made: Json[] = [];
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as Json;
    const [head, name] = (isText(block) && header.exec(block.text)) || [];
    const refused = isText(block) && head === undefined ? notRun.exec(block.text) : null;
    const id = take(name ?? refused?.[1] ?? refused?.[2] ?? '');
    if (!isText(block) || id === undefined) {
      // What a tool returned is never the person's.
      made.push(head === undefined ? block : { type: 'tool_result', tool_use_id: '', content: block.text });
      continue;
    }
    const rest = block.text.slice(head?.length ?? 0);
    const next = blocks[i + 1] ?? {};
    const isSplit = rest.trim() === '' && isText(next) && !next.text.startsWith('<environment_details>');
    if (isSplit) i++;
    const result = { type: 'tool_result', tool_use_id: id, content: isSplit ? next.text : rest };
    made.push(refused === null ? result : { ...result, is_error: true });
  }
  return made;
}

const replies = /^(?:The user |\[?The user|<(?:feedback|answer|user_message)>)/;

/** The person's reply to a call is in its result: the reason of a refusal, an answer, or the next request. */
function withFeedback(block: Json): Json[] {
  if (block.type !== 'tool_result') return [block];
  const output = outputOf(block.content).trimStart();
  return replies.test(output) ? [block, { type: 'text', text: output }] : [block];
}

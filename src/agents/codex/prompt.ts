// The part of a user message that the person typed. Codex puts much else into the same place; events about prompts
// contain little of that.
import { withoutInjected } from '../injected.ts';
import { asObject, asString } from '../json.ts';

/** Texts that the client writes in the person's place. */
const machineMade =
  /^(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|turn_aborted|subagent_notification|skill|user_action|permissions instructions|model_switch|recommended_plugins|hook_prompt|realtime_delegation|realtime_conversation|codex_internal_context|goal_context|heartbeat|collaboration_mode|personality_spec|token_budget|(?:apps|skills|plugins)_instructions|external_codex_apps\w{0,40})(?: [^>\n]{0,400})?>|Another language model started to solve this problem)/i;
/** If no event says what was typed, a text that is a single tagged passage also counts as the client's. */
const oneTag = /^<([a-z_][\w:. -]{0,60})>[\s\S]*<\/\1>$/i;

/** Text that editors and the desktop app put before a prompt begins with a heading, and ends with this one. */
const request = /^#{1,3} My request(?: for Codex)?:?[ \t]*\r?\n/im;
/** Marks around a picture in a message. */
const pictureMarks = /<image name=\[[^\]\n]{0,80}\][^>\n]{0,1000}>(?:\s*<\/image>)?/g;

/** `# Context from my IDE setup:`, `# Files mentioned by the user:`, `# In app browser:` and the like. */
const clientsHeading = /^(?:#{1,2} |<in-app-browser-context)/;

/** The person's own words; empty if there are none. */
export function typedText(text: string, isSurelyTyped: boolean): string {
  const own = withoutInjected(text).replace(pictureMarks, '').trim();
  const heading = clientsHeading.test(own) ? request.exec(own) : null;
  const typed = heading === null ? own : own.slice(heading.index + heading[0].length).trim();
  return machineMade.test(typed) || (!isSurelyTyped && oneTag.test(typed)) ? '' : typed;
}

/** A line for the shell that the person typed, with its output. */
export function shellLine(text: string): { command: string; failed: boolean; output: string } | undefined {
  if (!text.startsWith('<user_shell_command>')) return undefined;
  const command = between(text, '<command>', '</command>');
  const result = between(text, '<result>', '</result>') ?? '';
  if (command === undefined) return undefined;
  const code = /^Exit code: (-?\d+)/m.exec(result)?.[1];
  const output = result.indexOf('\nOutput:\n');
  return {
    command,
    failed: code !== undefined && code !== '0',
    output: output < 0 ? result : result.slice(output + '\nOutput:\n'.length),
  };
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(close, start);
  return end < 0 ? undefined : text.slice(start + open.length, end).trim();
}

/** The texts of a message's content, and names for its other parts. */
export function contentOf(content: unknown): { readonly text: string; readonly pictures: readonly string[] } {
  const texts: string[] = [];
  const pictures: string[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    const { type, text, path } = asObject(part);
    if (typeof text === 'string') texts.push(text);
    else if (type === 'input_image' || type === 'image' || type === 'local_image') pictures.push(pictureNamed(path));
  }
  return { text: texts.join('\n').trim(), pictures };
}

export function pictureNamed(path: unknown): string {
  const name = asString(path)?.split(/[/\\]/).pop();
  return name === undefined ? '[Image]' : `[Image: ${name.slice(0, 200)}]`;
}

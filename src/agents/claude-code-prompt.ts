// What of a line's text a person typed: without what the client put around it, and as it was typed.
import { textOfBlocks } from './json.ts';

/** Texts of a message, each without what the client injected; blocks that hold nothing else are left out. */
export function typedBlocks(content: unknown): { readonly blocks: string[]; readonly own: string[] } {
  const blocks = typeof content === 'string' ? [content] : textOfBlocks(content);
  return { blocks, own: blocks.map((block) => withoutInjected(block)).filter((block) => block !== '') };
}

/** What the machine puts into the person's place begins like this, where the line does not say whose it is. */
export const machineMade =
  /^(<(task-notification|local-command-|bash-std|user-prompt-submit-hook|system-reminder|teammate-message)|\[Request interrupted by user|Caveat: The messages below|This session is being continued from a previous conversation)/;

const injectedTags = ['system-reminder', 'ide_opened_file', 'ide_selection', 'ide_diagnostics'];

/** The text without what the client put into it. Linear: each tag is searched forward once. */
function withoutInjected(text: string): string {
  let left = text;
  for (const tag of injectedTags) {
    const open = `<${tag}>`;
    const close = `</${tag}>`;
    let start = left.indexOf(open);
    if (start < 0) continue;
    let kept = '';
    let from = 0;
    while (start >= 0) {
      const end = left.indexOf(close, start);
      if (end < 0) break;
      kept += left.slice(from, start);
      from = end + close.length;
      start = left.indexOf(open, from);
    }
    left = kept + left.slice(from);
  }
  return left.trim();
}

/** A command as the person typed it: `<command-name>/init</command-name>…` reads `/init`, `<bash-input>ls</bash-input>` reads `! ls`. */
export function asTyped(text: string): string {
  const shell = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text)?.[1];
  if (shell !== undefined) return `! ${shell.trim()}`;
  const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1];
  if (name === undefined || !text.startsWith('<command-')) return text;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  return `${name} ${args}`.trim();
}

// The part of a line's text that a person typed: without what the client put around it, and as it was typed.
import type { EntryForm } from '../../schema/entry.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, textOfBlocks } from '../json.ts';

/** Texts of a message, each without what the client injected; leaves out blocks that contain nothing else. */
export function typedBlocks(content: unknown): { readonly blocks: string[]; readonly own: string[] } {
  const blocks = typeof content === 'string' ? [content] : textOfBlocks(content);
  return { blocks, own: blocks.map((block) => withoutInjected(block)).filter((block) => block !== '') };
}

/** Text that the machine writes in the person's place begins like this, if the line does not name its author. */
export const machineMade =
  /^(<((?:task|bash|agent)-notification|local-command-|bash-std|user-prompt-submit-hook|system-reminder|teammate-message)|Unknown (?:slash command|skill): \S+$|\[Request interrupted by user|Caveat: The messages below|This session is being continued from a previous conversation)/;

/** A command as the person typed it: `<command-name>/init</command-name>…` reads `/init`, `<bash-input>ls</bash-input>` reads `! ls`, a note for the memory `# note`. */
export function asTyped(text: string): string {
  const shell = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text)?.[1];
  if (shell !== undefined) return `! ${shell.trim()}`;
  const note = /^<user-memory-input>([\s\S]*)<\/user-memory-input>$/.exec(text)?.[1];
  if (note !== undefined) return `# ${note.trim()}`;
  const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1];
  if (name === undefined || !text.startsWith('<command-')) return text;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  // The first clients left out the slash.
  return `${name.startsWith('/') ? '' : '/'}${name} ${args}`.trim();
}

/** What a typed text is for. The client marks commands in a text; a path that begins with a slash is not one. */
export function formOf(content: unknown, text: string): EntryForm | undefined {
  if (text.startsWith('! ')) return 'shell';
  const said = typeof content === 'string' ? content : (textOfBlocks(content)[0] ?? '');
  return text.startsWith('/') && said.trimStart().startsWith('<command-') ? 'command' : undefined;
}

/** Names for pictures and documents in a prompt, if its text does not name them. */
export function namedPictures(content: unknown, text: string): string[] {
  if (!Array.isArray(content) || text.includes('[Image #')) return [];
  return content.flatMap((part) => {
    const block = asObject(part);
    if (block.type !== 'image' && block.type !== 'document') return [];
    const name = asString(block.title) ?? asString(asObject(block.source).media_type);
    return [`[${block.type === 'image' ? 'Image' : 'Document'}${name === undefined ? '' : `: ${name.slice(0, 200)}`}]`];
  });
}

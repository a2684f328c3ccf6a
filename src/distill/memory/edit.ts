// An edit by command: changes the file as the person would in an editor, and then reads it like any other of the person's edits.
import { HoldfastError } from '../../system/errors.ts';
import { type Block, isItem, joinPage, parseBody } from './blocks.ts';
import { keyInLine } from './fact-line.ts';
import { findNamed } from './find.ts';
import { readPage, writePage } from './folder.ts';
import { bringInLine, type InLine, isPersonal, type MemoryDeps } from './librarian.ts';
import { partsOf } from './memories-on.ts';
import { withTargets } from './plan.ts';

/** Replaces the text of a memory or of a whole page. Rejects with CONFLICT if `was`, the text that the person saw, is no longer current. */
export async function editMemory(
  deps: MemoryDeps,
  name: string,
  text: string,
  was?: string | undefined,
): Promise<{ page: string } & InLine> {
  const { config } = deps;
  await bringInLine(deps);
  const { page, target, state, memory } = await findNamed(deps, name);
  if (text.trim() === '')
    throw new HoldfastError('BAD_INPUT', 'There is no text', {
      hint: `To remove it for good: holdfast memory forget ${name}`,
    });
  const file = readPage(config.memoryPath, page);
  if (was !== undefined && was !== (target === undefined ? file?.text : memory?.text))
    throw new HoldfastError('CONFLICT', `${page} was changed in the meantime`, { hint: 'Look at it, then try again.' });
  let next = `${text.trimEnd()}\n`;
  if (target !== undefined) {
    if (isPersonal(state) || state.written === undefined || state.written.text !== file?.text)
      throw new HoldfastError('CONFLICT', `${page} is a file of your own`, { hint: `holdfast memory edit ${page}` });
    const blocks = withTargets(state.written);
    const part = partsOf(blocks, '').find((each) => each.target === target);
    if (part === undefined)
      throw new HoldfastError('NOT_FOUND', `${name} is no longer on ${page}`, {
        hint: `Bring it back first: holdfast memory revert ${name}`,
      });
    const at = blocks.findIndex((block) => part.targets.includes(block.target));
    const left: Block[] = blocks.filter((block) => !part.targets.includes(block.target));
    left.splice(at, 0, ...shaped(text, blocks[at] as Block));
    next = joinPage(left);
  }
  if (writePage(config, page, next, file) === undefined)
    throw new HoldfastError('CONFLICT', `${page} was changed in the meantime`, { hint: 'Look at it, then try again.' });
  const inLine = await bringInLine(deps);
  return { page, pages: [...new Set([page, ...inLine.pages])] };
}

/** A list item stays a list item. It keeps its key unless the text has its own. */
function shaped(text: string, before: Block): Block[] {
  const blocks = parseBody(text.trim());
  const [first] = blocks;
  if (!isItem(before) || first === undefined || isItem(first)) return blocks;
  const key = keyInLine(before.text);
  const flat = text.trim().replace(/\s+/g, ' ');
  const hasKey = key === undefined || flat.toLowerCase().startsWith(`${key.toLowerCase()}:`) || flat.startsWith('**');
  const said = hasKey && key !== undefined && !flat.startsWith('**') ? flat.slice(key.length + 1).trim() : flat;
  const line = key === undefined || flat.startsWith('**') ? `- ${flat}` : `- **${key}:** ${said}`;
  return [{ text: line, tight: before.tight, front: false }];
}

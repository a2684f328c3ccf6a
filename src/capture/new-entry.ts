// ① A parsed entry → the entry that the store takes, with its tool uses cut to size.
import type { ParsedEntry, ParsedToolResult } from '../agents/agent.ts';
import type { CaptureState } from '../schema/reader-state.ts';
import { entryIndexText, indexText } from '../store/search/index-text.ts';
import { indexedUses, mostUses } from '../store/search/tool-text.ts';
import type { NewEntry, NewToolResult, NewToolUse } from '../store/transcripts/port.ts';
import { locateLine } from './locate.ts';
import { redact, redactValue } from './redaction/redact.ts';
import { clip, shorten } from './shorten.ts';

const inputKept = { head: 1000, tail: 500 };
const outputKept = { head: 500, tail: 500 };

/** One text in a tool's input may be as long as the whole input. */
const shortenInput = (text: string): string => shorten(text, inputKept);

/** Contract: called once for each kept entry, in order. It records the entry in the state. */
export function newEntry(
  item: ParsedEntry,
  session: string,
  pos: number,
  state: CaptureState,
  { fd, idKey, skipTools }: { readonly fd: number; readonly idKey: string; readonly skipTools: readonly string[] },
): NewEntry {
  const at = timeOf(item, state);
  const before = state.lastEntry;
  let joinsAt: number | undefined;
  if (item.continues !== undefined && before !== undefined) {
    const parent = typeof item.continues === 'string' ? locateLine(fd, idKey, item.continues, pos) : 0;
    if (parent !== undefined && parent < before) joinsAt = parent;
  }
  state.lastAt = at;
  // A queued line is not part of the chain that prompts continue from.
  if (item.queued !== 'waiting') state.lastEntry = pos;
  noteRecalls(item, state);
  const tools = [...new Set(item.toolUses.map((use) => redact(use.tool)))];
  return {
    uuid: item.uuid,
    session,
    pos,
    at,
    role: item.role,
    author: item.author,
    form: item.form,
    text: item.text,
    tools,
    toolUses: item.toolUses
      .filter(({ tool }) => !skipTools.includes(tool))
      .map(
        (use): NewToolUse => ({
          id: use.id,
          tool: redact(use.tool),
          input: clip(JSON.stringify(redactValue(use.input ?? {}, shortenInput)), inputKept),
          files: use.files.map((file) => redact(file)),
        }),
      ),
    joinsAt,
    ...(item.subagent === undefined ? {} : { subagent: redact(item.subagent) }),
  };
}

/** Index texts take time, most of all in scripts without spaces, so they are ready before the store opens a transaction. */
export function prepared(entry: NewEntry): NewEntry {
  const indexed = entryIndexText(entry.text, entry.tools);
  if (entry.toolUses.length === 0) return { ...entry, indexed };
  const uses = entry.toolUses
    .slice(0, mostUses)
    .map(({ tool, input, result }) => ({ tool, input, output: result?.output ?? null }));
  const { input, output } = indexedUses(uses);
  return { ...entry, indexed, usesIndexed: { input: indexText(input), output: indexText(output) } };
}

/** An entry without a time gets the time of the entry before. */
export const timeOf = (item: ParsedEntry, state: CaptureState): number => item.at ?? state.lastAt ?? 0;

export const newResult = (item: ParsedToolResult, pos: number, state: CaptureState): NewToolResult => ({
  id: item.id,
  pos,
  outcome: item.failed ? 'error' : 'ok',
  output: state.recalls?.includes(item.id) ? recalled : shorten(item.output, outputKept),
});

const recalled = '[recalled by Holdfast; not stored again]';
const ownTool = /^mcp__(?:plugin_)?holdfast/;
const rememberedRecalls = 32;

function noteRecalls({ toolUses }: ParsedEntry, state: CaptureState): void {
  const ids = toolUses.filter(({ tool }) => ownTool.test(tool)).map(({ id }) => id);
  if (ids.length > 0) state.recalls = [...(state.recalls ?? []), ...ids].slice(-rememberedRecalls);
}

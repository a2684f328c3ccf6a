// The filters of search that look at tools: which names and outcomes a kind such as `command` means.

import { shell } from '../../agents/tools/shell-tools.ts';
import { modifies } from '../../language/files-touched.ts';
import { type HitKind, UseKind } from '../../schema/hit.ts';
import { isDerived } from '../../schema/hit-text.ts';
import type { UseFilter } from '../../store/search/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';

export interface ToolInput {
  readonly kind: HitKind | UseKind;
  readonly tool?: string | undefined;
  readonly outcome?: 'ok' | 'error' | undefined;
  readonly file?: string | undefined;
}

export const isUseKind = (kind: ToolInput['kind']): kind is UseKind => UseKind.safeParse(kind).success;

/** Refuses filters that contradict each other, or that nothing of the kind can match. */
export function refuseToolFilters({ kind, tool, outcome, file }: ToolInput): void {
  const asks = isUseKind(kind) ? `--kind ${kind}` : tool !== undefined ? '--tool' : outcome ? '--outcome' : undefined;
  if (asks === undefined) return;
  if (file !== undefined)
    throw new HoldfastError('BAD_INPUT', `${asks} cannot be combined with --file`, {
      hint: 'With --file the answer lists every tool that touched the file. Leave one of the two out.',
    });
  if (!isUseKind(kind) && isDerived(kind))
    throw new HoldfastError('BAD_INPUT', `${asks} cannot be combined with --kind ${kind}, which has no tools`, {
      hint: 'Search entries, sessions or conversations, or leave the filter out.',
    });
  if (kind === 'error' && outcome === 'ok')
    throw new HoldfastError('BAD_INPUT', '--kind error cannot be combined with --outcome ok', {
      hint: 'Leave one of the two out.',
    });
}

/** Undefined if no tool filter is set; an empty list of names if no tool of that name was ever used. */
export async function toolFilter(
  store: Pick<Store, 'search'>,
  { kind, tool, outcome }: ToolInput,
): Promise<UseFilter | undefined> {
  const result = kind === 'error' ? 'error' : outcome;
  const pattern = kind === 'command' ? shell : kind === 'edit' ? modifies : undefined;
  if (tool === undefined && pattern === undefined) return result === undefined ? undefined : { outcome: result };
  const wanted = tool?.trim().toLowerCase();
  const tools = (await store.search.toolNames()).filter(
    (name) => (wanted === undefined || isNamed(name, wanted)) && (pattern === undefined || pattern.test(name)),
  );
  return { tools, ...(result === undefined ? {} : { outcome: result }) };
}

/** A tool of an MCP server also matches its own name: `search` for `mcp__docs__search`. */
const isNamed = (name: string, wanted: string): boolean =>
  name.toLowerCase() === wanted || name.toLowerCase().endsWith(`__${wanted}`);

const mostNamed = 12;

export async function unknownTool(store: Pick<Store, 'search'>, { kind, tool }: ToolInput): Promise<string> {
  const names = await store.search.toolNames();
  if (names.length === 0) return 'No tool use is stored yet.';
  const more = names.length > mostNamed ? ', …' : '';
  const asked = tool === undefined ? `No tool of the kind ${kind}` : `No tool called ${tool}`;
  return `${asked} was used. Tools: ${names.slice(0, mostNamed).join(', ')}${more}`;
}

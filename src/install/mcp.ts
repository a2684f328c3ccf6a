// Adds our MCP server to an agent's list of servers and removes it. The agent says where that is; this file only keeps
// the file safe.
import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../agents/agent.ts';
import type { AgentMcp } from '../agents/hooks.ts';
import type { Config } from '../config/config.ts';
import { HoldfastError } from '../system/errors.ts';
import { unifiedDiff } from './difference.ts';
import { holdingLock, readText, writeText } from './file.ts';
import { assertSame, type Change, linkTo, without } from './hooks.ts';
import { type EntryText, entryText } from './mcp-text.ts';
import { readRecord, writeRecord } from './record.ts';
import { insert, readSettings, remove } from './settings-text.ts';
import { undone, undoOf } from './undo.ts';

/**
 * `foreign`: there is an entry of this name that we did not write. `elsewhere`: it is ours, for another data folder.
 */
export type McpState = 'none' | 'current' | 'outdated' | 'elsewhere' | 'foreign';

export interface McpInspection {
  readonly file: string;
  readonly state: McpState;
}

/** Undefined for an agent without MCP. */
export function inspectMcp(config: Config, agent: Agent): McpInspection | undefined {
  const own = mcpOf(config, agent);
  if (own === undefined) return undefined;
  const { file, mcp } = own;
  const text = readText(file) ?? '';
  const other = entryText(mcp, file);
  const entry = other === undefined ? entryIn(readSettings(text, file).value, mcp) : other.read(text);
  return { file, state: stateOf(entry, config, mcp) };
}

/** Installing twice is the same as once. An entry that we did not write stays. */
export function installMcp(config: Config, agent: Agent, dryRun = false): Change | undefined {
  const own = mcpOf(config, agent);
  if (own === undefined) return undefined;
  const { mcp, file } = own;
  const other = entryText(mcp, file);
  if (other !== undefined) return installText(config, agent, own, other, dryRun);
  return holdingLock(dryRun ? undefined : mcp.lock?.(file), () => {
    const text = readText(file);
    const { value } = readSettings(text ?? '', file);
    const state = stateOf(entryIn(value, mcp), config, mcp);
    if (state === 'current' || state === 'foreign') return { file, changed: false, diff: '' };
    const base = state === 'none' ? (text ?? '') : remove(text ?? '', [[mcp.list, mcp.name]], file);
    const bare = readSettings(base, file).value;
    const list = listIn(bare, mcp, file);
    const entry = mcp.entry(linkTo(config));
    const addition =
      list === undefined
        ? { path: [mcp.list], value: { [mcp.name]: entry } }
        : { path: [mcp.list, mcp.name], value: entry };
    const after = insert(base, [addition], file);
    assertSame(without(readSettings(after, file).value, [addition.path]), bare, file);
    if (!dryRun) {
      const record = readRecord(config, agent);
      const made = text === undefined ? 'file' : list === undefined ? 'list' : 'entry';
      const undo = state === 'none' ? { undo: undoOf(text ?? '', after) } : {};
      writeRecord(config, agent, { ...record, mcp: record.mcp?.file === file ? record.mcp : { file, made, ...undo } });
      writeText(file, text, after);
    }
    return { file, changed: true, diff: unifiedDiff(text, after, file) };
  });
}

/** Removes the entry, and also the list and the file if they were created for it and hold nothing else. */
export function uninstallMcp(config: Config, agent: Agent): Change | undefined {
  const own = mcpOf(config, agent);
  if (own === undefined) return undefined;
  const { mcp, file } = own;
  const other = entryText(mcp, file);
  if (other !== undefined) return uninstallText(config, agent, own, other);
  return holdingLock(mcp.lock?.(file), () => {
    const text = readText(file);
    const { mcp: known, ...record } = readRecord(config, agent);
    const { value } = readSettings(text ?? '', file);
    const state = stateOf(entryIn(value, mcp), config, mcp);
    let after: string | null = text ?? null;
    if (text !== undefined && state !== 'none' && state !== 'foreign') {
      const alone = Object.keys(listIn(value, mcp, file) ?? {}).length === 1;
      const path = alone && known?.file === file && known.made !== 'entry' ? [mcp.list] : [mcp.list, mcp.name];
      after = remove(text, [path], file);
      const { value: left } = readSettings(after, file);
      assertSame(left, without(value, [path]), file);
      if (known?.file === file && known.made === 'file' && Object.keys(left).length === 0) after = null;
      else if (known?.file === file && known.undo !== undefined) after = undone(text, known.undo) ?? after;
      writeText(file, text, after);
    }
    writeRecord(config, agent, record);
    return { file, changed: (text ?? null) !== after, diff: unifiedDiff(text, after ?? undefined, file) };
  });
}

/** The same for a list that is not JSON. */
function installText(config: Config, agent: Agent, { mcp, file }: Own, list: EntryText, dryRun: boolean): Change {
  const text = readText(file);
  const state = stateOf(list.read(text ?? ''), config, mcp);
  if (state === 'current' || state === 'foreign') return { file, changed: false, diff: '' };
  const base = state === 'none' ? (text ?? '') : list.remove(text ?? '', true);
  const after = list.insert(base, mcp.entry(linkTo(config)));
  assertSame(list.rest(after), list.rest(text ?? ''), file);
  assertSame(stateOf(list.read(after), config, mcp), 'current', file);
  if (!dryRun) {
    const record = readRecord(config, agent);
    const made = text === undefined ? 'file' : list.hasList(text) ? 'entry' : 'list';
    writeRecord(config, agent, { ...record, mcp: record.mcp?.file === file ? record.mcp : { file, made } });
    writeText(file, text, after);
  }
  return { file, changed: true, diff: unifiedDiff(text, after, file) };
}

function uninstallText(config: Config, agent: Agent, { mcp, file }: Own, list: EntryText): Change {
  const text = readText(file);
  const { mcp: known, ...record } = readRecord(config, agent);
  const state = stateOf(list.read(text ?? ''), config, mcp);
  let after: string | null = text ?? null;
  if (text !== undefined && state !== 'none' && state !== 'foreign') {
    after = list.remove(text, known?.file === file && known.made === 'entry');
    assertSame(list.rest(after), list.rest(text), file);
    if (known?.file === file && known.made === 'file' && after.trim() === '') after = null;
    writeText(file, text, after);
  }
  writeRecord(config, agent, record);
  return { file, changed: (text ?? null) !== after, diff: unifiedDiff(text, after ?? undefined, file) };
}

/**
 * Updates the entry to this program, if this data folder has installed it; an entry that the person removed stays
 * removed.
 */
export function mendMcp(config: Config, agent: Agent): string[] {
  const found = readRecord(config, agent).mcp === undefined ? undefined : inspectMcp(config, agent);
  return found?.state === 'outdated' && installMcp(config, agent)?.changed ? [found.file] : [];
}

interface Own {
  readonly mcp: AgentMcp;
  readonly file: string;
}

function mcpOf(config: Config, agent: Agent): Own | undefined {
  const file = config.agentMcpFile(agent);
  return agent.mcp === undefined || file === undefined ? undefined : { mcp: agent.mcp, file };
}

function entryIn(value: Record<string, unknown>, mcp: AgentMcp): unknown {
  const list = value[mcp.list];
  return isRecord(list) ? list[mcp.name] : undefined;
}

function stateOf(entry: unknown, config: Config, mcp: AgentMcp): McpState {
  if (entry === undefined) return 'none';
  const home = mcp.homeOf(entry);
  if (home === undefined) return 'foreign';
  if (home !== config.home) return 'elsewhere';
  // Ignore what the person has added to it, such as a time limit.
  const wanted = mcp.entry(linkTo(config));
  const same = Object.entries(wanted).every(([name, part]) => isDeepStrictEqual((entry as typeof wanted)[name], part));
  return same ? 'current' : 'outdated';
}

function listIn(value: Record<string, unknown>, { list }: AgentMcp, file: string): Record<string, unknown> | undefined {
  const found = value[list];
  if (found === undefined || isRecord(found)) return found;
  throw new HoldfastError('UNREADABLE', `"${list}" in ${file} is not an object`, {
    hint: 'Correct it; nothing was changed.',
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

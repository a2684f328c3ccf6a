// Our entry in a list of MCP servers that is not JSON: TOML tables (Codex) or YAML (Goose). Only our own lines change;
// every other byte stays.
import { parse as parseYaml } from 'yaml';
import type { AgentMcp } from '../agents/hooks.ts';
import { asObject } from '../agents/json.ts';
import { HoldfastError } from '../system/errors.ts';
import { tomlLines } from './toml-lines.ts';

export interface EntryText {
  /** The entry under our name, even if we did not write it. */
  read(text: string): unknown;
  /** The text with the entry in its place. Contract: the text has no such entry. */
  insert(text: string, entry: Record<string, unknown>): string;
  /** Whether the text names the list of servers, even if it is empty. */
  hasList(text: string): boolean;
  /** `keepsList`: an empty list stays. */
  remove(text: string, keepsList: boolean): string;
  /** The meaning of the text without our entry: it must not change. */
  rest(text: string): unknown;
}

export const entryText = (mcp: AgentMcp, file: string): EntryText | undefined =>
  mcp.format === 'toml' ? tomlEntry(mcp, file) : mcp.format === 'yaml' ? yamlEntry(mcp, file) : undefined;

const refused = (file: string, why: string): HoldfastError =>
  new HoldfastError('UNREADABLE', `${file} ${why}`, {
    hint: 'Correct it, or add the server yourself; nothing was changed.',
  });

/** Appends a block after an empty line; adds no final newline if there was none. */
function appended(text: string, block: string): string {
  if (text === '') return `${block}\n`;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = block.replaceAll('\n', eol);
  return text.endsWith('\n') ? `${text}${eol}${lines}${eol}` : `${text}${eol}${eol}${lines}`;
}

/** The inverse of `appended`, even if something has been added after it since. */
function cut(text: string, from: number, to: number): string {
  let [before, after] = [text.slice(0, from), text.slice(to)];
  const eol = before.endsWith('\r\n') || after.startsWith('\r\n') ? '\r\n' : '\n';
  if (before.endsWith(eol + eol) || before === eol) before = before.slice(0, -eol.length);
  if (after === '' && before.endsWith(eol)) before = before.slice(0, -eol.length);
  else if (after.startsWith(eol)) after = after.slice(eol.length);
  return before + after;
}

function tomlEntry({ list, name }: AgentMcp, file: string): EntryText {
  const header = (key: string) => new RegExp(`^[ \\t]*\\[[ \\t]*${list}[ \\t]*\\.[ \\t]*"?${name}"?${key}[ \\t]*\\]`);
  /** From the line of our first table to the end of the last. */
  const span = (text: string): readonly [number, number] | undefined => {
    let [from, to, inside] = [-1, -1, false];
    for (const { text: line, at, isFree } of tomlLines(text).lines) {
      const isHeader = isFree && /^[ \t]*\[/.test(line);
      if (isHeader) inside = header('').test(line) || header('[ \\t]*\\.[^\\]]+').test(line);
      if (isHeader && inside && from < 0) from = at;
      if (inside && line.trim() !== '') to = at + line.replace(/\r$/, '').length;
    }
    return from < 0 ? undefined : [from, to];
  };
  const without = (text: string): string => {
    const found = span(text);
    return found === undefined ? text : cut(text, ...found);
  };
  return {
    read(text) {
      const found = span(text);
      return found === undefined ? undefined : tomlValues(text.slice(...found), header(''));
    },
    insert(text, entry) {
      const { bad } = tomlLines(text);
      if (bad !== undefined) throw refused(file, `is not valid TOML in line ${bad}`);
      if (new RegExp(`^[ \\t]*${list}[ \\t]*(?:=|\\.[ \\t]*${name}\\b)`, 'm').test(text))
        throw refused(file, `names "${list}" in a way that cannot be added to safely`);
      const { env, ...own } = entry;
      const lines = (values: object) =>
        Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
      const block = [`[${list}.${name}]`, ...lines(own), '', `[${list}.${name}.env]`, ...lines(asObject(env))];
      return appended(text, block.join('\n'));
    },
    hasList: () => true,
    remove: without,
    rest: (text) => without(text).trim(),
  };
}

/** The few forms of values that we write ourselves; any other form is not ours. */
function tomlValues(block: string, own: RegExp): Record<string, unknown> {
  const [values, env]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  let into = values;
  for (const line of block.split(/\r?\n/)) {
    if (/^[ \t]*\[/.test(line)) into = own.test(line) ? values : env;
    const [, key, value] = /^[ \t]*([\w-]+)[ \t]*=[ \t]*(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    try {
      into[key] = JSON.parse(value);
    } catch {
      into[key] = value; // a form of TOML that JSON does not share
    }
  }
  return { ...values, env };
}

function yamlEntry({ list, name }: AgentMcp, file: string): EntryText {
  const parsed = (text: string): Record<string, unknown> => {
    try {
      const value: unknown = parseYaml(text) ?? {};
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Reported below, as for any other text that is not a mapping.
    }
    throw refused(file, 'is not a YAML mapping');
  };
  const listLine = new RegExp(`^${list}:[ \\t]*(?:#.*)?\\r?$`, 'm');
  const rest = (text: string): unknown => {
    const value = structuredClone(parsed(text));
    const servers = asObject(value[list]);
    delete servers[name];
    if (Object.keys(servers).length === 0) delete value[list];
    return value;
  };
  return {
    read: (text) => asObject(parsed(text)[list])[name],
    insert(text, entry) {
      const had = parsed(text)[list];
      const at = listLine.exec(text);
      if (had !== undefined && had !== null && at === null) throw refused(file, `has "${list}" in one line`);
      const end = at === null ? -1 : at.index + at[0].length;
      const indent = /^\n( +)\S/.exec(text.slice(end))?.[1] ?? '  ';
      const lines = [`${name}:`, ...Object.entries(entry).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)];
      const block = lines.map((line) => indent + line).join('\n');
      return at === null ? appended(text, `${list}:\n${block}`) : `${text.slice(0, end)}\n${block}${text.slice(end)}`;
    },
    hasList: (text) => parsed(text)[list] !== undefined,
    remove(text, keepsList) {
      const at = listLine.exec(text);
      if (at === null) return text;
      const body = text.slice(at.index + at[0].length);
      const own = new RegExp(`\\n( +)["']?${name}["']?:[^\\n]*(?:\\n\\1 +[^\\n]*|\\n[ \\t]*(?=\\n\\1 ))*`).exec(body);
      if (own === null) return text;
      const from = at.index + at[0].length + own.index;
      const left = text.slice(0, from) + text.slice(from + own[0].length);
      const isEmpty = Object.keys(asObject(parsed(left)[list])).length === 0;
      return isEmpty && !keepsList ? cut(left, at.index, at.index + at[0].length) : left;
    },
    rest,
  };
}

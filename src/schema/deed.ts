// What a tool use did, read from its input: a command that ran, edits of a file, or something else. The command line
// and the viewer show tool uses with this. Inputs are JSON that may be cut in the middle, so everything here accepts
// any text.
import type { ToolUse } from './tool-use.ts';

/** One replaced part of a file; `before` is empty if a file was written whole. */
export interface Replaced {
  readonly before: string;
  readonly after: string;
}

export type Deed =
  | { readonly kind: 'command'; readonly command: string; readonly about?: string }
  | { readonly kind: 'edit'; readonly file: string; readonly changes: readonly Replaced[] }
  | { readonly kind: 'other'; readonly gist: string };

type Fields = Readonly<Record<string, unknown>>;

/** Contract: never throws; linear in the length of the input. */
export function deedOf({ tool, input, files }: Pick<ToolUse, 'tool' | 'input' | 'files'>): Deed {
  const fields = fieldsOf(input);
  const file = text(fields, 'file_path', 'filePath', 'path', 'file', 'notebook_path', 'absolute_path') ?? files[0];
  const patch = text(fields, 'patch', 'diff', 'input') ?? (fields === undefined ? input : undefined);
  if (patch !== undefined && /^\*\*\* (?:Begin Patch|Update File|Add File)/m.test(patch))
    return patchDeed(patch, file ?? '');
  const changes = file === undefined ? [] : changesIn(fields);
  if (file !== undefined && changes.length > 0) return { kind: 'edit', file, changes };
  const command = commandIn(fields);
  if (command !== undefined && command.trim() !== '') {
    const about = text(fields, 'description');
    return { kind: 'command', command: command.trim(), ...(about === undefined ? {} : { about }) };
  }
  return { kind: 'other', gist: gistOf(tool, fields, file, input) };
}

/** The fields of an input; if the input was cut, as many as can be read. */
export function fieldsOf(input: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(input);
    return isFields(value) ? value : undefined;
  } catch {
    return input.trimStart().startsWith('{') ? stringsIn(input) : undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const field = /"([\w-]{1,40})"\s*:\s*"((?:[^"\\]|\\[\s\S])*)("|$)/g;

/** Strings by name; if a name occurs twice, the first one. */
function stringsIn(input: string): Fields {
  const found: Record<string, string> = {};
  for (const [, name = '', raw = ''] of input.matchAll(field)) found[name] ??= unescaped(raw);
  return found;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '', b: '', f: '' };

const unescaped = (raw: string): string =>
  raw.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (escapes[letter ?? ''] ?? letter ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );

function text(fields: Fields | undefined, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields?.[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function commandIn(fields: Fields | undefined): string | undefined {
  const said = fields?.command ?? fields?.cmd ?? fields?.script;
  if (typeof said === 'string') return said;
  if (!Array.isArray(said)) return undefined;
  const words = said.map(String);
  // `bash -lc …` is how the command was started, not what was asked for.
  const inner = /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-l?c$/.test(words[1] ?? '') ? words[2] : undefined;
  return inner ?? words.join(' ');
}

function changesIn(fields: Fields | undefined): readonly Replaced[] {
  if (fields === undefined) return [];
  const several = Array.isArray(fields.edits) ? fields.edits.filter(isFields) : [];
  const replaced = [...several, fields].flatMap((one): Replaced[] => {
    const before = text(one, 'old_string', 'oldString', 'old_str', 'oldText');
    const after = text(one, 'new_string', 'newString', 'new_str', 'newText');
    return before === undefined && after === undefined ? [] : [{ before: before ?? '', after: after ?? '' }];
  });
  if (replaced.length > 0) return replaced;
  const whole = text(fields, 'content', 'file_text', 'new_source', 'contents');
  return whole === undefined ? [] : [{ before: '', after: whole }];
}

/** A patch in the form of `apply_patch`: its hunks as replaced parts of the first file that it names. */
function patchDeed(patch: string, file: string): Deed {
  const changes: { before: string[]; after: string[] }[] = [];
  let named = file;
  let hunk: { before: string[]; after: string[] } | undefined;
  for (const line of patch.split('\n')) {
    const path = /^\*\*\* (?:Update|Add|Delete) File: (.*)$/.exec(line)?.[1];
    if (path !== undefined && named === '') named = path.trim();
    if (path !== undefined || line.startsWith('@@') || line.startsWith('***')) {
      hunk = undefined;
      continue;
    }
    if (hunk === undefined) {
      hunk = { before: [], after: [] };
      changes.push(hunk);
    }
    const rest = line.slice(1);
    if (!line.startsWith('+')) hunk.before.push(rest);
    if (!line.startsWith('-')) hunk.after.push(rest);
  }
  const pieces = changes.map(({ before, after }) => ({ before: before.join('\n'), after: after.join('\n') }));
  return { kind: 'edit', file: named, changes: pieces.filter(({ before, after }) => before !== after) };
}

function gistOf(tool: string, fields: Fields | undefined, file: string | undefined, input: string): string {
  const said = text(fields, 'description', 'pattern', 'query', 'url', 'prompt', 'skill', 'message', 'subject') ?? file;
  const line = (said ?? Object.values(fields ?? {}).find((value) => typeof value === 'string') ?? '') as string;
  const first = line.trimStart().split('\n')[0] ?? '';
  const where = file !== undefined && first !== file && said !== undefined ? ` in ${file}` : '';
  return first === '' && fields === undefined ? input.slice(0, 200) : `${first}${tool === 'Grep' ? where : ''}`;
}

/** The exit code that an output mentions, if any. */
export function exitCodeIn(output: string | undefined): number | undefined {
  const told = /^(?:Error: )?(?:Exit code|Process exited with code|exit code:)\s*:?\s*(-?\d{1,5})\b/im.exec(
    (output ?? '').slice(0, 2000),
  )?.[1];
  return told === undefined ? undefined : Number(told);
}

/** A path relative to the project, so that its end stays visible. */
export const pathFrom = (folder: string, file: string): string =>
  folder !== '' && file.startsWith(`${folder.replace(/[/\\]$/, '')}/`)
    ? file.slice(folder.replace(/[/\\]$/, '').length + 1)
    : file;

// The command line of a commit or a pull request → its title and its text.

import { cut, inOneLine } from '../../language/gist.ts';

/** The first line of a commit's message, if the command contains it. */
export function commitMessage(command: string): string | undefined {
  const file = fileOption.exec(command);
  if (file !== null) return firstOf(documentFor(command, file)?.join('\n'));
  const from = command.search(/\bcommit\b/);
  return firstLine(from < 0 ? command : command.slice(from), /\s(?:-[a-z]*m|--message)[ =]?/);
}

/** The title of a pull request, if the command contains it. */
export function requestTitle(command: string): string | undefined {
  const from = command.search(/\b(?:pr|mr) create\b/);
  return from < 0 ? undefined : firstLine(command.slice(from), /\s(?:--title|-t)[ =]/);
}

/** A commit whose message comes from standard input or from a file: `git commit -qF -`, `--file=note.txt`. */
const fileOption =
  /\bgit (?:[^\s<|;&]+ ){0,8}?commit\b(?:[^\S\n]+(?!-[a-z]*F|--file)[^\s<|;&"'`]+){0,8}[^\S\n]+(?:-[a-z]*F[^\S\n]*|--file[ =])["']?([\w./~-]+)["']?(?=\s|$|["';&|)])/;
const opensDocument = /<<-?[^\S\n]*['"]?(\w+)['"]?/;

/** The lines of the here-document that a commit reads its message from, or that an earlier part of the line wrote into its file. */
function documentFor(command: string, option: RegExpExecArray): string[] | undefined {
  const file = option[1] ?? '-';
  const from = command.lastIndexOf('\n', option.index) + 1;
  const rows = command.slice(file === '-' ? from : 0).split('\n');
  const opens = rows.findIndex(
    (row) => opensDocument.test(row) && (file === '-' || row.includes(`> ${file}`) || row.includes(`>${file}`)),
  );
  const word = opens < 0 || (file === '-' && opens > 0) ? undefined : opensDocument.exec(rows[opens] ?? '')?.[1];
  return word === undefined ? undefined : untilWord(rows.slice(opens + 1), word);
}

function untilWord(rows: readonly string[], word: string): string[] {
  const end = rows.findIndex((row) => row.trim() === word);
  return rows.slice(0, end < 0 ? undefined : end);
}

/** The first line of an option's value: a quoted string, which may contain escaped quotes, or a here-document. */
function firstLine(command: string, option: RegExp): string | undefined {
  const found = option.exec(command);
  const rest = found === null ? '' : command.slice(found.index + found[0].length);
  const quoted = /^(?:"((?:[^"\\]|\\[\s\S]){3,400})|'([^']{3,400}))/.exec(rest);
  const given = (quoted?.[1] ?? quoted?.[2] ?? '').replace(/\\(["`$\\])/g, '$1');
  const document = /^"?\$\(cat <</.test(rest) || /^\$\(/.test(given) || found === null;
  return firstOf(document ? /<<-?\s*['"]?(\w+)['"]?\s*\n\s*([^\n]+)/.exec(command)?.[2] : given);
}

function firstOf(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n', 1)[0]?.trim();
  return line === undefined || line.length < 3 || line.startsWith('$(') ? undefined : cut(inOneLine(line), 120);
}

/** The text of a commit below its first line, or the description of a pull request; empty if the command does not contain it. */
export function bodyIn(command: string): string {
  const isRequest = /\b(?:pr|mr) create\b/.test(command);
  const file = isRequest ? null : fileOption.exec(command);
  if (file !== null) return belowTitle(documentFor(command, file) ?? []);
  const from = command.search(isRequest ? /\b(?:pr|mr) create\b/ : /\bcommit\b/);
  const rest = from < 0 ? '' : command.slice(from);
  const [mark = '', word = ''] = /<<-?\s*['"]?(\w+)['"]?[^\n]*\n/.exec(rest) ?? [];
  if (mark !== '') {
    const lines = untilWord(rest.slice(rest.indexOf(mark) + mark.length).split('\n'), word);
    return isRequest ? lines.join('\n').trim() : belowTitle(lines);
  }
  const option = isRequest ? /\s(?:--body|-b)[ =]?(?=["'])/ : /\s(?:-[a-z]*m|--message)[ =]?(?=["'])/;
  const texts = rest
    .split(option)
    .slice(1)
    .map((part) =>
      (/^"((?:[^"\\]|\\[\s\S])*)/.exec(part)?.[1] ?? /^'([^']*)/.exec(part)?.[1] ?? '').replace(/\\(["`$\\])/g, '$1'),
    );
  const text = texts.join('\n\n');
  return isRequest ? text.trim() : belowTitle(text.split('\n'));
}

const belowTitle = (lines: readonly string[]): string => lines.join('\n').trim().split('\n').slice(1).join('\n').trim();

/** The number of the pull request that a command opened, from its output. */
export const requestNumber = (output: string): string | undefined =>
  /\/(?:pull|merge_requests)\/(\d+)\b/.exec(output)?.[1];

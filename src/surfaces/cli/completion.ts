// Completion scripts, generated from the table of operations. They are static, so pressing Tab starts no program.

import type { Operation } from '../../operations/operation.ts';
import { HoldfastError } from '../../system/errors.ts';
import { fieldsOf } from './fields.ts';
import { otherNames } from './names.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

interface Path {
  /** What was typed before the cursor: ``, `config`, `config get`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly about: string }[];
}

export function completion(shell: string, table: readonly Operation[]): string {
  const others = Object.entries(otherNames).flatMap(([other, meant]) =>
    table.filter(({ name }) => name === meant).map((operation) => ({ ...operation, name: other })),
  );
  const operations = [...table, ...others];
  if (shell === 'bash') return bash(operations);
  if (shell === 'zsh') return `#compdef holdfast\nautoload -U +X bashcompinit && bashcompinit\n${bash(operations)}`;
  if (shell === 'fish') return fish(operations);
  throw new HoldfastError('BAD_INPUT', `There is no completion for "${shell}"`, {
    hint: `Shells: ${shells.join(', ')}.`,
  });
}

function paths(operations: readonly Operation[]): Path[] {
  const first = new Map<string, string>();
  const groups = new Map<string, { word: string; about: string }[]>();
  const leaves = operations.map((operation): Path => {
    const [head = '', tail] = operation.name.split(' ');
    if (tail === undefined) first.set(head, operation.summary);
    else {
      if (!first.has(head)) first.set(head, '');
      groups.set(head, [...(groups.get(head) ?? []), { word: tail, about: operation.summary }]);
    }
    const options = fieldsOf(operation).filter((field) => !field.positional);
    const words = options.map((field) => ({ word: field.label, about: field.description }));
    return { path: operation.name, words: [...words, { word: '--json', about: 'print JSON' }] };
  });
  first.set('completion', 'Print a completion script');
  first.set('help', 'Show the options and examples of a command');
  first.set('version', 'Print the version');
  return [
    { path: '', words: [...first].map(([word, about]) => ({ word, about })) },
    ...[...groups].map(([path, words]) => ({ path, words })),
    { path: 'completion', words: shells.map((word) => ({ word, about: '' })) },
    ...leaves,
  ];
}

/** First words that a second word may follow. */
const groupsOf = (operations: readonly Operation[]): Set<string> =>
  new Set(
    operations.map(({ name }) => name.split(' ')).flatMap(([head = '', tail]) => (tail === undefined ? [] : [head])),
  );

/** `--kind` → `entry session`, for all commands at once: an option means the same everywhere. */
function choices(operations: readonly Operation[]): Map<string, readonly string[]> {
  const fields = operations.flatMap(fieldsOf).filter((field) => !field.positional && field.kind === 'choice');
  return new Map(fields.map((field) => [field.label, field.choices]));
}

function bash(operations: readonly Operation[]): string {
  const words = paths(operations).map(
    ({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  );
  const values = [...choices(operations)].map(([label, of]) => `    ${label}) words='${of.join(' ')}' ;;`);
  return `_holdfast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case "$path" in ${[...groupsOf(operations)].join('|')}|'') path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$prev" in
${values.join('\n')}
    --file|--dir|--project|backup|restore) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _holdfast holdfast
`;
}

function fish(operations: readonly Operation[]): string {
  const quote = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const values = choices(operations);
  const lines = paths(operations).flatMap(({ path, words }) => {
    const seen = path.split(' ').filter((word) => word !== '');
    const inner = words.filter(({ word }) => !word.startsWith('-')).map(({ word }) => word);
    const conditions = [
      seen.length === 0
        ? '__fish_use_subcommand'
        : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and '),
      ...(seen.length > 0 && inner.length > 0 ? [`not __fish_seen_subcommand_from ${inner.join(' ')}`] : []),
    ];
    const when = quote(conditions.join('; and '));
    return words.map(({ word, about }) => {
      const says = about === '' ? '' : ` -d ${quote(about)}`;
      if (!word.startsWith('--')) return `complete -c holdfast -f -n ${when} -a ${word}${says}`;
      const of = values.get(word);
      return `complete -c holdfast -n ${when} -l ${word.slice(2)}${of ? ` -x -a ${quote(of.join(' '))}` : ''}${says}`;
    });
  });
  return `${lines.join('\n')}\n`;
}

// A tool use for people: the command and how it ended, an edit as a patch, anything else in one line.
import { deedOf, exitCodeIn, pathFrom } from '../../../schema/deed.ts';
import { type DiffLine, differenceOf, sizeOf } from '../../../schema/line-difference.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { clean, oneLine, type Style } from '../style.ts';
import type { View } from '../view.ts';

/** `holdfast get` shows more lines. */
const most = { command: 12, change: 40, output: 8 } as const;

export function renderToolUse(use: ToolUse, view: View, folder: string): string {
  const { style } = view;
  const deed = deedOf(use);
  const sign = use.outcome === 'ok' ? style.green('✓') : use.outcome === 'error' ? style.red('✗') : style.dim('…');
  const rest = (lines: readonly string[]) => lines.map((line) => `    ${line}`);
  if (deed.kind === 'command') {
    const [first = '', ...more] = deed.command.split('\n');
    const code = exitCodeIn(use.output);
    const failed = use.outcome === 'error' ? style.red(code === undefined ? '  failed' : `  exit ${code}`) : '';
    const head = `  ${sign} ${style.bold('$')} ${style.bold(clean(first))}${failed}`;
    return [head, ...rest(ends(more.map(clean), most.command, view)), ...rest(outputOf(use, view))].join('\n');
  }
  if (deed.kind === 'edit') {
    const lines = differenceOf(deed.changes);
    const { added, removed } = sizeOf(lines);
    const file = clean(pathFrom(folder, deed.file));
    const head = `  ${sign} ${clean(use.tool)} ${style.bold(file)}  ${style.green(`+${added}`)} ${style.red(`−${removed}`)}`;
    const shown = ends(
      lines.map((line) => painted(line, style)),
      most.change,
      view,
    );
    const why = use.outcome === 'error' ? outputOf(use, view) : [];
    return [head, ...rest(shown), ...rest(why)].join('\n');
  }
  const gist = oneLine(pathFrom(folder, deed.gist), Math.max(20, view.width - use.tool.length - 6));
  const why = use.outcome === 'error' ? outputOf(use, view) : [];
  return [`  ${sign} ${clean(use.tool)} ${style.dim(gist)}`, ...rest(why)].join('\n');
}

export function painted({ sign, text }: DiffLine, style: Style): string {
  const line = clean(text);
  if (sign === '…') return style.dim('…');
  return sign === '+' ? style.green(`+ ${line}`) : sign === '-' ? style.red(`- ${line}`) : style.dim(`  ${line}`);
}

/** A tool's output: the first and the last lines. */
function outputOf({ output = '' }: ToolUse, view: View): string[] {
  const lines = clean(output).trim().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  return ends(
    lines.map((line) => view.style.dim(oneLine(line.replace(/\t/g, '  '), Math.max(40, view.width - 4)))),
    most.output,
    view,
  );
}

function ends(lines: readonly string[], limit: number, { style }: View): string[] {
  if (lines.length <= limit) return [...lines];
  const half = Math.floor(limit / 2);
  const left = lines.length - 2 * half;
  return [...lines.slice(0, half), style.dim(`… ${left} more lines`), ...lines.slice(-half)];
}

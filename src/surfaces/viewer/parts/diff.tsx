import { useEffect, useState } from 'preact/hooks';
import type { DiffLine } from '../../../schema/line-difference.ts';
import { type CodeLine, highlighted, languageOf } from '../highlighter.ts';
import { soon } from '../soon.ts';

const spoken = { '+': 'added', '-': 'removed', ' ': '', '…': 'lines left out' } as const;

/** Further lines are folded, so that a generated file does not freeze the page. */
const most = 600;
/** More than the box shows before it is scrolled. */
const atFirst = 30;

/** Removed and added lines, distinguished by sign, colour and label. `file`: determines the language. */
export function Diff({ lines, label, file }: { lines: readonly DiffLine[]; label: string; file: string }) {
  const left = lines.length - most;
  const coloured = useColoured(lines, file);
  const drawn = useDrawn(lines.length);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre class="diff" tabIndex={0}>
      <span class="unseen">{label}</span>
      {lines.slice(0, drawn).map(({ sign, text }, i) => {
        const Line = sign === '+' ? 'ins' : sign === '-' ? 'del' : 'span';
        return (
          <Line key={i}>
            {spoken[sign] !== '' && <span class="unseen">{spoken[sign]}: </span>}
            <span class="sign" aria-hidden="true">
              {sign}
            </span>
            <Code line={coloured?.[i]} text={text} />
            {'\n'}
          </Line>
        );
      })}
      {left > 0 && <span>… {left} more lines</span>}
    </pre>
  );
}

export function DiffSize({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="diff-size">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}

function Code({ line, text }: { line: CodeLine | undefined; text: string }) {
  if (line === undefined) return text;
  return line.map((piece, i) => (
    <span key={i} class={piece.kind === '' ? undefined : `hl-${piece.kind}`}>
      {piece.text}
    </span>
  ));
}

/** How many lines are drawn. What the box does not show yet comes after the page. */
function useDrawn(count: number): number {
  const [isWhole, setWhole] = useState(count <= atFirst);
  useEffect(() => {
    if (isWhole) return;
    let isGone = false;
    void soon(() => isGone || setWhole(true));
    return () => {
      isGone = true;
    };
  }, [isWhole]);
  return isWhole ? most : atFirst;
}

/** Highlights each side as one text, so that comments over several lines are recognised. */
function useColoured(lines: readonly DiffLine[], file: string): readonly (CodeLine | undefined)[] | undefined {
  const [coloured, setColoured] = useState<readonly (CodeLine | undefined)[]>();
  useEffect(() => {
    let isGone = false;
    const language = languageOf(file);
    const side = (other: '+' | '-') => lines.slice(0, most).filter(({ sign }) => sign !== other);
    const of = (part: readonly DiffLine[]) => highlighted(part.map(({ text }) => text).join('\n'), language);
    const [before, after] = [side('+'), side('-')];
    void Promise.all([of(before), of(after)]).then(([old, fresh]) => {
      if (isGone || (old === undefined && fresh === undefined)) return;
      const byLine = new Map<DiffLine, CodeLine | undefined>();
      for (const [i, line] of before.entries()) byLine.set(line, old?.[i]);
      for (const [i, line] of after.entries()) byLine.set(line, fresh?.[i] ?? byLine.get(line));
      setColoured(lines.map((line) => byLine.get(line)));
    });
    return () => {
      isGone = true;
    };
  }, [lines, file]);
  return coloured;
}

import type { DiffLine } from '../../schema/line-difference.ts';

const spoken = { '+': 'added', '-': 'removed', ' ': '', '…': 'lines left out' } as const;

/** More lines are folded: a page must not stand still for a generated file. */
const most = 600;

/** Lines that were removed and added, told apart by sign, colour and name. */
export function Diff({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const left = lines.length - most;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre class="diff" tabIndex={0}>
      <span class="unseen">{label}</span>
      {lines.slice(0, most).map(({ sign, text }, i) => {
        const Line = sign === '+' ? 'ins' : sign === '-' ? 'del' : 'span';
        return (
          <Line key={i}>
            {spoken[sign] !== '' && <span class="unseen">{spoken[sign]}: </span>}
            <span class="sign" aria-hidden="true">
              {sign}
            </span>
            {`${text}\n`}
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

// A grid of shaded cells. It is one stop for the Tab key, and arrows move inside. Each cell is a link and describes itself.
import { useRef, useState } from 'preact/hooks';

export interface Cell {
  readonly key: string;
  /** 0 to 4. */
  readonly level: number;
  readonly label: string;
  readonly href?: string;
}

export interface HeatRow {
  readonly name: string;
  readonly cells: readonly (Cell | undefined)[];
}

/** More is darker. Uses the square root, so that one busy day does not fade all others. */
export const levelOf = (count: number, most: number): number =>
  count === 0 ? 0 : Math.max(1, Math.ceil(4 * Math.sqrt(count / most)));

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export function HeatGrid({
  label,
  rows,
  columns,
  heads,
  current,
  rest,
  isWaiting = false,
}: {
  label: string;
  rows: readonly HeatRow[];
  columns: number;
  /** Shown above the columns, but not to screen readers. */
  heads: readonly string[];
  /** The key of the cell that the Tab key goes to first. */
  current: string;
  /** The text below while no cell is pointed at. */
  rest: string;
  /** The amounts are not known yet: only the space of the grid is reserved, because drawing hundreds of links would delay them. */
  isWaiting?: boolean;
}) {
  const place = useRef<HTMLTableElement>(null);
  const [meant, setMeant] = useState<string>();
  const known = rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined));
  const [at, setAt] = useState(current);
  const stop = (known.find(({ key }) => key === at) ?? known.find(({ key }) => key === current) ?? known.at(-1))?.key;

  const keyOf = ({ target }: Event): string | undefined =>
    (target as Element).closest<HTMLElement>('[data-key]')?.dataset.key;
  const mean = (key: string | undefined) => setMeant(known.find((cell) => cell.key === key)?.label);
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const row = rows.findIndex(({ cells }) => cells.some((cell) => cell?.key === stop));
    const column = rows[row]?.cells.findIndex((cell) => cell?.key === stop) ?? -1;
    const next = rows[row + step[0]]?.cells[column + step[1]];
    if (next === undefined) return;
    setAt(next.key);
    place.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };

  return (
    <div class="heat" style={{ '--columns': columns }}>
      {/* One listener for all cells: hundreds of them would delay the page. */}
      {/* biome-ignore lint/a11y/useKeyWithMouseEvents: onFocusIn is the same for keys, and also hears the cells */}
      <table
        ref={place}
        onKeyDown={move}
        onFocusIn={(event) => {
          setAt(keyOf(event) ?? at);
          mean(keyOf(event));
        }}
        onFocusOut={() => mean(undefined)}
        onMouseOver={(event) => mean(keyOf(event))}
        onMouseLeave={() => mean(undefined)}
      >
        <caption class="unseen">{label}</caption>
        <thead aria-hidden="true">
          <tr>
            <td />
            {heads.map((head, i) => (
              <td key={i}>
                <span class="heat-head">{head}</span>
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {(isWaiting ? cells.slice(0, 1) : cells).map((cell, i) => (
                <td key={cell?.key ?? i}>
                  {cell && <Shade cell={cell} stop={cell.key === stop} isWaiting={isWaiting} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="heat-foot dim" aria-hidden="true">
        <span>{meant ?? rest}</span>
        <span class="heat-key">
          less
          {[0, 1, 2, 3, 4].map((level) => (
            <i key={level} class={`cell level-${level}`} />
          ))}
          more
        </span>
      </p>
    </div>
  );
}

function Shade({
  cell: { key, level, label, href },
  stop,
  isWaiting,
}: {
  cell: Cell;
  stop: boolean;
  isWaiting: boolean;
}) {
  const look = `cell level-${level}`;
  if (isWaiting) return <span class={look} />;
  const same = { class: look, 'aria-label': label, 'data-key': key, tabIndex: stop ? 0 : -1 };
  return href === undefined ? <span role="img" {...same} /> : <a href={href} {...same} />;
}

import { useState } from 'preact/hooks';
import { number } from '../time.ts';

export interface TableRow {
  readonly key: string;
  /** The link of the first cell. */
  readonly href?: string;
  readonly cells: readonly (string | number)[];
}

/** The data of a plot as a table, for people who prefer to read it. Its rows are made when it is first opened. `keepsRoom`: reserves its space while there are no rows. */
export function AsTable({
  title,
  heads,
  rows,
  keepsRoom = false,
}: {
  title: string;
  heads: readonly string[];
  rows: readonly TableRow[];
  keepsRoom?: boolean;
}) {
  const [isMade, setMade] = useState(false);
  if (rows.length === 0) return keepsRoom ? <div class="as-table-room" /> : null;
  return (
    <details class="as-table" onToggle={() => setMade(true)}>
      <summary>{title}</summary>
      {isMade && <Table heads={heads} rows={rows} caption={title} />}
    </details>
  );
}

/** The first column names the row. */
export function Table({
  heads,
  rows,
  caption,
}: {
  heads: readonly string[];
  rows: readonly TableRow[];
  caption: string;
}) {
  return (
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {heads.map((head, i) => (
            <th key={head} scope="col" class={i === 0 ? undefined : 'number'}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, href, cells: [name, ...cells] }) => (
          <tr key={key}>
            <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
            {cells.map((cell, i) => (
              <td key={i} class="number">
                {typeof cell === 'number' ? number(cell) : cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  readonly said: string;
  readonly href?: string;
}

/** Horizontal bars. Names and values are text, so that everyone can read them. */
export function Bars({
  label,
  bars,
  most = Math.max(1, ...bars.map(({ value }) => value)),
}: {
  label: string;
  bars: readonly Bar[];
  /** The value of a full bar, if other bars beside these have the same scale. */
  most?: number;
}) {
  return (
    <ul class="bars" aria-label={label}>
      {bars.map(({ key, name, value, said, href }) => (
        <li key={key}>
          <span class="bar-name">{href === undefined ? name : <a href={href}>{name}</a>}</span>
          <span class="bar-track" aria-hidden="true">
            <span class="bar-fill" style={{ width: `${(100 * value) / most}%` }} />
          </span>
          <span class="bar-value">{said}</span>
        </li>
      ))}
    </ul>
  );
}

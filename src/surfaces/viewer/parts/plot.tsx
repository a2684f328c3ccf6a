// A plot with its heading, its legend and its table. Reserves its space until the plot is loaded.
import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { theme } from '../theme.ts';
import { AsTable } from './as-table.tsx';
import type { Canvas, PlotData } from './plot-canvas.ts';

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

export function Plot({
  title,
  columns,
  series,
  say = String,
  heads,
}: {
  /** What the plot shows, in one sentence. */
  title: string;
  /** `short` is shown below a column, `full` in the table. */
  columns: readonly { readonly short: string; readonly full: string }[];
  series: readonly Series[];
  say?: (value: number) => string;
  /** The first column of the table. */
  heads: string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLParagraphElement>(null);
  const [at, setAt] = useState<number>();
  const data: PlotData = { labels: columns.map(({ short }) => short), values: series.map(({ values }) => values), say };
  const key = JSON.stringify([data.labels, data.values]);

  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    let canvas: Canvas | undefined;
    let left = false;
    // Computed styles do not resolve custom properties, so read the colours from the legend, which uses them.
    const colourOf = (of: Element | null | undefined) => (of ? getComputedStyle(of).color : '');
    const colours = () => ({
      series: [...(legend.current?.querySelectorAll('i') ?? [])].map(colourOf),
      text: colourOf(legend.current),
      line: colourOf(legend.current?.querySelector('.plot-line')),
    });
    const observer = new ResizeObserver(() => canvas?.resize());
    const system = matchMedia('(prefers-color-scheme: dark)');
    const repaint = () => requestAnimationFrame(() => canvas?.repaint());
    const stop = effect(() => {
      void theme.value;
      repaint();
    });
    system.addEventListener('change', repaint);
    void import('./plot-canvas.ts').then(({ drawBars }) => {
      if (left) return;
      canvas = drawBars(box, data, colours, setAt);
      observer.observe(box);
    });
    return () => {
      left = true;
      stop();
      system.removeEventListener('change', repaint);
      observer.disconnect();
      canvas?.close();
    };
  }, [key]);

  const pointed = at === undefined ? undefined : columns[at];
  return (
    <figure class="plot">
      <div ref={place} class="plot-canvas" role="img" aria-label={title} />
      <figcaption>
        <p ref={legend} class="plot-key dim">
          {series.map(({ name, values }, i) => (
            <span key={name}>
              <i class={`swatch series-${i % 6}`} aria-hidden="true" />
              {name}
              {pointed && at !== undefined && `: ${say(values[at] ?? 0)}`}
            </span>
          ))}
          <span class="plot-at">{pointed?.full}</span>
          <span class="plot-line" aria-hidden="true" />
        </p>
      </figcaption>
      <AsTable
        title={`${title}, as a table`}
        heads={[heads, ...series.map(({ name }) => name)]}
        rows={columns
          .map(({ full }, i) => ({ key: full, cells: [full, ...series.map(({ values }) => values[i] ?? 0)] }))
          .filter(({ cells }) => cells.slice(1).some((cell) => cell !== 0))}
      />
    </figure>
  );
}

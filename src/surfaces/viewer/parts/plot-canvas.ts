// Stacked bars over days, on a canvas. A separate file with uPlot, loaded only on pages with a plot.
import UPlot from 'uplot';

export interface PlotData {
  /** The label below each column. */
  readonly labels: readonly string[];
  /** A list for each series, with a value for each column. */
  readonly values: readonly (readonly number[])[];
  readonly say: (value: number) => string;
}

export interface Colours {
  readonly series: readonly string[];
  readonly text: string;
  readonly line: string;
}

export interface Canvas {
  resize(): void;
  repaint(): void;
  close(): void;
}

/** Calls `colours` at each painting, and `point` with the column under the pointer. */
export function drawBars(
  place: HTMLElement,
  { labels, values, say }: PlotData,
  colours: () => Colours,
  point: (column: number | undefined) => void,
): Canvas {
  const size = () => ({ width: Math.max(100, place.clientWidth), height: place.clientHeight });
  // Each series is drawn up to the sum of itself and all below it, tallest first.
  const sums = values.map((_, i) =>
    labels.map((_, at) => values.slice(0, i + 1).reduce((sum, one) => sum + (one[at] ?? 0), 0)),
  );
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const bars = UPlot.paths.bars?.({ size: [0.72, 36], radius: 0.15 });
  const plot = new UPlot(
    {
      ...size(),
      legend: { show: false },
      scales: {
        x: { time: false, range: [-0.6, labels.length - 0.4] },
        y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.05] },
      },
      cursor: {
        y: false,
        drag: { setScale: false, x: false, y: false },
        points: { show: false },
      },
      axes: [
        {
          font,
          stroke: () => colours().text,
          grid: { show: false },
          ticks: { show: false },
          incrs: [1, 2, 7, 14, 28, 56, 91, 182],
          space: 64,
          size: 28,
          gap: 6,
          values: (_, splits) => splits.map((at) => labels[at] ?? ''),
        },
        {
          font,
          stroke: () => colours().text,
          grid: { stroke: () => colours().line, width: 1 },
          ticks: { show: false },
          incrs: [1, 2, 5]
            .flatMap((one) => Array.from({ length: 13 }, (_, power) => one * 10 ** power))
            .sort((a, b) => a - b),
          size: 62,
          values: (_, splits) => splits.map(say),
        },
      ],
      series: [
        {},
        ...sums
          .map((_, i) => ({
            fill: () => colours().series[i] ?? '',
            stroke: () => 'transparent',
            width: 0,
            points: { show: false },
            ...(bars === undefined ? {} : { paths: bars }),
          }))
          .reverse(),
      ],
      hooks: { setCursor: [(own) => point(own.cursor.idx ?? undefined)] },
    },
    [labels.map((_, i) => i), ...[...sums].reverse()],
    place,
  );
  return {
    resize: () => plot.setSize(size()),
    repaint: () => plot.redraw(),
    close: () => plot.destroy(),
  };
}

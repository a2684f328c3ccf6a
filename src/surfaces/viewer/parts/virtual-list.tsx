// A list of any length. Only the visible rows are in the document. It scrolls with the page.
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps {
  readonly count: number;
  readonly label: string;
  /** The estimated height of a row. Its real height is measured once it is in the document. */
  readonly estimate: (index: number) => number;
  readonly render: (index: number) => ComponentChildren;
  /** Called with the rows that are in the document. */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  /** Set if the rows are the options of a field. The field refers to the list by this id. */
  readonly choices?: string | undefined;
  /** Scrolls to this row when it changes. */
  readonly showIndex?: number | undefined;
}

export function VirtualList({ count, label, estimate, render, onRange, choices, showIndex }: VirtualListProps) {
  const place = useRef<HTMLOListElement>(null);
  const [, setRound] = useState(0);
  const made = useRef<Virtualizer<Window, HTMLElement>>(undefined);
  const options: VirtualizerOptions<Window, HTMLElement> = {
    count,
    getScrollElement: () => window,
    estimateSize: estimate,
    overscan: 6,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    initialRect: { width: innerWidth, height: innerHeight },
    scrollMargin: place.current?.offsetTop ?? 0,
    onChange: () => setRound((before) => before + 1),
  };
  made.current ??= new Virtualizer(options);
  const list = made.current;
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  useLayoutEffect(() => setRound((before) => before + 1), []);
  const rows = list.getVirtualItems();
  const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? 0];
  useLayoutEffect(() => onRange?.(first, last), [first, last, count]);
  useLayoutEffect(() => (showIndex === undefined ? undefined : bringIntoSight(list, showIndex)), [showIndex]);
  return (
    <ol
      ref={place}
      class="virtual"
      id={choices}
      role={choices === undefined ? undefined : 'listbox'}
      aria-label={label}
      style={{ height: `${list.getTotalSize()}px` }}
    >
      {rows.map((row) => (
        <li
          key={row.key}
          {...(choices === undefined
            ? { 'aria-setsize': count, 'aria-posinset': row.index + 1 }
            : { role: 'presentation' })}
          data-index={row.index}
          ref={list.measureElement}
          style={{ transform: `translateY(${row.start - list.options.scrollMargin}px)` }}
        >
          {render(row.index)}
        </li>
      ))}
    </ol>
  );
}

const ownMoves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
/** After this time without scrolling, the page is at rest. */
const restMs = 150;

/**
 * Scrolls to a row until the page rests there. An earlier key press may still be scrolling the page, and the list then
 * gives up its own attempt, so try again. A new key press means that the person wants to go elsewhere: stop.
 */
function bringIntoSight(list: Virtualizer<Window, HTMLElement>, index: number): () => void {
  const leaving = new AbortController();
  let attempts = 10;
  let rest = 0;
  const stop = () => {
    clearTimeout(rest);
    leaving.abort();
  };
  const isInSight = () => list.range !== null && list.range.startIndex <= index && index <= list.range.endIndex;
  const go = () => {
    list.scrollToIndex(index, { align: 'center' });
    wait();
  };
  const wait = () => {
    clearTimeout(rest);
    rest = window.setTimeout(() => (isInSight() || --attempts === 0 ? stop() : go()), restMs);
  };
  addEventListener('scroll', wait, { signal: leaving.signal, passive: true });
  for (const move of ownMoves) addEventListener(move, stop, { signal: leaving.signal, passive: true });
  go();
  return stop;
}

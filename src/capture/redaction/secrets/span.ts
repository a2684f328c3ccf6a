/** A secret's position in a text: from its first character to the one after its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Sorts the spans and merges those that touch. A merged span has the name of the first. */
export function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = all.at(-1);
    if (last === undefined || span.from >= last.to) all.push(span);
    else if (span.to > last.to) all[all.length - 1] = { ...last, to: span.to };
  }
  return all;
}

/** Replaces each span with a mark. Contract: the spans are in order and do not overlap. */
export function withMarks(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let kept = '';
  let from = 0;
  for (const span of spans) {
    kept += `${text.slice(from, span.from)}[redacted: ${span.name}]`;
    from = span.to;
  }
  return kept + text.slice(from);
}

/** The spans that touch none of the others. Contract: the others are in order and do not overlap. */
export function apartFrom(spans: readonly Span[], others: readonly Span[]): Span[] {
  let next = 0;
  return [...spans]
    .sort((a, b) => a.from - b.from)
    .filter((span) => {
      while ((others[next]?.to ?? Number.POSITIVE_INFINITY) <= span.from) next++;
      return (others[next]?.from ?? Number.POSITIVE_INFINITY) >= span.to;
    });
}

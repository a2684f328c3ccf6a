/** A line of text in which what stands between backticks is code. */
export function Inline({ text }: { text: string }) {
  return (
    <>{text.split(/(`[^`]+`)/).map((part, i) => (i % 2 === 1 ? <code key={i}>{part.slice(1, -1)}</code> : part))}</>
  );
}

/** A line of text. Text between backticks becomes code. */
export function Inline({ text }: { text: string }) {
  return (
    <>{text.split(/(`[^`]+`)/).map((part, i) => (i % 2 === 1 ? <code key={i}>{part.slice(1, -1)}</code> : part))}</>
  );
}

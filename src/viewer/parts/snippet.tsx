/** A snippet of recall: what stands between « and » matched. */
export function Snippet({ text }: { text: string }) {
  return (
    <span class="snippet">
      {text
        .split(/(«[^»]*»)/)
        .map((part, i) =>
          part.startsWith('«') && part.endsWith('»') ? <mark key={i}>{part.slice(1, -1)}</mark> : part,
        )}
    </span>
  );
}

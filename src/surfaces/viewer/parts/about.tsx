import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The same width as in pages.css. From here on, the part is beside the transcript. */
const beside = '(min-width: 1101px)';

/** Shown beside the main content if there is room. Otherwise above it and folded, so that people need not scroll past it. */
export function About({ title, children }: { title: string; children: ComponentChildren }) {
  const [wide, setWide] = useState(() => matchMedia(beside).matches);
  useEffect(() => {
    const media = matchMedia(beside);
    const look = () => setWide(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, []);
  return (
    <details class="about" open={wide}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

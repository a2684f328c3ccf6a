import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** As in pages.css: from here on it stands beside the transcript. */
const beside = '(min-width: 1101px)';

/** Beside what it is about where there is room; otherwise above it, folded, so that one need not scroll past it. */
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

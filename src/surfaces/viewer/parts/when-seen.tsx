import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Pixels beyond the edge of the column: a person who scrolls there should find it loaded. */
const margin = 2000;

/** Renders its content once it is nearly in sight of its column. For content whose answers cost much and are often not looked at. */
export function WhenSeen({ children }: { children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const at = place.current;
    if (at === null || isSeen) return;
    const observer = new IntersectionObserver(
      (found) => {
        if (found.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { root: at.closest('aside'), rootMargin: `${margin}px 0px` },
    );
    observer.observe(at);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <div ref={place} class="when-seen">
      {isSeen && children}
    </div>
  );
}

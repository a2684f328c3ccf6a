import { useEffect, useState } from 'preact/hooks';
import { ago, clockOf, exactly } from '../time.ts';

/** How long ago something was, updated while the page is open. */
export function Ago({ at }: { at: string }) {
  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow((before) => before + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactly(at)}>
      {ago(at)}
    </time>
  );
}

export function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactly(at)}>
      {clockOf(at)}
    </time>
  );
}

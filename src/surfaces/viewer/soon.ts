// Work that the first content does not need. It runs in short pieces after the page is drawn, so that the page stays smooth.

/** For each frame. Drawing what the work has changed counts too. */
const budgetMs = 8;
const waiting: (() => void)[] = [];
let isPlanned = false;

/** Resolves with what the work returns. */
export function soon<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.push(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
    plan();
  });
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  // A page that is not seen draws no frames.
  if (typeof document === 'undefined' || document.visibilityState === 'hidden') setTimeout(run);
  else requestAnimationFrame(() => setTimeout(run));
}

async function run(): Promise<void> {
  const until = performance.now() + budgetMs;
  do {
    waiting.shift()?.();
    // Components that have changed are drawn in between.
    await undefined;
  } while (waiting.length > 0 && performance.now() < until);
  isPlanned = false;
  if (waiting.length > 0) plan();
}

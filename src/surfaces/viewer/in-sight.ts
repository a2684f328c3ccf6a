/** Height of the bar that stays at the top. */
const barHeight = 60;

/** The index of the entry that the reader is at: the focused entry if it is in sight, else the first in sight. */
export function placeInSight(): number {
  const rows = [...document.querySelectorAll<HTMLElement>('.transcript-column li[data-index]')];
  const inSight = rows.filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > barHeight && top < innerHeight;
  });
  const chosen = inSight.find((row) => row.querySelector('.entry.focused') !== null) ?? inSight[0];
  return Number(chosen?.dataset.index ?? 0);
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

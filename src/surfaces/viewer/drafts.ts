// Text that was typed and not saved. It stays in this tab, so a reload or another page does not lose it, and goes with the tab.

export interface Draft {
  readonly text: string;
  /** What stood there when the person began: a change by another program meanwhile is still seen. */
  readonly was: string;
}

const nameOf = (of: string): string => `holdfast-draft ${of}`;
/** Longer ones are for an editor of the person's own. */
const longest = 1_000_000;

/** Contract: never throws. Undefined where the tab holds no draft, or something else. */
export function readDraft(stored: string | null): Draft | undefined {
  if (stored === null) return undefined;
  try {
    const { text, was } = (JSON.parse(stored) ?? {}) as Record<keyof Draft, unknown>;
    return typeof text === 'string' && typeof was === 'string' ? { text, was } : undefined;
  } catch {
    return undefined;
  }
}

export function draftOf(of: string): Draft | undefined {
  try {
    return readDraft(sessionStorage.getItem(nameOf(of)));
  } catch {
    // A browser that keeps nothing.
    return undefined;
  }
}

export function keepDraft(of: string, draft: Draft): void {
  try {
    if (draft.text === draft.was || draft.text.length > longest) sessionStorage.removeItem(nameOf(of));
    else sessionStorage.setItem(nameOf(of), JSON.stringify(draft));
  } catch {
    // It holds as long as the editor is open then.
  }
}

export function dropDraft(of: string): void {
  try {
    sessionStorage.removeItem(nameOf(of));
  } catch {
    // There is none.
  }
}

// Text that the person typed and did not save. It survives a reload and a change of page, and is lost when the tab closes.

export interface Draft {
  readonly text: string;
  /** The text before the edit, so that saving can detect a change by another program. */
  readonly was: string;
}

const nameOf = (of: string): string => `holdfast-draft ${of}`;
/** Longer drafts are not kept. */
const longest = 1_000_000;

/** Contract: never throws. Undefined if the tab holds no draft, or something else under its name. */
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
    // This browser stores nothing.
    return undefined;
  }
}

export function keepDraft(of: string, draft: Draft): void {
  try {
    if (draft.text === draft.was || draft.text.length > longest) sessionStorage.removeItem(nameOf(of));
    else sessionStorage.setItem(nameOf(of), JSON.stringify(draft));
  } catch {
    // The draft then lasts only while the editor is open.
  }
}

export function dropDraft(of: string): void {
  try {
    sessionStorage.removeItem(nameOf(of));
  } catch {
    // This browser stores nothing, so there is no draft.
  }
}

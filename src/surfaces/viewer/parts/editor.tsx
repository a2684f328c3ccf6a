import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { draftOf, dropDraft, keepDraft } from '../drafts.ts';
import { Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';

/** Edits a text in place. Saving passes the original text too, so that it does not overwrite another change unnoticed. */
export function Editor({
  of,
  label,
  text: before,
  rows,
  save,
  leave,
}: {
  /** Names the edited text. Its draft in this tab is loaded, if there is one. */
  of: string;
  label: string;
  text: string;
  rows: number;
  save: (text: string, was: string) => Promise<void>;
  leave: () => void;
}) {
  const [draft] = useState(() => draftOf(of));
  const [was] = useState(draft?.was ?? before);
  const [text, setText] = useState(draft?.text ?? before);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const field = useRef<HTMLTextAreaElement>(null);
  // Before it is drawn: later, it would move the cursor of a person who selects or types at once.
  useLayoutEffect(() => {
    field.current?.focus();
    // Start at the top of the text.
    field.current?.setSelectionRange(0, 0);
    if (field.current !== null) field.current.scrollTop = 0;
  }, []);
  const type = (next: string) => {
    setText(next);
    keepDraft(of, { text: next, was });
  };
  const discard = () => {
    dropDraft(of);
    leave();
  };
  const stop = () => (text === was ? discard() : setAsking(true));
  const isReady = !busy && text !== was && text.trim() !== '';
  const submit = () => {
    if (!isReady) return;
    setBusy(true);
    setFailure(undefined);
    save(text, was).then(
      () => dropDraft(of),
      (error: Failure) => {
        setFailure(error);
        setBusy(false);
      },
    );
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        aria-label={label}
        rows={rows}
        value={text}
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') stop();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      {draft && <p class="dim">This is your unsaved draft.</p>}
      {failure && <Trouble failure={failure} />}
      {asking && (
        <Dialog title="Discard your changes?" onClose={() => setAsking(false)}>
          <div class="actions">
            <button type="button" class="danger strong" onClick={discard}>
              Discard
            </button>
            <button type="button" data-first onClick={() => setAsking(false)}>
              Keep editing
            </button>
          </div>
        </Dialog>
      )}
      <div class="actions">
        <button type="submit" class="strong" disabled={!isReady}>
          Save
        </button>
        <button type="button" onClick={stop}>
          Cancel
        </button>
        <span class="dim">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> saves, <kbd>Esc</kbd> leaves
        </span>
      </div>
    </form>
  );
}

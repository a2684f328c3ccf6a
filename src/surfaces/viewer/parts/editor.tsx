import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { Trouble } from './answered.tsx';

/** A text in place. What was there when the person began goes along, so that nobody else's change is lost unseen. */
export function Editor({
  label,
  text: before,
  rows,
  save,
  leave,
}: {
  label: string;
  text: string;
  rows: number;
  save: (text: string, was: string) => Promise<void>;
  leave: () => void;
}) {
  const [was] = useState(before);
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isReady = !busy && text !== was && text.trim() !== '';
  const submit = () => {
    if (!isReady) return;
    setBusy(true);
    setFailure(undefined);
    save(text, was).catch((error: Failure) => {
      setFailure(error);
      setBusy(false);
    });
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
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') leave();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      {failure && <Trouble failure={failure} />}
      <div class="actions">
        <button type="submit" class="strong" disabled={!isReady}>
          Save
        </button>
        <button type="button" onClick={leave}>
          Cancel
        </button>
        <span class="dim">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> saves, <kbd>Esc</kbd> leaves
        </span>
      </div>
    </form>
  );
}

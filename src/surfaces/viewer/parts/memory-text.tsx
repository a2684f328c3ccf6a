// A page of memory, to read and to edit in place.
import { useState } from 'preact/hooks';
import type { Reads } from '../answers.ts';
import { change } from '../api.ts';
import { draftOf } from '../drafts.ts';
import { Editor } from './editor.tsx';
import { MemoryMarkdown } from './markdown.tsx';

export function MemoryText({ shown, again }: { shown: Reads['memory show']; again: () => void }) {
  const [editing, setEditing] = useState(() => draftOf(shown.page) !== undefined);
  if (editing)
    return (
      <Editor
        of={shown.page}
        label={`Text of ${shown.page}`}
        text={shown.text}
        rows={24}
        save={async (text, was) => {
          await change('memory edit', { name: shown.page, text, was });
          setEditing(false);
          again();
        }}
        leave={() => setEditing(false)}
      />
    );
  return (
    <article>
      <div class="actions">
        <button type="button" onClick={() => setEditing(true)}>
          Edit
        </button>
        <span class="dim path">{shown.file}</span>
      </div>
      <MemoryMarkdown text={withoutFront(shown.text)} />
    </article>
  );
}

/** Removes the front matter, which is for programs. */
export const withoutFront = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n/, '');

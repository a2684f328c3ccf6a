// A person's labels for a session: a star, another name, tags.
import { useState } from 'preact/hooks';
import type { Session } from '../answers.ts';
import { change, type Failure } from '../api.ts';
import { address } from '../router.ts';
import { Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';

/** Calls `changed` after a label has changed. */
export function SessionLabels({ session, changed }: { session: Session; changed: () => void }) {
  const { id, agent, starred = false, tags = [] } = session;
  const [naming, setNaming] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const attempt = (work: Promise<unknown>) => work.then(changed, setFailure);
  return (
    <>
      <p class="labels">
        <button
          type="button"
          class="quiet star"
          aria-pressed={starred}
          aria-label="Starred"
          title={starred ? 'Starred' : 'Star this session'}
          onClick={() => attempt(change('star', { id, agent, remove: starred }))}
        >
          {starred ? '★' : '☆'}
        </button>
        {tags.map((tag) => (
          <a key={tag} class="tag" href={address('sessions', {}, { tag })}>
            #{tag}
          </a>
        ))}
        <button type="button" class="quiet" onClick={() => setNaming(true)}>
          Name and tags…
        </button>
      </p>
      {failure && <Trouble failure={failure} />}
      {naming && (
        <Naming
          session={session}
          onClose={() => setNaming(false)}
          onSaved={() => {
            setNaming(false);
            changed();
          }}
        />
      )}
    </>
  );
}

function Naming({ session, onClose, onSaved }: { session: Session; onClose: () => void; onSaved: () => void }) {
  const { id, agent, tags = [] } = session;
  const [title, setTitle] = useState(session.title);
  const [words, setWords] = useState(tags.join(' '));
  const [failure, setFailure] = useState<Failure>();
  const save = async () => {
    const wanted = words
      .toLowerCase()
      .split(/[\s,#]+/)
      .filter((word) => word !== '');
    const gone = tags.filter((tag) => !wanted.includes(tag));
    const fresh = wanted.filter((tag) => !tags.includes(tag));
    try {
      if (title.trim() !== session.title) await change('name', { id, agent, title });
      if (gone.length > 0) await change('tag', { id, agent, tags: gone, remove: true });
      if (fresh.length > 0) await change('tag', { id, agent, tags: fresh });
      onSaved();
    } catch (error) {
      setFailure(error as Failure);
    }
  };
  return (
    <Dialog title="Name and tags" onClose={onClose}>
      <form
        class="naming"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          Name (empty: its own title)
          <input value={title} maxLength={200} onInput={(event) => setTitle(event.currentTarget.value)} />
        </label>
        <label>
          Tags, separated by spaces
          <input value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        {failure && <Trouble failure={failure} />}
        <div class="actions">
          <button type="submit" class="strong">
            Save
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

// The statements of a page: the source of each, all its versions with their changes, and a way to restore one.
import { useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Memory, MemoryVersion, Reads } from '../answers.ts';
import { change, type Failure, read } from '../api.ts';
import { draftOf } from '../drafts.ts';
import { sessionAddress } from '../router.ts';
import { plural } from '../time.ts';
import { Answered, Trouble } from './answered.tsx';
import { Difference } from './difference.tsx';
import { Editor } from './editor.tsx';
import { Forget } from './forget.tsx';
import { Markdown } from './markdown.tsx';
import { Ago } from './moment.tsx';

const sources = {
  conversation: 'from a conversation',
  remembered: 'asked to remember',
  promoted: 'promoted',
  person: 'written by you',
} as const;

type Shown = Reads['memory show'];

export function Statements({ shown, focus, again }: { shown: Shown; focus: string; again: () => void }) {
  const history = useAnswer(
    `history ${shown.page} ${JSON.stringify(shown.memories)}`,
    (signal) => read('memory history', { name: shown.page }, signal),
    ({ kind }) => kind === 'memory',
  );
  const refresh = () => {
    again();
    history.again();
  };
  return (
    <Answered answer={history} rows={5}>
      {({ memories }) => {
        const gone = memories.filter(({ id }) => !shown.memories.some((one) => one.id === id));
        return (
          <ul class="statements">
            {shown.memories.map((memory) => (
              <Statement
                key={memory.id}
                memory={memory}
                versions={memories.find(({ id }) => id === memory.id)?.versions ?? []}
                focused={memory.id === focus}
                again={refresh}
              />
            ))}
            {gone.map(({ id, versions }) => (
              <li key={id} class="statement gone">
                <p class="dim">Removed</p>
                <Versions id={id} versions={versions} again={refresh} />
              </li>
            ))}
          </ul>
        );
      }}
    </Answered>
  );
}

function Statement({
  memory,
  versions,
  focused,
  again,
}: {
  memory: Memory;
  versions: readonly MemoryVersion[];
  focused: boolean;
  again: () => void;
}) {
  const [editing, setEditing] = useState(() => draftOf(memory.id) !== undefined);
  return (
    <li id={memory.id} class={`statement${focused ? ' focused' : ''}`}>
      {editing ? (
        <Editor
          of={memory.id}
          label="Text of this statement"
          text={memory.text}
          rows={4}
          save={async (text, was) => {
            await change('memory edit', { name: memory.id, text, was });
            setEditing(false);
            again();
          }}
          leave={() => setEditing(false)}
        />
      ) : (
        <Markdown text={memory.text} />
      )}
      <p class="row-meta">
        <span>{sources[memory.source]}</span>
        {memory.session !== '' && <a href={sessionAddress(memory.session)}>open session</a>}
        <Ago at={memory.at} />
        <span class="path">{memory.id}</span>
      </p>
      {!editing && (
        <div class="actions">
          <button type="button" onClick={() => setEditing(true)}>
            Edit
          </button>
          <Forget id={memory.id} title="Forget this for good?" done={again}>
            Forget…
          </Forget>
        </div>
      )}
      {versions.length > 1 && <Versions id={memory.id} versions={versions} again={again} />}
    </li>
  );
}

function Versions({ id, versions, again }: { id: string; versions: readonly MemoryVersion[]; again: () => void }) {
  const [failure, setFailure] = useState<Failure>();
  const back = (to: number) =>
    void change('memory revert', { memory: id, to }).then(again, (error: Failure) => setFailure(error));
  return (
    <details class="versions">
      <summary>{plural(versions.length, 'version')}</summary>
      {failure && <Trouble failure={failure} />}
      <ol reversed>
        {versions.toReversed().map((one) => (
          <li key={one.version}>
            <p class="row-meta">
              <span>Version {one.version}</span>
              <span>{sources[one.source]}</span>
              {one.session && <a href={sessionAddress(one.session)}>open session</a>}
              {one.why && <span>{one.why}</span>}
              <Ago at={one.at} />
            </p>
            <Difference before={versions[one.version - 2]?.text ?? ''} after={one.text} />
            {one.current ? (
              <p class="dim">Current version</p>
            ) : (
              <button type="button" onClick={() => back(one.version)}>
                Revert to this
              </button>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

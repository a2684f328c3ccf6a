// All edits of a session, file by file.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Change } from '../../../schema/change.ts';
import { deedOf, pathFrom } from '../../../schema/deed.ts';
import { type DiffLine, differenceOf, sizeOf } from '../../../schema/line-difference.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { type Answer, useAnswer } from '../answer.ts';
import type { Reads } from '../answers.ts';
import { type Failure, read } from '../api.ts';
import { sessionAddress } from '../router.ts';
import { number, plural } from '../time.ts';
import { Answered, Trouble } from './answered.tsx';
import { CopyButton } from './copy-button.tsx';
import { Diff, DiffSize } from './diff.tsx';
import { Empty } from './empty.tsx';
import { Clock } from './moment.tsx';
import { useOriginal } from './pictures.tsx';
import { isCut, textsOf } from './tool-view.tsx';

/** Files beyond these are folded. */
const openFiles = 12;
/** More than a window shows. They come first, since the answer with all edits of a long session takes a while. */
const firstEdits = 40;
/** Edits in each further answer. */
const editsAtOnce = 200;
/** So many are loaded without being asked for; the browser's own search finds those. Removing more from the page would delay the next tab. */
const loadedUnasked = 400;
/** Edits in a step: a step takes some milliseconds, so that the page stays smooth. */
const atFirst = 8;
const inStep = 4;

type Edits = Reads['sessions changes'];

/** The first edits, asked for together with the head of the page. `id`: undefined if they are not shown. */
export const useFirstEdits = (id: string | undefined, matters: (change: Change) => boolean): Answer<Edits> =>
  useAnswer(
    id === undefined ? undefined : `changes ${id}`,
    (signal) => read('sessions changes', { id, limit: firstEdits }, signal),
    matters,
  );

const loadedIn = ({ files }: Edits): number => files.reduce((sum, { uses }) => sum + uses.length, 0);

/** A further answer has all files, but only its own edits. */
const joined = (before: Edits, next: Edits): Edits => ({
  ...next,
  files: next.files.map((one) => {
    const known = before.files.find(({ file }) => file === one.file);
    return known === undefined ? one : { ...one, uses: [...known.uses, ...one.uses] };
  }),
});

/** Adds further edits to the first ones, answer by answer, until there are `wanted`. */
function useEdits(id: string, first: Edits, wanted: number): { edits: Edits; failure: Failure | undefined } {
  const [edits, setEdits] = useState(first);
  const [failure, setFailure] = useState<Failure>();
  const of = useRef(first);
  useEffect(() => {
    const leaving = new AbortController();
    let all = of.current === first ? edits : first;
    of.current = first;
    const load = async () => {
      // While the edits of a session that has changed are loaded again, the old ones stay.
      if (loadedIn(all) >= loadedIn(edits) || all.left === 0) setEdits(all);
      if (all.left === 0 || loadedIn(all) >= wanted) return;
      const next = await read('sessions changes', { id, from: loadedIn(all), limit: editsAtOnce }, leaving.signal);
      all = joined(all, next);
      await load();
    };
    load()
      .then(() => setFailure(undefined))
      .catch((error: Failure) => leaving.signal.aborted || setFailure(error));
    return () => leaving.abort();
  }, [id, first, wanted]);
  return { edits, failure };
}

export const Changes = ({ id, first }: { id: string; first: Answer<Edits> }) => (
  <Answered answer={first} rows={8}>
    {(data) =>
      data.files.length === 0 ? (
        <Empty title="No file was changed" small>
          <p>The tools of this session report no changes. Commands may still have changed files.</p>
        </Empty>
      ) : (
        <AllEdits id={id} first={data} />
      )
    }
  </Answered>
);

function AllEdits({ id, first }: { id: string; first: Edits }) {
  const [wanted, setWanted] = useState(loadedUnasked);
  const { edits, failure } = useEdits(id, first, wanted);
  return (
    <>
      {failure && <Trouble failure={failure} />}
      <Files {...edits} id={id} />
      {edits.left > 0 && loadedIn(edits) >= wanted && (
        <p>
          <button type="button" onClick={() => setWanted(wanted + loadedUnasked)}>
            Show {edits.left > loadedUnasked ? `the next ${number(loadedUnasked)} of ` : ''}
            {plural(edits.left, 'more edit')}
          </button>
        </p>
      )}
    </>
  );
}

/** Draws the edits in steps until all are in the document, where the browser's own search finds them. */
function useSteps(count: number): number {
  const [drawn, setDrawn] = useState(atFirst);
  useEffect(() => {
    if (drawn >= count) return;
    const frame = requestAnimationFrame(() => setDrawn(drawn + inStep));
    return () => cancelAnimationFrame(frame);
  }, [drawn, count]);
  return drawn;
}

function Files({ files, folder, id }: Edits & { id: string }) {
  const drawn = useSteps(files.reduce((sum, { uses }) => sum + uses.length, 0));
  const outside = files.filter(({ file }) => file.startsWith('/') && pathFrom(folder, file) === file).length;
  let before = 0;
  return (
    <div class="changes">
      <p class="dim">
        {plural(files.length, 'file')} changed{outside === 0 ? '' : `, ${number(outside)} of them outside the project`}
      </p>
      {files.map(({ file, edits, uses }, i) => {
        const from = before;
        before += uses.length;
        const shown = uses.slice(0, Math.max(0, drawn - from));
        return <File key={file} {...{ file, edits, folder, id }} uses={shown} isOpen={i < openFiles} />;
      })}
    </div>
  );
}

const differences = new WeakMap<ToolUse, readonly DiffLine[]>();
/** Computed once for each edit. */
function linesOf(use: ToolUse): readonly DiffLine[] {
  const known = differences.get(use);
  if (known !== undefined) return known;
  const deed = deedOf(use);
  const lines = deed.kind === 'edit' ? differenceOf(deed.changes) : [];
  differences.set(use, lines);
  return lines;
}

function File({
  file,
  edits,
  uses,
  folder,
  id,
  isOpen,
}: {
  file: string;
  /** How many there are. */
  edits: number;
  /** Those that are shown now. */
  uses: readonly ToolUse[];
  folder: string;
  id: string;
  isOpen: boolean;
}) {
  const size = useMemo(
    // Of an edit that the store has cut, only some lines are known.
    () => (uses.length < edits || uses.some(isCut) ? undefined : sum(uses.map((use) => sizeOf(linesOf(use))))),
    [uses.length, edits],
  );
  return (
    <details class="changed-file" open={isOpen}>
      <summary>
        <code>{pathFrom(folder, file)}</code>
        {size === undefined ? <span class="diff-size">{plural(edits, 'edit')}</span> : <DiffSize {...size} />}
      </summary>
      <p class="file-actions">
        <CopyButton text={file} label="Copy the path" />
        {file.startsWith('/') && <a href={`vscode://file${encodeURI(file)}`}>Open in editor</a>}
      </p>
      {uses.map((use) => (
        <Part key={use.id} use={use} file={file} id={id} />
      ))}
    </details>
  );
}

const sum = (sizes: readonly { added: number; removed: number }[]): { added: number; removed: number } =>
  sizes.reduce((all, one) => ({ added: all.added + one.added, removed: all.removed + one.removed }), {
    added: 0,
    removed: 0,
  });

/** The same element again: what has been drawn is not compared at every step. */
const Part = ({ use, file, id }: { use: ToolUse; file: string; id: string }) =>
  useMemo(
    () => (
      <section class="changed-part">
        <a class="to-entry" href={sessionAddress(id, use.entry)}>
          <span class="unseen">To the entry, </span>
          <Clock at={use.at} />
        </a>
        {isCut(use) ? <CutDiff use={use} file={file} /> : <EditDiff use={use} file={file} />}
      </section>
    ),
    [use, file, id],
  );

const EditDiff = ({ use, file }: { use: ToolUse; file: string }) => (
  <Diff lines={linesOf(use)} label={`Edit of ${file}`} file={file} />
);

/** The store has cut the middle of a long edit; the transcript has all of it. */
function CutDiff({ use, file }: { use: ToolUse; file: string }) {
  const { original, failure, ask } = useOriginal({ id: use.entry }, use.id);
  const whole = useMemo(() => (original === undefined ? use : { ...use, ...textsOf(original) }), [use, original]);
  return (
    <>
      <EditDiff use={whole} file={file} />
      {original === undefined && (
        <button type="button" class="show-all" onClick={ask}>
          Show all of it
        </button>
      )}
      {failure && <Trouble failure={failure} />}
    </>
  );
}

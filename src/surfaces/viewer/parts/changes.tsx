// All edits of a session, file by file.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { deedOf, pathFrom } from '../../../schema/deed.ts';
import { type DiffLine, differenceOf, sizeOf } from '../../../schema/line-difference.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { useAnswer } from '../answer.ts';
import type { Reads, Session } from '../answers.ts';
import { read } from '../api.ts';
import { sessionAddress } from '../router.ts';
import { plural } from '../time.ts';
import { Answered, Trouble } from './answered.tsx';
import { CopyButton } from './copy-button.tsx';
import { Diff, DiffSize } from './diff.tsx';
import { Empty } from './empty.tsx';
import { Clock } from './moment.tsx';

/** Files beyond these are folded. */
const openFiles = 12;
/** More than a window shows. They come first, since the answer with all edits of a long session takes a while. */
const firstEdits = 40;
/** Edits in a step: a step takes some milliseconds, so that the page stays smooth. */
const atFirst = 12;
const inStep = 4;

export function Changes({ session, version }: { session: Session; version: unknown }) {
  const { id, agent } = session;
  const key = `${id} ${session.entries} ${version === undefined}`;
  const first = useAnswer(`first changes ${key}`, (signal) =>
    read('sessions changes', { id, agent, limit: firstEdits }, signal),
  );
  const isPart = first.data !== undefined && first.data.left > 0;
  const all = useAnswer(isPart ? `changes ${key}` : undefined, (signal) =>
    read('sessions changes', { id, agent }, signal),
  );
  const answer = all.data === undefined || !isPart ? first : all;
  return (
    <>
      {all.failure && <Trouble failure={all.failure} again={all.again} />}
      <Answered answer={answer} rows={8}>
        {(data) =>
          data.files.length === 0 ? (
            <Empty title="No file was changed" small>
              <p>As far as the tools of this session tell. Commands may have changed files, too.</p>
            </Empty>
          ) : (
            <Files {...data} id={id} isWhole={answer === all || !isPart} />
          )
        }
      </Answered>
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

function Files({
  files,
  left,
  folder,
  id,
  isWhole,
}: Reads['sessions changes'] & { id: string /** No more edits are on their way. */; isWhole: boolean }) {
  const drawn = useSteps(files.reduce((sum, { uses }) => sum + uses.length, 0));
  let before = 0;
  return (
    <div class="changes">
      <p class="dim">
        {plural(files.length, 'file')} changed
        {left > 0 && isWhole && `; ${plural(left, 'edit')} beyond these are left out`}
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
    () => (uses.length < edits ? undefined : sum(uses.map((use) => sizeOf(linesOf(use))))),
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
        <Diff lines={linesOf(use)} label={`Edit of ${file}`} file={file} />
      </section>
    ),
    [use, file, id],
  );

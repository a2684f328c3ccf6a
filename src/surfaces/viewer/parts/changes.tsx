// All edits of a session, file by file.
import { useMemo } from 'preact/hooks';
import { deedOf, pathFrom } from '../../../schema/deed.ts';
import { differenceOf, sizeOf } from '../../../schema/line-difference.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { useAnswer } from '../answer.ts';
import type { Session } from '../answers.ts';
import { read } from '../api.ts';
import { sessionAddress } from '../router.ts';
import { plural } from '../time.ts';
import { Answered } from './answered.tsx';
import { CopyButton } from './copy-button.tsx';
import { Diff, DiffSize } from './diff.tsx';
import { Empty } from './empty.tsx';
import { Clock } from './moment.tsx';

/** Files beyond these are folded. */
const openFiles = 12;

export function Changes({ session, version }: { session: Session; version: unknown }) {
  const { id, agent } = session;
  const answer = useAnswer(`changes ${id} ${session.entries} ${version === undefined}`, (signal) =>
    read('sessions changes', { id, agent }, signal),
  );
  return (
    <Answered answer={answer} rows={8}>
      {({ files, left, folder }) =>
        files.length === 0 ? (
          <Empty title="No file was changed" small>
            <p>As far as the tools of this session tell. Commands may have changed files, too.</p>
          </Empty>
        ) : (
          <div class="changes">
            <p class="dim">
              {plural(files.length, 'file')} changed{left > 0 && `; ${plural(left, 'edit')} beyond these are left out`}
            </p>
            {files.map(({ file, uses }, i) => (
              <File key={file} {...{ file, uses, folder, id }} isOpen={i < openFiles} />
            ))}
          </div>
        )
      }
    </Answered>
  );
}

function File({
  file,
  uses,
  folder,
  id,
  isOpen,
}: {
  file: string;
  uses: readonly ToolUse[];
  folder: string;
  id: string;
  isOpen: boolean;
}) {
  const edits = useMemo(
    () =>
      uses.map((use) => {
        const deed = deedOf(use);
        return { use, lines: deed.kind === 'edit' ? differenceOf(deed.changes) : [] };
      }),
    [uses],
  );
  const size = edits
    .map(({ lines }) => sizeOf(lines))
    .reduce((sum, one) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }));
  return (
    <details class="changed-file" open={isOpen}>
      <summary>
        <code>{pathFrom(folder, file)}</code>
        <DiffSize {...size} />
      </summary>
      <p class="file-actions">
        <CopyButton text={file} label="Copy the path" />
        {file.startsWith('/') && <a href={`vscode://file${encodeURI(file)}`}>Open in editor</a>}
      </p>
      {edits.map(({ use, lines }) => (
        <section key={use.id} class="changed-part">
          <a class="to-entry" href={sessionAddress(id, use.entry)}>
            <span class="unseen">To the entry, </span>
            <Clock at={use.at} />
          </a>
          <Diff lines={lines} label={`Edit of ${file}`} file={file} />
        </section>
      ))}
    </details>
  );
}

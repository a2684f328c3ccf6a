// What was distilled from a session: its summary, its observations in order of time, and the files it touched.
import type { Observation, Session, Summary, TouchedFile } from '../answers.ts';
import { address, sessionAddress } from '../router.ts';
import { plural } from '../time.ts';
import { Inline } from './inline.tsx';
import { Clock } from './moment.tsx';
import { SessionLedger } from './session-ledger.tsx';
import { WhenSeen } from './when-seen.tsx';

const fields = [
  ['request', 'Asked for'],
  ['investigated', 'Investigated'],
  ['learned', 'Learned'],
  ['completed', 'Done'],
  ['nextSteps', 'Next'],
  ['notes', 'Notes'],
] as const satisfies readonly (readonly [keyof Summary, string])[];

export function SessionAccount({
  session,
  files,
  summary,
  observations,
}: {
  session: Session;
  files: readonly TouchedFile[];
  summary: Summary | undefined;
  observations: readonly Observation[];
}) {
  const inOrder = [...observations].sort((a, b) => a.prompt - b.prompt);
  const names = (wanted: boolean) => files.filter(({ modified }) => modified > 0 === wanted).map(({ file }) => file);
  return (
    <>
      <Files title="Files changed" files={names(true)} session={session.id} />
      {inOrder.length > 0 && (
        <>
          <h2>Timeline</h2>
          <ol class="steps">
            {inOrder.map((one) => (
              <li key={one.id}>
                <Clock at={one.at} />
                <a href={sessionAddress(session.id, one.entries[0])}>
                  <Inline text={one.title} />
                </a>
                <span class={`kind ${one.type}`}>{one.type}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      <h2>Summary</h2>
      {summary === undefined ? (
        <p class="dim">None yet. Holdfast writes it after the session has been silent for a while.</p>
      ) : (
        <dl class="account">
          {fields
            .filter(([name]) => summary[name] !== '')
            .map(([name, title]) => (
              <div key={name}>
                <dt>{title}</dt>
                <dd>
                  <Inline text={summary[name]} />
                </dd>
              </div>
            ))}
        </dl>
      )}
      <Files title="Files read" files={names(false)} />
      <WhenSeen>
        <SessionLedger session={session} />
      </WhenSeen>
    </>
  );
}

const fewFiles = 30;

/** `session`: links the names to the session's changes. */
function Files({ title, files, session }: { title: string; files: readonly string[]; session?: string }) {
  if (files.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <FileList files={files.slice(0, fewFiles)} session={session} />
      {files.length > fewFiles && (
        <details class="files-rest">
          <summary>{plural(files.length - fewFiles, 'more file', 'more files')}</summary>
          <FileList files={files.slice(fewFiles)} session={session} />
        </details>
      )}
    </>
  );
}

const FileList = ({ files, session }: { files: readonly string[]; session: string | undefined }) => (
  <ul class="files">
    {files.map((file) => (
      <li key={file}>
        {session === undefined ? file : <a href={address('session', { id: session }, { tab: 'changes' })}>{file}</a>}
      </li>
    ))}
  </ul>
);

// Distilling jobs: which wait, and which failed and why. The person can retry or cancel them.
import { useState } from 'preact/hooks';
import { useAnswer, useLooking } from '../answer.ts';
import type { Job } from '../answers.ts';
import { change, type Failure, read } from '../api.ts';
import { address, here, sessionAddress, setQuery } from '../router.ts';
import { number, plural } from '../time.ts';
import { Answered, Trouble } from './answered.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './filters.tsx';
import { Ago } from './moment.tsx';

/** A failed job sends no change, so poll while the page is visible. */
const lookMs = 5000;
const statuses = ['ready', 'claimed', 'failed', 'cancelled', 'done'] as const;
const kinds = { observe: 'observe a turn', summarize: 'summarize', remember: 'remember a conversation' } as const;

export function Jobs() {
  const query = here.value.searchParams;
  const status = query.get('status') ?? '';
  const one = query.get('job') ?? undefined;
  const answer = useAnswer(
    `jobs ${status} ${one}`,
    (signal) => read('jobs', { status: status === '' ? undefined : status, job: one, limit: 50 }, signal),
    ({ kind }) => kind !== 'state',
  );
  const again = answer.again;
  useLooking(again, lookMs);
  const [failure, setFailure] = useState<Failure>();
  const [said, setSaid] = useState('');
  const [leaving, setLeaving] = useState<Job>();
  const attempt = (work: () => Promise<string>) => {
    setFailure(undefined);
    setSaid('');
    work().then(setSaid, setFailure).finally(again);
  };
  return (
    <>
      <h2 id="jobs">Distilling</h2>
      <div class="actions">
        <Field
          label="Jobs"
          value={status}
          options={[['', 'not done'], ...statuses.map((name) => [name, name] as const)]}
          onChange={(chosen) => setQuery({ status: chosen, job: '' })}
        />
        {(answer.data?.counts.failed ?? 0) > 0 && (
          <button
            type="button"
            onClick={() =>
              attempt(
                async () =>
                  `${plural((await change('jobs retry', { failed: true })).retried, 'job')} will be tried again`,
              )
            }
          >
            Retry all {number(answer.data?.counts.failed ?? 0)} failed jobs
          </button>
        )}
        {one !== undefined && <a href={address('health')}>All jobs</a>}
        <span class="dim" role="status">
          {said}
        </span>
      </div>
      {failure && <Trouble failure={failure} />}
      <Answered answer={answer} rows={4}>
        {({ jobs, counts }) => (
          <>
            <p class="dim">
              {statuses.map((name) => `${number(counts[name])} ${name}`).join(', ')}
              {jobs.length === 50 && '; the last 50 to change:'}
            </p>
            {jobs.length === 0 ? (
              <p>
                {status === '' ? 'No jobs are waiting or running, and none has failed.' : 'There are no such jobs.'}
              </p>
            ) : (
              <ul class="jobs">
                {jobs.map((job) => (
                  <li key={job.id} id={`job-${job.id}`}>
                    <JobRow job={job} />
                    <JobButtons job={job} attempt={attempt} cancel={() => setLeaving(job)} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Answered>
      {leaving && (
        <CancelJob
          job={leaving}
          close={() => setLeaving(undefined)}
          cancel={() =>
            attempt(async () => `Job ${(await change('jobs cancel', { job: leaving.id })).cancelled} is cancelled`)
          }
        />
      )}
    </>
  );
}

function JobButtons({
  job,
  attempt,
  cancel,
}: {
  job: Job;
  attempt: (work: () => Promise<string>) => void;
  cancel: () => void;
}) {
  const retry = async () => {
    await change('jobs retry', { job: job.id });
    return `Job ${job.id} will be tried again`;
  };
  return (
    <span class="actions">
      {(job.status === 'failed' || job.status === 'cancelled') && (
        <button type="button" aria-label={`Try job ${job.id} again`} onClick={() => attempt(retry)}>
          Try again
        </button>
      )}
      {job.status !== 'done' && job.status !== 'cancelled' && (
        <button type="button" class="danger" aria-label={`Cancel job ${job.id}…`} onClick={cancel}>
          Cancel…
        </button>
      )}
    </span>
  );
}

function CancelJob({ job, close, cancel }: { job: Job; close: () => void; cancel: () => void }) {
  return (
    <Dialog title={`Cancel job ${job.id}?`} onClose={close}>
      <p>
        The job ({kinds[job.kind]}, session {job.session.slice(0, 8)}, {job.project || 'no project'}) will not run.
        Nothing that is stored is deleted. The job comes back when the session continues, or when you retry it.
      </p>
      <div class="actions">
        <button
          type="button"
          class="danger strong"
          onClick={() => {
            close();
            cancel();
          }}
        >
          Cancel the job
        </button>
        <button type="button" onClick={close}>
          Keep the job
        </button>
      </div>
    </Dialog>
  );
}

function JobRow({
  job: { id, kind, status, session, project, attempts, error, waitsFor, by, tokens, updatedAt },
}: {
  job: Job;
}) {
  return (
    <div>
      <span class={`kind job-${status}`}>{status}</span> <a href={address('health', {}, { job: String(id) })}>{id}</a>:{' '}
      {kinds[kind]} of <a href={sessionAddress(session)}>{session.slice(0, 8)}</a>
      <span class="row-meta">
        <span>{project || 'no project'}</span>
        {attempts > 0 && <span>{plural(attempts, 'attempt')}</span>}
        {waitsFor && <span>waits for the {waitsFor}</span>}
        {by && <span>by {by}</span>}
        {tokens > 0 && <span>{plural(tokens, 'token')}</span>}
        <Ago at={updatedAt} />
      </span>
      {error && <p class="hint">{error}</p>}
    </div>
  );
}

// One session: what it was about, what was said, with tools folded, and what can be done with it.
import { useMemo, useState } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import type { Session } from '../answers.ts';
import { read } from '../api.ts';
import { About } from '../parts/about.tsx';
import { Answered } from '../parts/answered.tsx';
import { Ago } from '../parts/moment.tsx';
import { SessionAccount } from '../parts/session-account.tsx';
import { SessionActions } from '../parts/session-actions.tsx';
import { agentTitle } from '../parts/session-row.tsx';
import { Transcript } from '../parts/transcript.tsx';
import { address, here } from '../router.ts';
import { lasted, plural } from '../time.ts';
import { useTitle } from '../title.ts';

const concerns = (id: string) => (change: { kind: string; session?: string | undefined }) =>
  change.kind === 'gone' || change.session === id;

export function SessionPage({ id }: { id: string }) {
  const matters = useMemo(() => concerns(id), [id]);
  const head = useAnswer(`head ${id}`, (signal) => read('show', { id, limit: 1, files: true }, signal), matters);
  const account = useAnswer(
    `account ${id}`,
    async (signal) => {
      const [{ summaries }, { observations }] = await Promise.all([
        read('summaries', { session: id, limit: 1 }, signal),
        read('observations', { session: id, limit: 200 }, signal),
      ]);
      return { summary: summaries[0], observations };
    },
    matters,
  );
  const [subagents, setSubagents] = useState(false);
  const focus = decodeURIComponent(here.value.hash.slice(1)) || undefined;
  useTitle(head.data && (head.data.session.title || 'Untitled session'));
  return (
    <section class="page session">
      <Answered answer={head} rows={4}>
        {({ session, total, files = [] }) => (
          <>
            <Head session={session} />
            <div class="columns reading">
              <div class="transcript-column">
                {session.subagentEntries > 0 && (
                  <label class="check">
                    <input
                      type="checkbox"
                      checked={subagents}
                      onChange={(event) => setSubagents(event.currentTarget.checked)}
                    />
                    Also what subagents said ({plural(session.subagentEntries, 'entry', 'entries')})
                  </label>
                )}
                <p class="on-paper">
                  Only what was on the screen is on this page. The whole session as Markdown:{' '}
                  <code>holdfast archive {session.id}</code>
                </p>
                <Transcript
                  key={`${subagents}`}
                  session={session}
                  version={head.data}
                  total={total}
                  subagents={subagents}
                  withSubagents={() => setSubagents(true)}
                  focus={focus}
                />
              </div>
              <aside aria-label="About this session">
                <About title="Summary, timeline and files">
                  <Answered answer={account} rows={5}>
                    {(found) => <SessionAccount session={session} files={files} {...found} />}
                  </Answered>
                </About>
              </aside>
            </div>
          </>
        )}
      </Answered>
    </section>
  );
}

function Head({ session }: { session: Session }) {
  return (
    <header class="page-head">
      <h1>{session.title || 'Untitled session'}</h1>
      <p class="row-meta">
        <a href={address('project', { path: session.projectPath })}>{session.project || 'no project'}</a>
        <span>{agentTitle(session.agent)}</span>
        <span>{plural(session.entries, 'entry', 'entries')}</span>
        <span>{plural(session.toolUses, 'tool use')}</span>
        <span>{lasted(session.startedAt, session.endedAt)}</span>
        <Ago at={session.endedAt} />
      </p>
      <SessionActions session={session} />
    </header>
  );
}

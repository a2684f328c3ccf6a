// One session: its transcript with folded tools, its changes, its briefing, and actions.
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Answer, useAnswer } from '../answer.ts';
import type { Observation, Reads, Session, Summary, TouchedFile } from '../answers.ts';
import { read } from '../api.ts';
import { About } from '../parts/about.tsx';
import { Answered } from '../parts/answered.tsx';
import { BriefingGiven } from '../parts/briefing-given.tsx';
import { Changes, useFirstEdits } from '../parts/changes.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { FindInSession } from '../parts/find-in-session.tsx';
import { Inline } from '../parts/inline.tsx';
import { Ago } from '../parts/moment.tsx';
import { Outline } from '../parts/outline.tsx';
import { SessionAccount } from '../parts/session-account.tsx';
import { SessionActions } from '../parts/session-actions.tsx';
import { SessionLabels } from '../parts/session-labels.tsx';
import { agentTitle } from '../parts/session-row.tsx';
import { pageSize, Transcript } from '../parts/transcript.tsx';
import { promptsAtOnce } from '../prompt-window.ts';
import { address, here } from '../router.ts';
import { lasted, plural } from '../time.ts';
import { useTitle } from '../title.ts';

const concerns = (id: string) => (change: { kind: string; session?: string | undefined }) =>
  change.kind === 'gone' || change.session === id;

export function SessionPage({ id }: { id: string }) {
  const matters = useMemo(() => concerns(id), [id]);
  const tab = here.value.searchParams.get('tab') ?? '';
  // The transcript comes with its first entries, so that they need no request of their own. The other tabs need none.
  const [{ limit }] = useState({ limit: tab === '' ? pageSize : 1 });
  const head = useAnswer(`head ${id} ${limit}`, (signal) => read('show', { id, limit }, signal), matters);
  const edits = useFirstEdits(tab === 'changes' ? id : undefined, matters);
  const account = useAnswer(
    `account ${id}`,
    async (signal) => {
      // Fetch all together: a later answer would push down what the person is reading.
      const [{ summaries }, { observations }, outline, { files = [] }] = await Promise.all([
        read('summaries', { session: id, limit: 1 }, signal),
        read('observations', { session: id, limit: 200 }, signal),
        read('sessions outline', { id, limit: promptsAtOnce }, signal),
        read('show', { id, limit: 1, files: true }, signal),
      ]);
      return { summary: summaries[0], observations, outline, files };
    },
    matters,
  );
  useTitle(head.data && (head.data.session.title || 'Untitled session'));
  return (
    <section class="page session">
      <Answered answer={head} rows={4}>
        {(shown) => (
          <>
            <Head session={shown.session} changed={head.again} />
            <Reading shown={shown} account={account} tab={tab} edits={edits} />
          </>
        )}
      </Answered>
    </section>
  );
}

const headIsSeen = signal(true);

const tabs = [
  ['', 'Transcript'],
  ['changes', 'Changes'],
  ['briefing', 'Briefing'],
] as const;

type Account = {
  summary: Summary | undefined;
  observations: Observation[];
  outline: Reads['sessions outline'];
  files: TouchedFile[];
};

function Reading({
  shown,
  account,
  tab,
  edits,
}: {
  shown: Reads['show'];
  account: Answer<Account>;
  tab: string;
  edits: Answer<Reads['sessions changes']>;
}) {
  const { session, total } = shown;
  const [subagents, setSubagents] = useState(false);
  const focus = decodeURIComponent(here.value.hash.slice(1)) || undefined;
  return (
    <>
      <div class="session-bar">
        <nav aria-label="Parts of this session">
          {tabs.map(([name, title]) => (
            <a
              key={name}
              href={address('session', { id: session.id }, { tab: name })}
              aria-current={tab === name ? 'true' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <span class="session-bar-title" aria-hidden="true">
          {!headIsSeen.value && session.title}
        </span>
        {tab === '' && <FindInSession session={session} subagents={subagents} />}
      </div>
      <div class="columns reading">
        <div class="transcript-column">
          {tab === 'changes' && <Changes id={session.id} first={edits} />}
          {tab === 'briefing' && <BriefingGiven session={session} />}
          {tab === '' && (
            <>
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
                This page has only what was on the screen. For the whole session:{' '}
                <code>holdfast archive {session.id} --format html</code>
              </p>
              <Transcript
                key={`${subagents}`}
                session={session}
                version={shown}
                total={total}
                first={shown.from === 0 && shown.entries.length > 1 ? shown.entries : []}
                subagents={subagents}
                withSubagents={() => setSubagents(true)}
                focus={focus}
              />
            </>
          )}
        </div>
        <aside aria-label="About this session">
          <About title="Prompts, files and summary">
            <Answered answer={account} rows={5}>
              {({ outline, ...found }) => (
                <>
                  {tab === '' && <Outline id={session.id} first={outline} focus={focus} />}
                  <SessionAccount session={session} {...found} />
                </>
              )}
            </Answered>
          </About>
        </aside>
      </div>
    </>
  );
}

function Head({ session, changed }: { session: Session; changed: () => void }) {
  const place = useRef<HTMLElement>(null);
  // While the head is out of sight, the sticky bar shows the title.
  useEffect(() => {
    const observer = new IntersectionObserver(([seen]) => {
      headIsSeen.value = seen?.isIntersecting ?? true;
    });
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return (
    <header class="page-head" ref={place}>
      <h1>
        <Inline text={session.title || 'Untitled session'} />
      </h1>
      <p class="row-meta">
        <a href={address('project', { path: session.projectPath })}>{session.project || 'no project'}</a>
        <span>{agentTitle(session.agent)}</span>
        <span>{plural(session.entries, 'entry', 'entries')}</span>
        <span>{plural(session.toolUses, 'tool use')}</span>
        <span>{lasted(session.startedAt, session.endedAt)}</span>
        <Ago at={session.endedAt} />
        {session.branch && <span class="branch">{(session.branches ?? [session.branch]).join(', ')}</span>}
        {(session.links ?? []).filter(isWeb).map((link) => (
          <a key={link} href={link} target="_blank" rel="noopener noreferrer nofollow">
            {link.replace(/^https?:\/\/(?:www\.)?/, '')}
          </a>
        ))}
        <span>
          {session.id.slice(0, 8)} <CopyButton text={session.id} label="Copy the id of this session" />
        </span>
      </p>
      <div class="head-actions">
        <SessionLabels session={session} changed={changed} />
        <SessionActions session={session} />
      </div>
    </header>
  );
}

const isWeb = (link: string): boolean => /^https?:\/\//.test(link);

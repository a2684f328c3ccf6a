import { useEffect } from 'preact/hooks';
import type { ViewerPage } from '../../schema/viewer-page.ts';
import { locked } from './api.ts';
import { isTyping } from './in-sight.ts';
import { Compare } from './pages/compare.tsx';
import { Costs } from './pages/costs.tsx';
import { GroupPage, Groups } from './pages/groups.tsx';
import { Health } from './pages/health.tsx';
import { Locked } from './pages/locked.tsx';
import { MemoryPage } from './pages/memory.tsx';
import { Now } from './pages/now.tsx';
import { ProjectPage, Projects } from './pages/projects.tsx';
import { Search } from './pages/search.tsx';
import { SessionPage } from './pages/session.tsx';
import { Sessions } from './pages/sessions.tsx';
import { Timeline } from './pages/timeline.tsx';
import { Empty } from './parts/empty.tsx';
import { Frame } from './parts/frame.tsx';
import { Keys } from './parts/keys.tsx';
import { Palette } from './parts/palette.tsx';
import { address, go, here, placeOf } from './router.ts';
import { useTitle } from './title.ts';

type Params = Readonly<Record<string, string>>;

const pages: Readonly<Record<ViewerPage, (params: Params) => preact.JSX.Element>> = {
  now: () => <Now />,
  search: () => <Search />,
  sessions: () => <Sessions />,
  session: ({ id = '' }) => <SessionPage key={id} id={id} />,
  timeline: () => <Timeline />,
  memory: () => <MemoryPage name={undefined} />,
  memoryPage: ({ page = '' }) => <MemoryPage name={page} />,
  projects: () => <Projects />,
  project: ({ path = '' }) => <ProjectPage key={path} path={path} />,
  compare: () => <Compare />,
  groups: () => <Groups />,
  group: ({ group = '' }) => <GroupPage key={group} group={group} />,
  costs: () => <Costs />,
  health: () => <Health />,
};

export function App() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      // The search page focuses its field when it opens.
      if (here.value.pathname === address('search')) document.getElementById('search-field')?.focus();
      else go(address('search'));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (locked.value) return <Locked />;
  const { page, params } = placeOf(here.value.pathname);
  return (
    <>
      <Frame page={page}>{page === undefined ? <Nowhere /> : pages[page](params)}</Frame>
      <Keys />
      <Palette />
    </>
  );
}

function Nowhere() {
  useTitle('No such page');
  return (
    <section class="page">
      <h1 class="unseen">No such page</h1>
      <Empty title="There is no such page">
        <a href={address('now')}>Go to start page</a>
      </Empty>
    </section>
  );
}

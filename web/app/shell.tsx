// What is around every page: side bar, top bar, the strip about a simulated model.
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, lazy, useEffect } from 'react';
import { followTeam } from '../live/team-news.ts';
import { ErrorState, Skeleton } from '../ui/surface.tsx';
import { SideBar } from './side-bar.tsx';
import { useNeedsYou } from '../session/needs-you.ts';
import { setTitleCount } from '../ui/page-title.ts';
import { useMe } from '../session/me.ts';

// Menus and dialogs are half as large as all the rest of the frame: they come after the page.
const LivePill = lazy(async () => ({ default: (await import('./live-pill.tsx')).LivePill }));
const AccountMenu = lazy(async () => ({
  default: (await import('./account-menu.tsx')).AccountMenu,
}));
const SmallScreenNav = lazy(async () => ({
  default: (await import('./small-screen-nav.tsx')).SmallScreenNav,
}));

const CommandBar = lazy(async () => ({
  default: (await import('./command-bar.tsx')).CommandBar,
}));
const Notices = lazy(async () => ({ default: (await import('./notices.tsx')).Notices }));
const SimulatedStrip = lazy(async () => ({
  default: (await import('./simulated-strip.tsx')).SimulatedStrip,
}));

function useTopOnNavigation(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  useEffect(() => {
    document.querySelector<HTMLElement>('main')?.scrollTo(0, 0);
  }, [path]);
}

export function Shell() {
  useEffect(followTeam, []);
  const me = useMe();
  useTopOnNavigation();
  const needsYou = useNeedsYou();
  useEffect(() => setTitleCount(needsYou), [needsYou]);
  return (
    <div className="flex h-dvh">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <aside className="hidden w-52 shrink-0 border-r border-line bg-surface lg:block">
        <SideBar />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="shrink-0">
          <div className="flex h-12 items-center gap-2 border-b border-line bg-surface px-3 lg:px-6">
            <Suspense>
              <SmallScreenNav />
            </Suspense>
            <Suspense>
              <CommandBar />
            </Suspense>
            <div className="flex-1" />
            <Suspense>
              <LivePill />
              <AccountMenu />
            </Suspense>
          </div>
          <Suspense>
            <SimulatedStrip />
            <Notices />
          </Suspense>
        </header>
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          <div className="mx-auto max-w-[90rem] px-4 py-6 lg:px-6">
            {me.data ? (
              <Outlet />
            ) : me.error ? (
              <ErrorState error={me.error} onRetry={() => void me.refetch()} />
            ) : (
              <Skeleton />
            )}
          </div>
        </main>
      </div>
    </div>
  );
}

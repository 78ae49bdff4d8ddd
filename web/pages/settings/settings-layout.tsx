// Settings: its own navigation on the left, above the page on small screens.
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { cx } from '../../ui/class-names.ts';
import { EmptyState, Skeleton } from '../../ui/surface.tsx';
import { SETTINGS_PAGES } from './settings-pages.ts';

function SettingsNav({ current }: { current: string }) {
  const nav = useRef<HTMLElement>(null);
  // On small screens the list is wider than the page.
  useEffect(() => {
    const chosen = nav.current?.querySelector('[aria-current]');
    chosen?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [current]);
  return (
    <nav
      ref={nav}
      aria-label="Settings"
      className="flex scrollbar-none gap-1 overflow-x-auto lg:sticky lg:top-0 lg:w-44 lg:shrink-0 lg:flex-col"
    >
      {(['Team', 'You'] as const).map((group) => (
        <div key={group} className="contents">
          <p
            className={cx(
              'hidden px-2 pb-1 text-xs font-medium text-faint lg:block',
              group === 'You' && 'pt-5',
            )}
          >
            {group}
          </p>
          {SETTINGS_PAGES.filter((page) => page.group === group).map(({ path, label, Icon }) => (
            <Link
              key={path}
              to="/settings/$"
              params={{ _splat: path }}
              search={{}}
              aria-current={path === current ? 'page' : undefined}
              className={cx(
                'flex items-center gap-2 rounded-md px-2 py-1.5 text-sm font-medium whitespace-nowrap transition-colors',
                path === current
                  ? 'bg-hover text-text'
                  : 'text-soft hover:bg-hover hover:text-text',
              )}
            >
              <Icon className="size-4" />
              {label}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

export function SettingsLayout() {
  const { _splat: path = '' } = useParams({ from: '/settings/$' });
  const current = path.split('/', 1)[0] ?? '';
  if (current === '') {
    return <Navigate to="/settings/$" params={{ _splat: SETTINGS_PAGES[0]!.path }} replace />;
  }
  const page = SETTINGS_PAGES.find((each) => each.path === current);
  return (
    <div className="flex flex-col gap-6 lg:flex-row lg:gap-10">
      <SettingsNav current={current} />
      <div className="min-w-0 flex-1">
        {page ? (
          <Suspense fallback={<Skeleton />}>
            <page.Page />
          </Suspense>
        ) : (
          <EmptyState title="There is no such page">Choose one of the settings.</EmptyState>
        )}
      </div>
    </div>
  );
}

import { Link } from '@tanstack/react-router';
import { BookOpen } from '../ui/frame-icons.tsx';
import { useNeedsYou } from '../session/needs-you.ts';
import { Mark } from '../ui/mark.tsx';
import { NAV_PAGES } from './nav-pages.ts';

export function SideBar({ onNavigate }: { onNavigate?: () => void }) {
  const needsYou = useNeedsYou();
  return (
    <nav aria-label="Pages" className="flex h-full flex-col gap-1 overflow-y-auto p-3">
      <Link
        to="/"
        className="mb-3 flex items-center gap-2.5 rounded-md px-2 py-1.5 text-base font-semibold tracking-tight"
      >
        <Mark />
        Millrace
      </Link>
      {NAV_PAGES.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          {...(onNavigate ? { onClick: onNavigate } : {})}
          activeProps={{ className: 'bg-accent-soft text-accent-strong', 'aria-current': 'page' }}
          inactiveProps={{ className: 'text-soft hover:bg-hover hover:text-text' }}
          className="flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm font-medium transition-colors"
        >
          <Icon className="size-4" />
          {label}
          {to === '/approvals' && needsYou > 0 ? (
            <span className="ml-auto rounded-full bg-accent-soft px-1.5 text-2xs text-accent-strong tabular">
              {needsYou}
            </span>
          ) : null}
        </Link>
      ))}
      <a
        href="/docs"
        className="mt-auto flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm font-medium text-soft transition-colors hover:bg-hover hover:text-text"
      >
        <BookOpen className="size-4" />
        Documentation
      </a>
    </nav>
  );
}

// Where a page is: the list it belongs to, and its id.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export function Path({ to, label, children }: { to: string; label: string; children: ReactNode }) {
  return (
    <nav aria-label="Path" className="mb-2 flex items-center text-sm text-soft">
      <Link to={to} className="hover:text-text hover:underline">
        {label}
      </Link>
      <span className="mx-1.5 text-faint">/</span>
      {children}
    </nav>
  );
}

// Figures in a line: a name above, the value below.
import type { ReactNode } from 'react';

export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="mb-5 grid grid-cols-2 gap-x-8 gap-y-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-card sm:flex sm:flex-wrap">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 truncate text-sm font-medium tabular">{children}</dd>
    </div>
  );
}

// The frame of the pages that people see before they are signed in: one column and one card.
import type { ReactNode } from 'react';
import { Mark } from '../../ui/mark.tsx';
import { usePageTitle } from '../../ui/page-title.ts';

export function EntryCard({
  title,
  text,
  problem,
  children,
}: {
  title: string;
  text?: string | undefined;
  problem?: string | undefined;
  children?: ReactNode;
}) {
  const heading = usePageTitle(title);
  return (
    <div className="flex min-h-dvh flex-col items-center px-5 pt-12 pb-12 sm:pt-[11vh]">
      <header>
        <a
          href="/"
          className="mb-6 inline-flex items-center gap-2.5 text-[1.0625rem] font-semibold tracking-tight"
        >
          <Mark className="size-7" />
          Millrace
        </a>
      </header>
      <main className="flex w-full max-w-100 flex-col gap-4 rounded-xl border border-line bg-surface p-5 text-sm shadow-card sm:p-7">
        <div>
          <h1
            ref={heading}
            tabIndex={-1}
            className="text-xl font-semibold tracking-tight outline-none"
          >
            {title}
          </h1>
          {text ? <p className="mt-1.5 text-soft">{text}</p> : null}
        </div>
        {problem === undefined ? null : (
          <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-bad">
            {problem}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

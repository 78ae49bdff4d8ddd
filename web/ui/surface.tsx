// Cards, page heads and the states that every list has: loading, empty, failed.
import { RotateCw, TriangleAlert } from './frame-icons.tsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { cx } from './class-names.ts';
import { usePageTitle } from './page-title.ts';
import { useWhenBack } from './when-back.ts';

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <section className={cx('rounded-xl border border-line bg-surface shadow-card', className)}>
      {children}
    </section>
  );
}

export function CardHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <h2 className="text-sm font-semibold">{title}</h2>
      <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>
    </header>
  );
}

export function PageHead({
  title,
  lead,
  children,
}: {
  title: ReactNode;
  lead?: ReactNode;
  children?: ReactNode;
}) {
  const heading = usePageTitle(title);
  return (
    <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-52">
        <h1
          ref={heading}
          tabIndex={-1}
          className="truncate text-xl font-semibold tracking-tight outline-none"
        >
          {title}
        </h1>
        {lead ? <div className="mt-1 text-sm text-soft">{lead}</div> : null}
      </div>
      <div className="flex flex-wrap items-center gap-2">{children}</div>
    </header>
  );
}

export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="h-5 rounded bg-hover motion-safe:animate-pulse"
          style={{ width: `${96 - ((row * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}

export function EmptyState({
  icon,
  title,
  children,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      {icon ? (
        <div className="mb-3 flex size-11 items-center justify-center rounded-xl bg-accent-soft text-accent [&_svg]:size-5">
          {icon}
        </div>
      ) : null}
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="mt-1.5 flex w-full max-w-lg flex-col items-center gap-4 text-sm text-soft">
        {children}
      </div>
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { message, requestId } = error as { message?: string; requestId?: string };
  useWhenBack(error, onRetry);
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <TriangleAlert aria-hidden className="mb-2 size-6 text-bad" />
      <h2 className="text-base font-semibold">This could not be loaded</h2>
      <p className="mt-1 max-w-lg text-sm text-soft">{message ?? String(error)}</p>
      {requestId ? <p className="mt-1 font-mono text-xs text-faint">Request {requestId}</p> : null}
      <Button className="mt-4" icon={<RotateCw />} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** What a query has to show: skeleton, error or its data. */
export function Loaded<T>({
  query,
  rows,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch(): unknown };
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  // What was loaded before stays on the page while the connection is away; the pill says so.
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton {...(rows === undefined ? {} : { rows })} />;
}

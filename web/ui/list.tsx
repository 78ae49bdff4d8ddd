// What every list has besides its items: the states in which there are none, and the way to older ones.
import { Search } from './icons.tsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import type { Filters } from './filters.tsx';
import { EmptyState, Loaded } from './surface.tsx';

interface ListPage {
  items: readonly unknown[];
  nextCursor?: string | null;
}

/** The server may have looked through a part of the list only. */
function NoMatch({ noun, isPart, filters }: { noun: string; isPart: boolean; filters: Filters }) {
  return (
    <EmptyState
      icon={<Search />}
      title={isPart ? `No match among these ${noun}s` : `No ${noun} matches`}
    >
      {isPart ? <p>There are older ones to look through.</p> : null}
      <Button onClick={filters.clear}>Clear the filters</Button>
    </EmptyState>
  );
}

export function List<Page extends ListPage>({
  query,
  noun,
  filters,
  empty,
  rows,
  foot,
  children,
}: {
  query: { data: Page | undefined; error: unknown; refetch(): unknown };
  noun: string;
  filters?: Filters;
  /** When there is nothing, filtered or not. */
  empty: ReactNode;
  rows?: number;
  foot?: (page: Page) => ReactNode;
  children: (page: Page) => ReactNode;
}) {
  return (
    <Loaded query={query} {...(rows === undefined ? {} : { rows })}>
      {(page) => (
        <>
          {page.items.length > 0 ? (
            children(page)
          ) : filters?.isAny ? (
            <NoMatch noun={noun} isPart={typeof page.nextCursor === 'string'} filters={filters} />
          ) : (
            empty
          )}
          {foot?.(page)}
        </>
      )}
    </Loaded>
  );
}

/** The foot of a list that continues after a cursor. */
export function Older({ filters, next }: { filters: Filters; next: string | null }) {
  const isFirst = filters.values['before'] === undefined;
  if (isFirst && next === null) return null;
  return (
    <div className="flex items-center justify-end gap-2 border-t border-line p-3">
      <Button size="small" disabled={isFirst} onClick={() => filters.turn({ before: undefined })}>
        Newest
      </Button>
      <Button
        size="small"
        disabled={next === null}
        onClick={() => filters.turn({ before: next ?? undefined })}
      >
        Older
      </Button>
    </div>
  );
}

/** The foot of a list that counts its items. */
export function NumberedPages({
  filters,
  page,
  size,
  total,
}: {
  filters: Filters;
  page: number;
  size: number;
  total: number;
}) {
  if (total <= size) return null;
  const turn = (to: number) => filters.turn({ page: to === 1 ? undefined : String(to) });
  return (
    <div className="flex items-center gap-2 border-t border-line p-3 text-sm text-soft">
      <span className="tabular">
        {(page - 1) * size + 1}-{Math.min(total, page * size)} of {total}
      </span>
      <Button size="small" className="ml-auto" disabled={page <= 1} onClick={() => turn(page - 1)}>
        Newer
      </Button>
      <Button size="small" disabled={page * size >= total} onClick={() => turn(page + 1)}>
        Older
      </Button>
    </div>
  );
}

/** The foot of a list that grows. */
export function ShowOlder({
  query,
}: {
  query: { hasNextPage: boolean; fetchNextPage(): unknown };
}) {
  if (!query.hasNextPage) return null;
  return (
    <div className="border-t border-line p-3">
      <Button size="small" onClick={() => void query.fetchNextPage()}>
        Show older
      </Button>
    </div>
  );
}

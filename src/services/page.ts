// One page of a list that continues after the id of its last row.

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** One row more than the page has was asked for: it shows whether there are others. */
export function pageOf<Row extends { id: string }, T>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    items: shown.map(show),
    nextCursor: hasMore ? (shown.at(-1)?.id ?? null) : null,
    hasMore,
  };
}

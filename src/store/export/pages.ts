// Rows of a team page by page, for its export: a team may have more than fits into memory.
import type { Queryable, QueryResult } from '../postgres/db.ts';
import { fromJsonText } from '../postgres/json-text.ts';

export type Row = Record<string, unknown>;
export type Rows = AsyncGenerator<Row>;

export const PAGE = 100;
/** Prompts and outputs may be megabytes each. */
export const LARGE_PAGE = 10;

export interface PageRow {
  at: string;
  id: string;
  row: Row;
}

export type ReadPage = (values: unknown[]) => Promise<QueryResult<PageRow>>;

/**
 * Pages by what grows from row to row and is indexed: a page is read by the team, the time and id of the last
 * row, and how many. Times as the database writes them: ours have no microseconds.
 */
export async function* pagesBy(read: ReadPage, of: string, limit: number): Rows {
  for (let last = { at: '-infinity', id: '' }; ;) {
    const { rows } = await read([of, last.at, last.id, limit]);
    for (const { row } of rows) yield row;
    if (rows.length < limit) return;
    last = rows.at(-1)!;
  }
}

export function pages(db: Queryable, text: string, of: string, limit = PAGE): Rows {
  return pagesBy((values) => db.query<PageRow>(text, values), of, limit);
}

/** `time` and `id` are columns; `columns` are named as they are shown. */
export function pageOf(
  from: string,
  columns: readonly string[],
  key: { time?: string; id: string },
) {
  const shown = columns.map((each) => {
    const [column = '', name = column] = each.split(' as ');
    return `'${name}', ${column}`;
  });
  // Rows without a time are ordered by their ids, which grow, too.
  const { time = `'-infinity'::timestamptz`, id } = key;
  const order = key.time === undefined ? id : `${time}, ${id}`;
  const after =
    key.time === undefined
      ? `${id} > $3 and $2::timestamptz is not null`
      : `(${time}, ${id}) > ($2::timestamptz, $3)`;
  return `select ${time}::text as at, ${id} as id, json_build_object(${shown.join(', ')}) as row
    from ${from} and ${after} order by ${order} limit $4`;
}

export async function* parsed(rows: Rows, fields: readonly string[]): Rows {
  for await (const row of rows) {
    for (const field of fields) {
      const text = row[field];
      if (typeof text === 'string') row[field] = fromJsonText(text);
    }
    yield row;
  }
}

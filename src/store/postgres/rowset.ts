// Many rows as one parameter a column: `unnest($1::text[], ...)`. The statement's text does not
// depend on the number of rows, so it is prepared once.

export interface Rowset<Row> {
  /** `unnest($1::text[], ...) as alias(column, ...)`, parameters from `first` on. */
  sql: string;
  values(rows: readonly Row[]): unknown[][];
  /** How many parameters it takes. */
  count: number;
}

export function rowset<Row>(
  alias: string,
  columns: Record<string, [type: string, pick: (row: Row) => unknown]>,
  first = 1,
): Rowset<Row> {
  const entries = Object.entries(columns);
  const parameters = entries.map(([, [type]], index) => `$${first + index}::${type}[]`);
  const names = entries.map(([name]) => name);
  return {
    sql: `unnest(${parameters.join(', ')}) as ${alias}(${names.join(', ')})`,
    count: entries.length,
    values: (rows) => entries.map(([, [, pick]]) => rows.map((row) => pick(row) ?? null)),
  };
}

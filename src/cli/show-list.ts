// A list as every command shows it: one JSON document, or a table, with the command that shows what follows.
import type { CommandOptions } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { shortIds } from './short-ids.ts';
import { note, print } from './terminal/output.ts';
import { printTable } from './terminal/print-table.ts';
import type { Column } from './terminal/table.ts';

export interface List<T> {
  /** What --json prints. */
  document: object;
  rows: readonly T[];
  columns: readonly Column<T>[];
  /** In place of a table without rows. */
  empty?: string;
  /** How to see the next page, if there is one. */
  more?: string | undefined;
}

/** Returns the exit code. */
export function showList<T>(options: CommandOptions, list: List<T>): number {
  const { document, rows, columns, empty, more } = list;
  if (options['json']) print(JSON.stringify(document));
  else {
    if (rows.length === 0 && empty !== undefined) note(empty);
    else printTable(columns, rows);
    if (more !== undefined) note(`More: ${more}`);
  }
  return EXIT.ok;
}

/** Ids as short as the list allows. */
export function idColumn<T extends { id: string }>(rows: readonly T[]): Column<T> {
  const ids = shortIds(rows.map(({ id }) => id));
  return { head: 'ID', text: ({ id }) => ids.get(id)! };
}

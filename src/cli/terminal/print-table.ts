// A table on standard output, as wide as the terminal.
import { print, styled } from './output.ts';
import { statusStyle } from './status-style.ts';
import { tableOf, tableWidthOf } from './table.ts';
import type { Column } from './table.ts';

export function printTable<T>(columns: readonly Column<T>[], rows: readonly T[]): void {
  const look = {
    width: tableWidthOf(process.stdout),
    paintHead: (text: string) => styled('dim', text),
  };
  for (const line of tableOf(columns, rows, look)) print(line);
}

/** The state of a row, in its colour. */
export function statusColumn<T>(statusOf: (row: T) => string): Column<T> {
  return {
    head: 'STATUS',
    text: statusOf,
    style: (text, row) => styled(statusStyle(statusOf(row)), text),
  };
}

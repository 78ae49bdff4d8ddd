// A table that scrolls sideways in its own box, so that the page never does. On a narrow screen each row becomes a
// block: its title as a heading, the other cells beside their names (`label`).
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

type Kind = 'title' | 'plain' | 'number' | 'end';

export interface Column<Row> {
  head: string;
  /** Read out, but not shown: what is in the column speaks for itself. */
  isHeadHidden?: boolean;
  /** What a narrow screen shows beside the cell, where the cell does not speak for itself. */
  label?: string;
  /** `end`: at the right edge of its column. */
  kind?: Kind;
  className?: string;
  headClassName?: string;
  cell: (row: Row) => ReactNode;
}

const HEAD =
  'h-9 border-b border-line px-3 text-xs font-medium whitespace-nowrap text-faint first:pl-4 last:pr-4';
const CELL = 'border-b border-line px-3 py-2.5 align-top first:pl-4 last:pr-4';
const ROW = 'hover:bg-hover/60 transition-colors last:[&>td]:border-b-0';

const KINDS: Readonly<Record<Kind, { head: string; cell: string }>> = {
  title: { head: '', cell: 'row-title' },
  plain: { head: '', cell: '' },
  number: { head: 'text-right', cell: 'text-right whitespace-nowrap tabular' },
  end: { head: 'text-right', cell: 'text-right' },
};

export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  isSelected,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  isSelected?: (row: Row) => boolean;
}) {
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="stacked w-full border-collapse text-left text-sm">
        <thead>
          <tr>
            {columns.map(({ head, kind = 'plain', isHeadHidden, headClassName }) => (
              <th key={head} scope="col" className={cx(HEAD, KINDS[kind].head, headClassName)}>
                {isHeadHidden ? <span className="sr-only">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={cx(ROW, isSelected?.(row) && 'bg-accent-soft')}>
              {columns.map(({ head, kind = 'plain', label: name, className, cell }) => (
                <td key={head} data-label={name} className={cx(CELL, KINDS[kind].cell, className)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// What something took, a row for each: calls, tokens and money.
import { plusEstimate } from '../../../../src/domain/run/estimate-text.ts';
import type { ReactNode } from 'react';
import type { Tokens } from '../../../../src/contract/run-events.ts';
import { Cost } from '../../../ui/cost.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Table } from '../../../ui/table.tsx';
import type { Column } from '../../../ui/table.tsx';

export interface CostRow {
  id: string;
  title: ReactNode;
  calls: number;
  tokens: Tokens;
  costUsd: number | null;
  estimatedUsd?: number | null | undefined;
}

function number(head: string, label: string, cell: Column<CostRow>['cell']): Column<CostRow> {
  return { head, label, kind: 'number', headClassName: 'w-28', cell };
}

function columnsOf(title: string, highestUsd: number): readonly Column<CostRow>[] {
  return [
    { head: title, kind: 'title', cell: (row) => row.title },
    number('Calls', 'Calls', ({ calls }) => calls),
    number('Tokens in', 'In', ({ tokens }) => formatCount(tokens.input)),
    number('Cached', 'Cached', ({ tokens }) => formatCount(tokens.cachedInput)),
    number('Tokens out', 'Out', ({ tokens }) => formatCount(tokens.output)),
    number('Cost', 'Cost', ({ costUsd, estimatedUsd }) => (
      <>
        <Cost usd={costUsd} />
        <span className="text-faint">{plusEstimate(estimatedUsd)}</span>
      </>
    )),
    {
      head: 'Share',
      isHeadHidden: true,
      headClassName: 'w-40',
      cell: ({ costUsd }) => (
        <div className="mt-1.5 h-1.5 rounded-full bg-hover">
          <div
            className="h-full rounded-full bg-accent"
            style={{ width: `${(100 * (costUsd ?? 0)) / highestUsd}%` }}
          />
        </div>
      ),
    },
  ];
}

export function CostTable({
  label,
  of,
  rows,
}: {
  label: string;
  /** The head of the first column. */
  of: string;
  rows: readonly CostRow[];
}) {
  const highestUsd = Math.max(0.000001, ...rows.map(({ costUsd }) => costUsd ?? 0));
  return (
    <Table label={label} columns={columnsOf(of, highestUsd)} rows={rows} keyOf={({ id }) => id} />
  );
}

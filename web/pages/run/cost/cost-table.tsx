// What something took, a row for each: calls, tokens and money.
import type { ReactNode } from 'react';
import type { Tokens } from '../../../../src/contract/run-events.ts';
import { Cost } from '../../../ui/cost.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ROW, Table, Td, Th } from '../../../ui/table.tsx';

export interface CostRow {
  id: string;
  title: ReactNode;
  calls: number;
  tokens: Tokens;
  costUsd: number | null;
}

const NUMBER = 'text-right whitespace-nowrap tabular';

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
  const highest = Math.max(0.000001, ...rows.map(({ costUsd }) => costUsd ?? 0));
  return (
    <Table label={label}>
      <thead>
        <tr>
          <Th>{of}</Th>
          <Th className="w-28 text-right">Calls</Th>
          <Th className="w-28 text-right">Tokens in</Th>
          <Th className="w-28 text-right">Cached</Th>
          <Th className="w-28 text-right">Tokens out</Th>
          <Th className="w-28 text-right">Cost</Th>
          <Th className="w-40">
            <span className="sr-only">Share</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, title, calls, tokens, costUsd }) => (
          <tr key={id} className={ROW}>
            <Td className="row-title">{title}</Td>
            <Td label="Calls" className={NUMBER}>
              {calls}
            </Td>
            <Td label="In" className={NUMBER}>
              {formatCount(tokens.input)}
            </Td>
            <Td label="Cached" className={NUMBER}>
              {formatCount(tokens.cachedInput)}
            </Td>
            <Td label="Out" className={NUMBER}>
              {formatCount(tokens.output)}
            </Td>
            <Td label="Cost" className={NUMBER}>
              <Cost usd={costUsd} />
            </Td>
            <Td>
              <div className="mt-1.5 h-1.5 rounded-full bg-hover">
                <div
                  className="h-full rounded-full bg-accent"
                  style={{ width: `${(100 * (costUsd ?? 0)) / highest}%` }}
                />
              </div>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

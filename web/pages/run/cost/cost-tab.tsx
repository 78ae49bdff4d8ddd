// Where the money went: by stream, its fixes with it.
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useRunVersion } from '../../../live/run-store.ts';
import { formatCount, formatDollars, plural } from '../../../ui/format.ts';
import { Card } from '../../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../../ui/table.tsx';
import type { RunView } from '../run-context.ts';
import { callsOf, costsOf, sumOf } from './stream-costs.ts';

function Figure({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <div className="min-w-32 flex-1 px-4 py-3">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 text-lg font-semibold tracking-tight tabular">{value}</dd>
      {children ? <dd className="text-xs text-soft">{children}</dd> : null}
    </div>
  );
}

const NUMBER = 'text-right whitespace-nowrap tabular';

export function CostTab({ store, onOpen }: RunView) {
  const version = useRunVersion(store);
  const { projection } = store;
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const costs = useMemo(() => costsOf(projection, callsOf(store.events)), [store, version]);
  const sum = sumOf(costs);
  const highest = Math.max(0.000001, ...costs.map(({ costUsd }) => costUsd ?? 0));
  const { input, cachedInput, output } = sum.tokens;
  const cachedShare = input > 0 ? Math.round((100 * cachedInput) / input) : 0;
  const sorted = costs.toSorted((a, b) => (b.costUsd ?? Infinity) - (a.costUsd ?? Infinity));
  return (
    <Card className="overflow-hidden">
      <dl className="flex flex-wrap border-b border-line">
        <Figure name="Cost" value={formatDollars(sum.knownUsd)}>
          {projection.simulated
            ? 'Simulated: nothing is charged'
            : sum.isUnpriced
              ? 'Calls without a known price are not included'
              : projection.model}
        </Figure>
        <Figure name="Model calls" value={formatCount(sum.calls)} />
        <Figure name="Tokens in" value={formatCount(input)}>
          {cachedInput > 0 ? `${cachedShare}% from the prompt cache` : 'none cached'}
        </Figure>
        <Figure name="Tokens out" value={formatCount(output)} />
        <Figure name="Saved" value={formatDollars(sum.savedUsd)}>
          by reusing earlier answers
        </Figure>
      </dl>
      <Table label="Cost by stream">
        <thead>
          <tr>
            <Th>Stream</Th>
            <Th className="text-right">Calls</Th>
            <Th className="text-right">Tokens in</Th>
            <Th className="text-right">Cached</Th>
            <Th className="text-right">Tokens out</Th>
            <Th className="text-right">Cost</Th>
            <Th className="w-40">
              <span className="sr-only">Share</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((cost) => (
            <tr key={cost.id} className={ROW}>
              <Td className="row-title">
                <button
                  type="button"
                  onClick={() => onOpen(cost.id)}
                  className="text-left font-medium hover:text-accent hover:underline"
                >
                  {cost.name}
                </button>
                {cost.fixes > 0 ? (
                  <span className="ml-2 text-xs text-soft">
                    with {plural(cost.fixes, 'fix', 'fixes')}
                  </span>
                ) : null}
              </Td>
              <Td label="Calls" className={NUMBER}>
                {cost.calls}
              </Td>
              <Td label="In" className={NUMBER}>
                {formatCount(cost.tokens.input)}
              </Td>
              <Td label="Cached" className={NUMBER}>
                {formatCount(cost.tokens.cachedInput)}
              </Td>
              <Td label="Out" className={NUMBER}>
                {formatCount(cost.tokens.output)}
              </Td>
              <Td label="Cost" className={NUMBER}>
                {cost.costUsd === null ? (
                  <span className="text-faint">unknown</span>
                ) : (
                  formatDollars(cost.costUsd)
                )}
              </Td>
              <Td>
                <div className="mt-1.5 h-1.5 rounded-full bg-hover">
                  <div
                    className="h-full rounded-full bg-accent"
                    style={{ width: `${(100 * (cost.costUsd ?? 0)) / highest}%` }}
                  />
                </div>
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

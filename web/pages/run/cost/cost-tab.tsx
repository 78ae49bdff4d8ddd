// Where the money went: by model, and by stream with its fixes.
import { useMemo } from 'react';
import { usePrices } from '../../../api/prices.ts';
import { useRunVersion } from '../../../live/run-store.ts';
import { plural } from '../../../ui/format.ts';
import { Card, CardHead } from '../../../ui/surface.tsx';
import type { RunView } from '../run-context.ts';
import { CostFigures } from './cost-figures.tsx';
import { CostTable } from './cost-table.tsx';
import { budgetOf, cacheSavingOf, modelCostsOf, spentOf } from './model-costs.ts';
import { callsOf, costsOf, reusedIn, sumOf } from './stream-costs.ts';

export function CostTab({ store, onOpen }: RunView) {
  const version = useRunVersion(store);
  const { projection, events } = store;
  const { streams, models } = useMemo(
    () => ({
      streams: costsOf(projection, callsOf(events)).toSorted(
        (a, b) => (b.costUsd ?? Infinity) - (a.costUsd ?? Infinity),
      ),
      models: modelCostsOf(events),
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [store, version],
  );
  const prices = usePrices(models.map(({ model }) => model));
  const sum = sumOf(streams, reusedIn(events));
  const about = projection.simulated
    ? 'Simulated: nothing is charged'
    : sum.isUnpriced
      ? 'Calls without a known price are not included'
      : '';
  return (
    <div className="flex flex-col gap-4">
      <Card className="overflow-hidden">
        <CostFigures
          sum={sum}
          about={about}
          spentUsd={spentOf(models)}
          budgetUsd={budgetOf(events)}
          saving={cacheSavingOf(models, prices)}
        />
      </Card>
      {models.length > 0 ? (
        <Card className="overflow-hidden">
          <CardHead title="By model" />
          <CostTable
            label="Cost by model"
            of="Model"
            rows={models.map((cost) => ({
              ...cost,
              id: cost.model,
              title:
                cost.model === '' ? (
                  <span className="text-soft">Not reported</span>
                ) : (
                  <span className="font-mono text-xs font-medium">{cost.model}</span>
                ),
            }))}
          />
        </Card>
      ) : null}
      <Card className="overflow-hidden">
        <CardHead title="By stream" />
        <CostTable
          label="Cost by stream"
          of="Stream"
          rows={streams.map((cost) => ({
            ...cost,
            title: (
              <>
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
              </>
            ),
          }))}
        />
      </Card>
    </div>
  );
}

// The plan as a graph: a column for each wave, and in each stream the files that it writes.
import { useMemo } from 'react';

import { plural } from '../../ui/format.ts';
import { GraphFrame, WaveTitle } from '../run/graph/graph-frame.tsx';
import { layoutOf } from '../run/graph/layout.ts';
import type { CheckedPlan } from './plan-context.ts';
import { PlanNode, heightOf } from './plan-node.tsx';

export function PlanGraph({ plan }: { plan: CheckedPlan }) {
  const layout = useMemo(
    () =>
      layoutOf(
        plan.waves.map((streams, index) => [
          index + 1,
          streams.map(({ id, waitsFor, owns }) => ({
            id,
            waitsFor: waitsFor.map((wait) => wait.id),
            height: heightOf(owns.length),
          })),
        ]),
      ),
    [plan],
  );
  return (
    <GraphFrame
      layout={layout}
      head={({ wave, x, ids }) => (
        <WaveTitle key={wave} wave={{ wave, x }}>
          {ids.length > 1 ? `${ids.length} at once` : plural(ids.length, 'stream')}
        </WaveTitle>
      )}
      node={(node) => <PlanNode key={node.id} node={node} />}
    />
  );
}

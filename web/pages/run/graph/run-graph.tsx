// The whole plan from the first second, wave by wave, lighting up as it runs. Only what is in view is drawn.
import { memo, useMemo } from 'react';
import { wavesOf } from '../../../../src/domain/run/projection.ts';
import type { RunProjection } from '../../../../src/domain/run/projection.ts';
import { useRunVersion, useTopology } from '../../../live/run-store.ts';
import type { RunStore } from '../../../live/run-store.ts';
import { GraphContext } from './graph-context.ts';
import { GraphFrame, WaveTitle } from './graph-frame.tsx';
import { NODE, layoutOf } from './layout.ts';
import type { GraphWaves, PlacedWave } from './layout.ts';
import { StreamNode } from './stream-node.tsx';

function WaveHead({ store, wave: { wave, ids, x } }: { store: RunStore; wave: PlacedWave }) {
  useRunVersion(store);
  const { streams } = store.projection;
  const done = ids.filter((id) => {
    const row = streams.get(id);
    return (
      row?.status === 'complete' ||
      row?.status === 'skipped' ||
      row?.fixes.some((fix) => streams.get(fix)?.status === 'complete')
    );
  }).length;
  return (
    <WaveTitle wave={{ wave, x }}>
      {done} of {ids.length}
    </WaveTitle>
  );
}

/** A fix stands under its stream. */
const FIX_HEIGHT = 30;

function rowsOf(projection: RunProjection): GraphWaves {
  return wavesOf(projection).map(([wave, rows]) => [
    wave,
    rows.map(({ id, waitsFor, fixes }) => ({
      id,
      waitsFor,
      height: NODE.height + fixes.length * FIX_HEIGHT,
    })),
  ]);
}

/** The page around it is drawn ten times a second; the graph only when what it is given changes. */
export const RunGraph = memo(function RunGraph({
  store,
  selected,
  onOpen,
}: {
  store: RunStore;
  selected: string | undefined;
  onOpen: (id: string) => void;
}) {
  const topology = useTopology(store);
  // The projection is one object that changes in place; `topology` says when that matters here.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const layout = useMemo(() => layoutOf(rowsOf(store.projection)), [store, topology]);
  const context = useMemo(() => ({ store, selected, onOpen }), [store, selected, onOpen]);
  return (
    <GraphContext value={context}>
      <GraphFrame
        layout={layout}
        head={(wave) => <WaveHead key={wave.wave} store={store} wave={wave} />}
        node={(node) => <StreamNode key={node.id} node={node} />}
      />
    </GraphContext>
  );
});

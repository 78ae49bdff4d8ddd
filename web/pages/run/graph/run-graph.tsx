// The whole plan from the first second, wave by wave, lighting up as it runs.
import { Controls, MarkerType, ReactFlow } from '@xyflow/react';
import type { Edge, Node } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { memo, useMemo } from 'react';
import { useRunVersion, useTopology } from '../../../live/run-store.ts';
import type { RunStore } from '../../../live/run-store.ts';
import { GraphContext } from './graph-context.ts';
import { layoutOf } from './layout.ts';
import { StreamNode } from './stream-node.tsx';

const NODE_TYPES = { stream: StreamNode, wave: WaveHead };

function WaveHead({ data }: { data: Record<string, unknown> }) {
  const { store, ids, wave } = data as { store: RunStore; ids: string[]; wave: number };
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
    <div className="flex items-baseline gap-2 text-xs font-medium text-soft">
      Wave {wave}
      <span className="text-faint tabular">
        {done} of {ids.length}
      </span>
    </div>
  );
}

const FIT = { padding: 0.08, maxZoom: 1, minZoom: 0.35 } as const;
const DOTS = {
  backgroundImage: 'radial-gradient(var(--line) 1px, transparent 1px)',
  backgroundSize: '20px 20px',
} as const;
const PRO = { hideAttribution: true } as const;

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
  const { nodes, edges, height } = useMemo(() => {
    const layout = layoutOf(store.projection);
    const streams = layout.nodes.map(({ id, x, y, width, height: tall }): Node => ({
      id,
      type: 'stream',
      position: { x, y },
      // Known from the start: nodes that are measured later stay hidden when they are made anew.
      width,
      height: tall,
      data: {},
      focusable: false,
      // The library lets nothing through to nodes that it cannot select.
      style: { pointerEvents: 'all' },
    }));
    const heads = layout.waves.map(({ wave, x, ids }): Node => ({
      id: `wave ${wave}`,
      type: 'wave',
      position: { x, y: 0 },
      width: 200,
      height: 20,
      data: { store, ids, wave },
      focusable: false,
    }));
    const lines = layout.edges.map(({ from, to }): Edge => ({
      id: `${from} ${to}`,
      source: from,
      target: to,
      focusable: false,
      markerEnd: {
        type: MarkerType.ArrowClosed,
        width: 14,
        height: 14,
        color: 'var(--line-strong)',
      },
      style: { stroke: 'var(--line-strong)' },
    }));
    const lowest = Math.max(0, ...layout.nodes.map(({ y, height: tall }) => y + tall));
    return { nodes: [...heads, ...streams], edges: lines, height: lowest };
    // The projection is one object that changes in place; `topology` says when that matters here.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, topology]);
  const context = useMemo(() => ({ store, selected, onOpen }), [store, selected, onOpen]);
  return (
    <GraphContext value={context}>
      <div
        className="overflow-hidden rounded-xl border border-line bg-canvas"
        style={{ ...DOTS, height: Math.min(680, Math.max(280, height + 80)) }}
      >
        <ReactFlow
          // New streams may make it larger than what was fitted at first.
          key={nodes.length === 0 ? 'empty' : 'graph'}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          fitView
          fitViewOptions={FIT}
          minZoom={0.1}
          maxZoom={1.5}
          nodesDraggable={false}
          nodesConnectable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          preventScrolling={false}
          onlyRenderVisibleElements={nodes.length > 150}
          proOptions={PRO}
          aria-label="Streams by wave"
        >
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
    </GraphContext>
  );
});

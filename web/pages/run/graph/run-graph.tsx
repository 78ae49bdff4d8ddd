// The whole plan from the first second, wave by wave, lighting up as it runs. Only what is in view is drawn.
import { Maximize, Minus, Plus } from '../../../ui/icons.tsx';
import { memo, useMemo } from 'react';
import type { FocusEvent } from 'react';
import { useRunVersion, useTopology } from '../../../live/run-store.ts';
import type { RunStore } from '../../../live/run-store.ts';
import { IconButton } from '../../../ui/button.tsx';
import { EdgeLines } from './edge-lines.tsx';
import { GraphContext } from './graph-context.ts';
import { layoutOf } from './layout.ts';
import type { PlacedWave } from './layout.ts';
import { StreamNode } from './stream-node.tsx';
import { usePanZoom } from './use-pan-zoom.ts';
import { bringIntoView, overlaps, seenPart } from './viewport.ts';

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
    <div
      className="absolute top-0 flex items-baseline gap-2 text-xs font-medium whitespace-nowrap text-soft"
      style={{ left: x }}
    >
      Wave {wave}
      <span className="text-faint tabular">
        {done} of {ids.length}
      </span>
    </div>
  );
}

const DOTS = {
  backgroundImage: 'radial-gradient(var(--line) 1px, transparent 1px)',
  backgroundSize: '20px 20px',
} as const;

const HIGHEST = 680;
const STEP = 1.3;

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
  const layout = useMemo(() => layoutOf(store.projection), [store, topology]);
  const { ref, frame, view, move, zoomBy, fitAll, handlers } = usePanZoom(layout);
  const context = useMemo(() => ({ store, selected, onOpen }), [store, selected, onOpen]);
  const seen = frame === undefined ? undefined : seenPart(view, frame);

  /** Somebody went on with the Tab key: what comes next may be outside. */
  function onFocus({ target }: FocusEvent): void {
    if (frame === undefined || !target.matches(':focus-visible')) return;
    const id = target.closest<HTMLElement>('[data-stream]')?.dataset['stream'];
    const node = layout.nodes.find((each) => each.id === id);
    if (node !== undefined) move((before) => bringIntoView(before, node, frame));
  }

  return (
    <GraphContext value={context}>
      <div
        className="relative overflow-clip rounded-xl border border-line bg-canvas"
        style={{ ...DOTS, height: Math.min(HIGHEST, Math.max(280, layout.height + 80)) }}
      >
        <div
          ref={ref}
          role="group"
          aria-label="Streams by wave"
          className="absolute inset-0 cursor-grab active:cursor-grabbing"
          // A finger scrolls the page, unless there is more of the graph above or below.
          style={{ touchAction: layout.height + 80 > HIGHEST ? 'none' : 'pan-y' }}
          onFocus={onFocus}
          {...handlers}
        >
          {seen === undefined ? null : (
            <div
              className="absolute origin-top-left"
              style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})` }}
            >
              <EdgeLines layout={layout} seen={seen} />
              {layout.waves.map((wave) => (
                <WaveHead key={wave.wave} store={store} wave={wave} />
              ))}
              {layout.nodes
                .filter((node) => overlaps(node, seen))
                .map((node) => (
                  <StreamNode key={node.id} node={node} />
                ))}
            </div>
          )}
        </div>
        <div className="absolute bottom-3 left-3 flex flex-col rounded-md border border-line bg-surface shadow-card">
          <IconButton name="Zoom in" onClick={() => zoomBy(STEP)}>
            <Plus />
          </IconButton>
          <IconButton name="Zoom out" onClick={() => zoomBy(1 / STEP)}>
            <Minus />
          </IconButton>
          <IconButton name="Show all of it" onClick={fitAll}>
            <Maximize />
          </IconButton>
        </div>
      </div>
    </GraphContext>
  );
});

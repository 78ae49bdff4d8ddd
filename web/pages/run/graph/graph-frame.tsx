// The space in which a graph is moved about and enlarged. Only what is in view is drawn.
import type { FocusEvent, ReactNode } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { Maximize, Minus, Plus } from '../../../ui/icons.tsx';
import { EdgeLines } from './edge-lines.tsx';
import type { GraphLayout, PlacedNode, PlacedWave } from './layout.ts';
import { usePanZoom } from './use-pan-zoom.ts';
import { bringIntoView, overlaps, seenPart } from './viewport.ts';

const DOTS = {
  backgroundImage: 'radial-gradient(var(--line) 1px, transparent 1px)',
  backgroundSize: '20px 20px',
} as const;

const HIGHEST = 680;
const STEP = 1.3;

export function WaveTitle({
  wave: { wave, x },
  children,
}: {
  wave: Pick<PlacedWave, 'wave' | 'x'>;
  children: ReactNode;
}) {
  return (
    <div
      className="absolute top-0 flex items-baseline gap-2 text-xs font-medium whitespace-nowrap text-soft"
      style={{ left: x }}
    >
      Wave {wave}
      <span className="text-faint tabular">{children}</span>
    </div>
  );
}

export function GraphFrame({
  layout,
  head,
  node: draw,
}: {
  layout: GraphLayout;
  head: (wave: PlacedWave) => ReactNode;
  /** With its id in `data-stream`, so that the focus brings it into view. */
  node: (node: PlacedNode) => ReactNode;
}) {
  const { ref, frame, view, move, zoomBy, fitAll, handlers } = usePanZoom(layout);
  const seen = frame === undefined ? undefined : seenPart(view, frame);

  /** The Tab key may lead to what is outside of the view. */
  function onFocus({ target }: FocusEvent): void {
    if (frame === undefined || !target.matches(':focus-visible')) return;
    const id = target.closest<HTMLElement>('[data-stream]')?.dataset['stream'];
    const node = layout.nodes.find((each) => each.id === id);
    if (node !== undefined) move((before) => bringIntoView(before, node, frame));
  }

  return (
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
            {layout.waves.map(head)}
            {layout.nodes.filter((node) => overlaps(node, seen)).map(draw)}
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
  );
}

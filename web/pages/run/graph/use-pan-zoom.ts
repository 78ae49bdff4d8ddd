// Moving about in the graph: by dragging, by two fingers, by Ctrl and the wheel. A plain wheel scrolls the page.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PointerEvent, RefObject } from 'react';
import { fit, zoomAt } from './viewport.ts';
import type { Size, View } from './viewport.ts';

/** A hand that only presses moves a little, too. */
const DRAG_FROM = 4;

interface Point {
  x: number;
  y: number;
}

export interface PanZoom {
  ref: RefObject<HTMLDivElement | null>;
  /** Undefined until the page has given it a place. */
  frame: Size | undefined;
  view: View;
  move(change: (view: View) => View): void;
  zoomBy(factor: number): void;
  fitAll(): void;
  handlers: Record<
    'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel',
    (event: PointerEvent) => void
  >;
}

export function usePanZoom(graph: Size): PanZoom {
  const ref = useRef<HTMLDivElement>(null);
  const [frame, setFrame] = useState<Size>();
  // Undefined: all of it, however large the graph and its frame become.
  const [moved, setMoved] = useState<View>();
  const { width, height } = graph;
  const view = moved ?? fit({ width, height }, frame ?? { width: 1, height: 1 });
  const current = useRef(view);
  current.current = view;
  const move = useCallback((change: (view: View) => View) => {
    current.current = change(current.current);
    setMoved(current.current);
  }, []);

  useLayoutEffect(() => {
    const element = ref.current!;
    const read = () => setFrame({ width: element.clientWidth, height: element.clientHeight });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = ref.current!;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const point = { x: event.clientX - left, y: event.clientY - top };
      move((before) => zoomAt(before, Math.exp(-event.deltaY / 200), point));
    };
    // React listens without the right to prevent.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [move]);

  const pressed = useRef(new Map<number, Point>());
  const isDragging = useRef(false);

  function onPointerMove(event: PointerEvent): void {
    const before = pressed.current.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const by = { x: now.x - before.x, y: now.y - before.y };
    const other = [...pressed.current].find(([id]) => id !== event.pointerId)?.[1];
    if (!isDragging.current && other === undefined && Math.hypot(by.x, by.y) < DRAG_FROM) return;
    isDragging.current = true;
    // From here on the press is no click on what is under it.
    ref.current!.setPointerCapture(event.pointerId);
    pressed.current.set(event.pointerId, now);
    if (other === undefined) {
      move((at) => ({ ...at, x: at.x + by.x, y: at.y + by.y }));
      return;
    }
    const { left, top } = ref.current!.getBoundingClientRect();
    const apart = (point: Point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    const middle = { x: (now.x + other.x) / 2 - left, y: (now.y + other.y) / 2 - top };
    move((at) => zoomAt(at, apart(now) / apart(before), middle));
  }

  function onPointerUp(event: PointerEvent): void {
    pressed.current.delete(event.pointerId);
    if (pressed.current.size === 0) isDragging.current = false;
  }

  return {
    ref,
    frame,
    view,
    move,
    zoomBy(factor) {
      const middle = { x: (frame?.width ?? 0) / 2, y: (frame?.height ?? 0) / 2 };
      move((before) => zoomAt(before, factor, middle));
    },
    fitAll: () => setMoved(undefined),
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0) return;
        pressed.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      },
      onPointerMove,
      onPointerUp,
      onPointerCancel: onPointerUp,
    },
  };
}

// The part of a long list of blocks that is in view, in a page that scrolls as a whole. Heights become known as rows are drawn,
// and rows come and go: what is at the top of the view stays there.
import { useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Block, Layout, Spot } from './model/layout.ts';

/** Drawn above and below what is in view. */
const MARGIN = 900;
/** Drawn again when less of it is left. */
const LEAST_MARGIN = 300;

export interface ListWindow {
  list: React.RefObject<HTMLDivElement | null>;
  from: number;
  to: number;
  /** For the element of a row or a head. */
  observe: (element: HTMLElement | null) => (() => void) | undefined;
  /** Puts it below what sticks to the top. */
  scrollTo: (spot: Spot) => void;
}

interface Anchor {
  spot: Spot;
  /** How far below the top of the spot the view begins. */
  inside: number;
  /** It was gone to: as soon as there is more of it, that is what is shown. */
  wanted: Spot | undefined;
}

function spotOf({ dataset }: HTMLElement): Spot | undefined {
  const { block, row } = dataset;
  return block === undefined ? undefined : { block, row };
}

/** `lead`: how much of the top of the view is covered by what sticks there. */
export function useWindow(
  layout: Layout,
  blocks: readonly Block[],
  lead: { bar: () => number; head: number },
): ListWindow {
  layout.setBlocks(blocks);
  const list = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const view = useRef({ top: 0, height: 900 });
  const drawn = useRef({ from: 0, to: 0 });
  const anchor = useRef<Anchor>(undefined);
  const leads = useRef(lead);
  leads.current = lead;

  const main = () => list.current?.closest<HTMLElement>('main') ?? undefined;

  const read = useCallback(() => {
    const [box, scroller] = [list.current, main()];
    if (!box || !scroller) return;
    const outer = scroller.getBoundingClientRect();
    view.current = {
      top: outer.top - box.getBoundingClientRect().top,
      height: outer.height,
    };
  }, []);

  /** Where the rows begin that are not covered. */
  const firstLine = useCallback(
    (isHead: boolean) => view.current.top + leads.current.bar() + (isHead ? 0 : leads.current.head),
    [],
  );

  const setAnchor = useCallback(() => {
    const y = firstLine(false);
    const spot = layout.spotAt(y);
    const top = spot && layout.topOf(spot);
    anchor.current =
      view.current.top <= 0 || top === undefined
        ? undefined
        : { spot: spot!, inside: y - top, wanted: undefined };
  }, [layout, firstLine]);

  const goTo = useCallback(
    (spot: Spot): boolean => {
      const top = layout.topOf(spot) ?? layout.topOf({ block: spot.block, row: undefined });
      const scroller = main();
      if (top === undefined || !scroller) return false;
      const isHead = layout.topOf(spot) === undefined || spot.row === undefined;
      read();
      const by = Math.round(top - firstLine(isHead));
      if (by !== 0) scroller.scrollTop += by;
      return true;
    },
    [layout, read, firstLine],
  );

  /** After anything was moved. */
  useLayoutEffect(() => {
    const at = anchor.current;
    const scroller = main();
    if (at === undefined || !scroller) return;
    read();
    if (at.wanted !== undefined) {
      goTo(at.wanted);
    } else {
      const top = layout.topOf(at.spot);
      if (top === undefined) {
        // The row has gone, because its file was closed.
        goTo({ block: at.spot.block, row: undefined });
      } else {
        const by = Math.round(top + at.inside - firstLine(false));
        if (by !== 0) scroller.scrollTop += by;
      }
    }
    read();
  });

  useEffect(() => {
    const scroller = main();
    if (!scroller) return undefined;
    const onScroll = () => {
      read();
      const at = anchor.current;
      const target = at?.wanted && layout.topOf(at.wanted);
      // What we have scrolled to ourselves stays what was asked for.
      const isOurs =
        target !== undefined && Math.abs(target - firstLine(at!.wanted!.row === undefined)) < 2;
      if (!isOurs) setAnchor();
      const { top, height } = view.current;
      const { from, to } = drawn.current;
      if (top - LEAST_MARGIN < from || top + height + LEAST_MARGIN > to) render();
    };
    const onResize = new ResizeObserver(() => {
      read();
      render();
    });
    read();
    render();
    onResize.observe(scroller);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      onResize.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    };
  }, [layout, read, setAnchor, firstLine]);

  const [observer] = useState(
    () =>
      new ResizeObserver((entries) => {
        let isMoved = false;
        for (const { target, borderBoxSize } of entries) {
          const spot = spotOf(target as HTMLElement);
          const height = borderBoxSize[0]?.blockSize ?? 0;
          // Zero: it has been taken out.
          if (spot !== undefined && height > 0 && layout.measure(spot, height)) isMoved = true;
        }
        if (isMoved) flushSync(render);
      }),
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  const observe = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      observer.observe(element);
      return () => observer.unobserve(element);
    },
    [observer],
  );

  const scrollTo = useCallback(
    (spot: Spot) => {
      const own = { block: spot.block, row: undefined };
      anchor.current = { spot: own, inside: 0, wanted: spot };
      goTo(spot);
      read();
      render();
    },
    [goTo, read],
  );

  const { top, height } = view.current;
  drawn.current = { from: Math.max(0, top - MARGIN), to: Math.max(0, top + height + MARGIN) };
  if (drawn.current.from === 0) drawn.current.from = -Infinity;
  if (drawn.current.to >= layout.total) drawn.current.to = Infinity;
  const from = Math.max(0, top - MARGIN);
  return { list, from, to: Math.max(from, top + height + MARGIN), observe, scrollTo };
}

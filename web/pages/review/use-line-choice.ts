// Lines that are chosen to comment on: by a click on their numbers, by drawing over several, or with the arrow keys.
import { useEffect, useRef } from 'react';
import type { PointerEvent, MouseEvent } from 'react';
import type { LineRange, Side } from './model/comments.ts';
import type { FileBlock } from './use-blocks.ts';

interface Line {
  path: string;
  side: Side;
  line: number;
  hunk: string | undefined;
}

function lineOf(element: Element | null, blocks: readonly FileBlock[]): Line | undefined {
  const button = element?.closest<HTMLElement>('[data-line]');
  const path = button?.closest<HTMLElement>('[data-block]')?.dataset['block'];
  if (!button || path === undefined) return undefined;
  const { line, side, unitLine } = button.dataset;
  const units = blocks.find(({ id }) => id === path)?.units ?? [];
  return {
    path,
    side: side as Side,
    line: Number(line),
    hunk: units.find(({ id }) => id === unitLine)?.hunk.id,
  };
}

function rangeBetween(a: Line, b: Line): LineRange | undefined {
  if (a.path !== b.path || a.side !== b.side) return undefined;
  return {
    path: a.path,
    side: a.side,
    from: Math.min(a.line, b.line),
    to: Math.max(a.line, b.line),
    hunk: a.hunk ?? b.hunk,
  };
}

export function useLineChoice(
  blocks: readonly FileBlock[],
  act: { select: (range: LineRange | undefined) => void; comment: (range: LineRange) => void },
) {
  const start = useRef<Line>(undefined);
  /** Where a choice by keys began. */
  const held = useRef<Line>(undefined);
  const drawn = useRef<LineRange>(undefined);
  const latest = useRef({ blocks, act });
  latest.current = { blocks, act };
  const lineAt = (element: Element | null) => lineOf(element, latest.current.blocks);

  const draw = (range: LineRange | undefined) => {
    drawn.current = range;
    latest.current.act.select(range);
  };

  useEffect(() => {
    const end = () => {
      const range = drawn.current;
      if (start.current !== undefined && range !== undefined) latest.current.act.comment(range);
      start.current = undefined;
    };
    // The finger scrolls the page.
    const cancel = () => {
      start.current = undefined;
      draw(undefined);
    };
    addEventListener('pointerup', end);
    addEventListener('pointercancel', cancel);
    return () => {
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', cancel);
    };
  }, []);

  return {
    handlers: {
      onPointerDown(event: PointerEvent) {
        const line = event.button === 0 ? lineAt(event.target as Element) : undefined;
        if (line === undefined) return;
        start.current = line;
        draw(rangeBetween(line, line));
      },
      onPointerOver(event: PointerEvent) {
        const line = start.current && lineAt(event.target as Element);
        const range = line && rangeBetween(start.current!, line);
        if (range !== undefined) draw(range);
      },
      /** From the keyboard; a pointer has ended already. */
      onClick(event: MouseEvent) {
        const line = event.detail === 0 ? lineAt(event.target as Element) : undefined;
        if (line === undefined) return;
        latest.current.act.comment(drawn.current ?? rangeBetween(line, line)!);
      },
    },
    /** The lines that the focus went over while Shift was held; none: the choice is over. */
    onLines(lines: readonly HTMLElement[]) {
      const [first, last] = lines.map((line) => lineAt(line));
      if (last === undefined) {
        held.current = undefined;
        return draw(undefined);
      }
      held.current ??= first ?? last;
      const range = rangeBetween(held.current, last);
      if (range !== undefined) draw(range);
    },
    /** What is chosen, or the line that has the focus. */
    chosen(): LineRange | undefined {
      const line = lineAt(document.activeElement);
      return drawn.current ?? (line && rangeBetween(line, line));
    },
    clear: () => draw(undefined),
  };
}

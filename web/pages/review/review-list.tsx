// The diffs of all files below each other. Only what is in view is drawn, and only its texts are asked for.
import { useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Ref } from 'react';
import { MOST_SHOWN } from './line-view.tsx';
import { Layout } from './model/layout.ts';
import type { Spot } from './model/layout.ts';
import { FileSection } from './review-rows.tsx';
import type { RowState } from './review-rows.tsx';
import type { BlockRow, FileBlock } from './use-blocks.ts';
import { useWindow } from './use-window.ts';

const HEAD_HEIGHT = 42;
const SPACE = 16;
const LINE_HEIGHT = 20;
const HEIGHTS: Readonly<Record<Exclude<BlockRow['kind'], 'line' | 'pending'>, number>> = {
  unit: 38,
  gap: 30,
  note: 44,
  comment: 110,
  editor: 220,
};
/** Width of a letter, and of what is before the text of a line. */
const LETTER = 7.2;
const BEFORE_TEXT = 100;
/** Files after the last in view whose texts are asked for, too. */
const AHEAD = 6;

export interface ReviewListHandle {
  scrollTo(spot: Spot): void;
}

export function ReviewList({
  blocks,
  state,
  barHeight,
  onWant,
  handle,
}: {
  blocks: readonly FileBlock[];
  state: RowState;
  /** Of what sticks to the top of the page. */
  barHeight: () => number;
  /** Files whose texts are needed, the most urgent first. */
  onWant: (blocks: readonly FileBlock[]) => void;
  handle: Ref<ReviewListHandle>;
}) {
  const letters = useRef(120);
  const [layout] = useState(
    () =>
      new Layout({
        headHeight: HEAD_HEIGHT,
        space: SPACE,
        estimate(row) {
          const own = row as BlockRow;
          if (own.kind === 'pending') return LINE_HEIGHT * own.count + 24;
          if (own.kind !== 'line') return HEIGHTS[own.kind];
          return (
            LINE_HEIGHT *
            Math.max(1, Math.ceil(Math.min(own.text.length, MOST_SHOWN) / letters.current))
          );
        },
      }),
  );
  const window = useWindow(layout, blocks, { bar: barHeight, head: HEAD_HEIGHT });
  const { list, from, to, scrollTo } = window;
  useImperativeHandle(handle, () => ({ scrollTo }), [scrollTo]);
  useEffect(() => {
    const width = list.current?.clientWidth ?? 0;
    if (width > 0) letters.current = Math.max(20, Math.floor((width - BEFORE_TEXT) / LETTER));
  });
  const { first, last } = layout.blocksBetween(from, to);
  useEffect(() => onWant(blocks.slice(first, last + 1 + AHEAD)), [blocks, first, last, onWant]);
  return (
    <div ref={list} className="relative [overflow-anchor:none]" style={{ height: layout.total }}>
      {blocks.slice(first, last + 1).map((block, index) => (
        <FileSection
          key={block.id}
          block={block}
          state={state}
          at={first + index}
          layout={layout}
          window={window}
        />
      ))}
    </div>
  );
}

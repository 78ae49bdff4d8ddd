// The files below each other: of each its head and the rows that are in view.
import type { ReactNode } from 'react';
import type { ReviewDraft } from '../../../src/contract/review-api.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { CommentEditor } from './comment-editor.tsx';
import { CommentView } from './comment-view.tsx';
import { FileHead } from './file-head.tsx';
import { LineView } from './line-view.tsx';
import { isViewed } from './model/filter.ts';
import type { GapRow, LineRow } from './model/diff-rows.ts';
import type { Layout } from './model/layout.ts';
import type { Token } from '../../ui/diff/line-segments.ts';
import { decisionOfFile } from './model/units.ts';
import type { LineRange } from './model/comments.ts';
import { useActions } from './review-context.ts';
import type { EditorTarget } from './review-context.ts';
import { UnitBar } from './unit-bar.tsx';
import type { BlockRow, FileBlock } from './use-blocks.ts';
import type { ListWindow } from './use-window.ts';

const GAP_STEP = 20;

function GapView({ path, row }: { path: string; row: GapRow }) {
  const actions = useActions();
  const { gap, count, hasAbove, hasBelow } = row;
  const open = (by: { down?: number; up?: number }) => actions.openGap(path, gap, by);
  const isLong = count > GAP_STEP;
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-3 border-y border-line bg-canvas px-2 text-xs text-soft">
      <span>{plural(count, 'line')} without changes</span>
      {isLong && hasAbove ? (
        <Button look="ghost" size="small" onClick={() => open({ down: GAP_STEP })}>
          {GAP_STEP} more below
        </Button>
      ) : null}
      {isLong && hasBelow ? (
        <Button look="ghost" size="small" onClick={() => open({ up: GAP_STEP })}>
          {GAP_STEP} more above
        </Button>
      ) : null}
      <Button look="ghost" size="small" onClick={() => open({ down: count })}>
        Show them
      </Button>
    </div>
  );
}

export interface RowState {
  draft: Pick<ReviewDraft, 'decisions' | 'viewed'>;
  current: { path: string; unit: string | undefined } | undefined;
  selected: LineRange | undefined;
  editor: EditorTarget | undefined;
  mayComment: boolean;
  /** Colours of a line of a file; undefined while there are none. */
  tokensOf: (block: FileBlock, row: LineRow) => readonly Token[] | undefined;
}

function isSelected({ sign, oldLine, newLine }: LineRow, path: string, range?: LineRange): boolean {
  if (range === undefined || range.path !== path) return false;
  if (range.side === 'old' ? sign !== '-' : sign === '-') return false;
  const line = range.side === 'old' ? oldLine : newLine;
  return line !== undefined && line >= range.from && line <= range.to;
}

function rowView(block: FileBlock, row: BlockRow, state: RowState): ReactNode {
  const path = block.id;
  const { decisions } = state.draft;
  switch (row.kind) {
    case 'unit': {
      const isCurrent = state.current?.path === path && state.current.unit === row.unit.id;
      return (
        <UnitBar
          path={path}
          unit={row.unit}
          decision={decisions[row.unit.id]}
          isCurrent={isCurrent}
        />
      );
    }
    case 'line':
      return (
        <LineView
          row={row}
          decision={row.unit === undefined ? undefined : decisions[row.unit]}
          isSelected={isSelected(row, path, state.selected)}
          mayComment={state.mayComment}
          tokens={state.tokensOf(block, row)}
        />
      );
    case 'gap':
      return <GapView path={path} row={row} />;
    case 'note':
      return <p className="px-4 py-3 text-sm text-soft">{row.text}</p>;
    case 'comment':
      return <CommentView shown={row.shown} />;
    case 'editor':
      return state.editor === undefined ? null : (
        <CommentEditor key={row.id ?? 'new'} target={state.editor} />
      );
    case 'pending':
      return (
        <p className="px-4 py-3 text-sm text-soft" style={{ minHeight: 20 * row.count }}>
          Loading
        </p>
      );
  }
}

export function FileSection({
  block,
  state,
  at,
  layout,
  window: { from, to, observe },
}: {
  block: FileBlock;
  state: RowState;
  at: number;
  layout: Layout;
  window: Pick<ListWindow, 'from' | 'to' | 'observe'>;
}) {
  const { id, file, rows } = block;
  const top = layout.topOfBlock(at);
  const { first, end } = layout.rowsBetween(at, from - top, to - top);
  const tops = layout.rowTops(at);
  const { draft, current } = state;
  return (
    <section
      aria-label={id}
      className="absolute inset-x-0"
      style={{ top, height: layout.heightOfBlock(at) }}
    >
      <div data-block={id} ref={observe} className="sticky top-(--review-bar) z-10">
        <FileHead
          file={file}
          decision={decisionOfFile(file, draft.decisions)}
          comments={block.comments}
          isOpen={block.isOpen}
          isWhole={block.isWhole}
          isViewed={isViewed(draft.viewed, id)}
          isCurrent={current?.path === id}
        />
      </div>
      {rows.length === 0 ? null : (
        <div className="relative rounded-b-lg border-x border-b border-line bg-surface">
          <div aria-hidden style={{ height: first < end ? tops[first]! - tops[0]! : 0 }} />
          {rows.slice(first, end).map((row) => (
            <div
              key={row.key}
              data-block={id}
              data-row={row.key}
              ref={observe}
              className="flow-root"
            >
              {rowView(block, row, state)}
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

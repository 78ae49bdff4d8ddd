// One stream in the graph. What changes is read here, so that nothing else is drawn again.
import { estimateText } from '../../../../src/domain/run/estimate-text.ts';
import { memo, use } from 'react';
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { isFixed } from '../../../../src/domain/run/projection.ts';
import { useStreamRow } from '../../../live/run-store.ts';
import type { RunStore } from '../../../live/run-store.ts';
import { cx } from '../../../ui/class-names.ts';
import { formatDollars, formatDuration, formatShort, oneLine } from '../../../ui/format.ts';
import { StatusIcon, lookOf } from '../../../ui/status.tsx';
import { Since } from '../../../ui/time.tsx';
import { nodeText, waitingText } from '../waiting-text.ts';
import { GraphContext } from './graph-context.ts';
import type { PlacedNode } from './layout.ts';

/** Each icon that turns is painted in every frame: hundreds of them leave no time for anything else. */
const MOST_MOVING = 60;

export function stateOf(projection: RunProjection, row: StreamRow): string {
  return row.status === 'failed' && isFixed(projection, row) ? 'complete' : row.status;
}

const waitingOn = ({ agent }: StreamRow) =>
  agent === undefined ? 'asking the model' : `${agent} at work`;

function detailOf(row: StreamRow, projection: RunProjection): string {
  if (row.status === 'in_progress') {
    const waits = waitingText(row);
    if (waits !== undefined) return waits;
    if (row.command !== undefined) return `$ ${row.command}`;
    if (row.activity !== undefined) return row.activity;
    return row.liveTokens > 0 ? `${formatShort(row.liveTokens)} tokens` : waitingOn(row);
  }
  if (row.status === 'failed' && !isFixed(projection, row)) return oneLine(row.error ?? 'failed');
  if (row.status === 'pending' || row.status === 'blocked') {
    return nodeText(projection, row);
  }
  const changed = row.changes.length;
  return changed > 0
    ? `${changed} file${changed === 1 ? '' : 's'} changed`
    : lookOf(row.status).word;
}

function Fix({ store, id, onOpen }: { store: RunStore; id: string; onOpen: (id: string) => void }) {
  const row = useStreamRow(store, id);
  if (row === undefined) return null;
  const { attempt, of } = row.round ?? { attempt: 2, of: 3 };
  return (
    <button
      type="button"
      onClick={() => onOpen(id)}
      className="flex h-[26px] w-full items-center gap-1.5 rounded-md border border-line bg-sunken px-2 text-2xs text-soft hover:text-text"
    >
      <StatusIcon status={row.status} className="size-3" />
      <span className="truncate">
        Fix, attempt {attempt} of {of}
        {row.rung === undefined ? '' : `, ${row.rung.model}`}
      </span>
    </button>
  );
}

/** Placed once: only what its stream does draws it again. */
export const StreamNode = memo(function StreamNode({ node }: { node: PlacedNode }) {
  const { id } = node;
  const { store, selected, onOpen } = use(GraphContext)!;
  const row = useStreamRow(store, id);
  if (row === undefined) return null;
  const { projection } = store;
  const state = stateOf(projection, row);
  const look = lookOf(state);
  const isCrowded = projection.streams.size > MOST_MOVING;
  return (
    <div
      data-stream={id}
      className="absolute flex flex-col gap-1"
      style={{ left: node.x, top: node.y, width: node.width }}
    >
      <button
        type="button"
        onClick={() => onOpen(id)}
        className={cx(
          'flex h-16 w-full flex-col justify-center gap-0.5 rounded-lg border bg-surface px-3 text-left shadow-card transition-colors hover:border-accent',
          selected === id ? 'border-accent ring-2 ring-accent/40' : 'border-line-strong',
        )}
        style={{ borderLeft: `3px solid ${look.fill}` }}
      >
        <span className="flex items-center gap-1.5">
          <StatusIcon status={state} {...(isCrowded ? { className: 'animate-none!' } : {})} />
          <span className="sr-only">{look.word}: </span>
          <span className="truncate text-sm font-medium">{row.name}</span>
          <span className="ml-auto text-2xs text-faint tabular">
            {row.startedAt !== undefined ? (
              <Since time={row.startedAt} />
            ) : row.durationMs > 0 ? (
              formatDuration(row.durationMs)
            ) : null}
          </span>
        </span>
        <span className="flex items-center gap-2 text-2xs text-soft">
          <span className="truncate">{detailOf(row, projection)}</span>
          {row.costUsd ? (
            <span className="ml-auto shrink-0 tabular">{formatDollars(row.costUsd)}</span>
          ) : row.estimatedUsd === undefined ? null : (
            <span className="ml-auto shrink-0 tabular">{estimateText(row.estimatedUsd)}</span>
          )}
        </span>
      </button>
      {row.fixes.map((fix) => (
        <Fix key={fix} store={store} id={fix} onOpen={onOpen} />
      ))}
    </div>
  );
});

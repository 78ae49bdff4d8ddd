// One stream in the graph of a plan. A file is dragged from one to another; the panel of a stream does the same
// with the keyboard.
import { use, useState } from 'react';
import type { DragEvent } from 'react';
import { cx } from '../../ui/class-names.ts';
import { plural } from '../../ui/format.ts';
import { TriangleAlert } from '../../ui/frame-icons.tsx';
import { NODE } from '../run/graph/layout.ts';
import type { PlacedNode } from '../run/graph/layout.ts';
import { PlanContext } from './plan-context.ts';

const FILE_HEIGHT = 26;
/** More would make a column of one stream; the panel has them all. */
const MOST_FILES = 8;
const KIND = 'application/x-millrace-owned';

export function heightOf(files: number): number {
  const rows = files > MOST_FILES ? MOST_FILES + 1 : files;
  return NODE.height + (rows === 0 ? 0 : rows * FILE_HEIGHT + 6);
}

interface Dragged {
  stream: string;
  entry: string;
}

function File({ stream, entry, isMovable }: Dragged & { isMovable: boolean }) {
  const onDragStart = (event: DragEvent) => {
    event.dataTransfer.setData(KIND, JSON.stringify({ stream, entry } satisfies Dragged));
    event.dataTransfer.effectAllowed = 'move';
  };
  return (
    <li
      draggable={isMovable}
      onDragStart={onDragStart}
      // The hand that takes the file does not move the graph.
      onPointerDown={(event) => (isMovable ? event.stopPropagation() : undefined)}
      title={entry}
      className={cx(
        'truncate rounded border border-line bg-sunken px-1.5 font-mono text-2xs leading-5 text-soft',
        isMovable && 'cursor-move hover:border-accent hover:text-text',
      )}
      style={{ marginTop: FILE_HEIGHT - 22 }}
    >
      {entry}
    </li>
  );
}

export function PlanNode({ node: { id, x, y, width, height } }: { node: PlacedNode }) {
  const { plan, selected, onOpen, edit } = use(PlanContext)!;
  const [isOver, setOver] = useState(false);
  const shown = plan.waves.flat().find((each) => each.id === id);
  const stream = plan.manifest.streams.get(id);
  if (shown === undefined || stream === undefined) return null;
  const checks = 'verify' in stream ? stream.verify.length : stream.commands.length;
  const { owns } = shown;
  const isOnPath = plan.criticalPath.length > 1 && plan.criticalPath.includes(id);
  const takes = (event: DragEvent) => edit !== undefined && event.dataTransfer.types.includes(KIND);
  const onDrop = (event: DragEvent) => {
    setOver(false);
    if (!takes(event)) return;
    event.preventDefault();
    const dragged = JSON.parse(event.dataTransfer.getData(KIND)) as Dragged;
    if (dragged.stream !== id) edit!({ kind: 'move', to: id, ...dragged });
  };
  return (
    <div
      data-stream={id}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={cx(
        'absolute overflow-hidden rounded-lg border bg-surface shadow-card',
        isOver || selected === id ? 'border-accent ring-2 ring-accent/40' : 'border-line-strong',
      )}
      style={{
        left: x,
        top: y,
        width,
        height,
        borderLeft: `3px solid var(${isOnPath ? '--accent' : '--line-strong'})`,
      }}
    >
      <button
        type="button"
        aria-pressed={selected === id}
        onClick={() => onOpen(id)}
        className="flex h-[62px] w-full flex-col justify-center gap-0.5 rounded-t-lg px-3 text-left -outline-offset-2 hover:bg-hover"
      >
        <span className="flex items-center gap-1.5">
          <span className="truncate text-sm font-medium">{shown.name}</span>
          {shown.isMoved ? (
            <TriangleAlert
              aria-label="Waits for a stream that writes the same"
              className="ml-auto size-3.5 shrink-0 text-warn"
            />
          ) : null}
        </span>
        <span className="truncate text-2xs text-soft">
          <span className="font-mono">{id}</span> · {plural(owns.length, 'file')},{' '}
          {plural(checks, 'check')}
          {isOnPath ? <span className="sr-only">, on the longest chain</span> : null}
        </span>
      </button>
      {owns.length > 0 ? (
        <ul aria-label={`Files of ${id}`} className="px-1.5">
          {owns.slice(0, MOST_FILES).map((entry) => (
            <File key={entry} stream={id} entry={entry} isMovable={edit !== undefined} />
          ))}
          {owns.length > MOST_FILES ? (
            <li className="pt-1 pl-1.5 text-2xs text-faint">and {owns.length - MOST_FILES} more</li>
          ) : null}
        </ul>
      ) : null}
    </div>
  );
}

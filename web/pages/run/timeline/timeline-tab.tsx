// When each stream waited, asked the model and ran commands, from the first second on.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useMemo, useRef, useState } from 'react';
import { isOver, wavesOf } from '../../../../src/domain/run/projection.ts';
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { useRunVersion } from '../../../live/run-store.ts';
import { cx } from '../../../ui/class-names.ts';
import { formatDuration } from '../../../ui/format.ts';
import { Card } from '../../../ui/surface.tsx';
import { useNow } from '../../../ui/time.tsx';
import { stateOf } from '../graph/stream-node.tsx';
import type { RunView } from '../run-context.ts';
import { criticalPath } from './critical-path.ts';
import { positionOf, scaleOf } from './scale.ts';
import type { Scale } from './scale.ts';
import { spansOf } from './spans.ts';
import { KINDS, LABEL, ROW_HEIGHT, TimelineRow, timesText } from './timeline-row.tsx';

type Line = { wave: number } | { row: StreamRow };

function linesOf(projection: RunProjection): Line[] {
  return wavesOf(projection).flatMap(([wave, rows]): Line[] => [
    { wave },
    ...rows.flatMap((row): Line[] => [
      { row },
      ...row.fixes.flatMap((id) => {
        const fix = projection.streams.get(id);
        return fix === undefined ? [] : [{ row: fix }];
      }),
    ]),
  ]);
}

function Legend() {
  return (
    <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
      {Object.values(KINDS).map(({ word, fill }) => (
        <li key={word} className="flex items-center gap-1.5">
          <svg aria-hidden width="14" height="10">
            <rect
              x=".5"
              y=".5"
              width="13"
              height="9"
              rx="2"
              fill={fill}
              stroke="var(--line-strong)"
            />
          </svg>
          {word}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="h-3 w-[2.5px] rounded-sm bg-good" /> Files written
      </li>
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="size-1.5 rounded-full bg-warn" /> Critical path
      </li>
    </ul>
  );
}

function Axis({ scale }: { scale: Scale }) {
  return (
    <div className="sticky top-0 z-10 flex h-7 items-center border-b border-line bg-surface text-2xs text-faint">
      <span className={LABEL} />
      <div className="relative h-full flex-1 overflow-hidden">
        {scale.ticks.slice(0, -1).map((tick, index) => (
          <span
            key={tick}
            className={cx(
              'absolute top-1.5 border-l border-line pl-1 whitespace-nowrap tabular',
              // Phones have room for every second one.
              index % 2 === 1 && 'max-sm:hidden',
            )}
            style={{ left: `${(100 * tick) / scale.lengthMs}%` }}
          >
            {tick === 0 ? '0' : formatDuration(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

export function TimelineTab({ store, selected, onOpen }: RunView) {
  const version = useRunVersion(store);
  const second = useNow();
  const { projection } = store;
  const isGoing = !isOver(projection) && store.isLive;
  const now = isGoing ? Math.max(second, projection.lastAt) : projection.lastAt;
  const [shown, setShown] = useState<string>();
  // The events are one list that grows in place; `version` says when.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const spans = useMemo(() => spansOf(store.events), [store, version]);
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const lines = useMemo(() => linesOf(projection), [projection, version]);
  const path = criticalPath(projection, spans);
  const critical = new Set(path);
  const full = scaleOf(spans.startedAt, Math.max(spans.endedAt ?? 0, now));
  // The same object as long as it says the same: rows are drawn again when it changes.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const scale = useMemo(() => full, [full.startedAt, full.lengthMs]);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const open = useCallback((id: string) => onOpen(id), [onOpen]);
  const detailed = shown === undefined ? undefined : projection.streams.get(shown);
  const times = shown === undefined ? undefined : spans.streams.get(shown);
  const first = path.map((id) => spans.streams.get(id)?.startedAt).find((at) => at !== undefined);
  const last = path.length === 0 ? undefined : spans.streams.get(path.at(-1)!)?.endedAt;
  return (
    <Card className="overflow-hidden">
      <svg aria-hidden className="absolute size-0">
        <defs>
          <pattern
            id="timeline-wait"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="6" height="6" fill="var(--sunken)" />
            <rect width="2" height="6" fill="var(--line-strong)" />
          </pattern>
        </defs>
      </svg>
      <div className="border-b border-line px-4 py-2.5">
        <Legend />
      </div>
      <div ref={box} className="max-h-[36rem] overflow-y-auto">
        <Axis scale={scale} />
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]!;
            return (
              <div
                key={'row' in line ? line.row.id : `wave ${line.wave}`}
                className="absolute inset-x-0"
                style={{ top: start, height: ROW_HEIGHT }}
              >
                {'wave' in line ? (
                  <h2 className="flex h-full items-end border-b border-line px-3 pb-1 text-2xs font-medium text-faint">
                    Wave {line.wave}
                  </h2>
                ) : (
                  <TimelineRow
                    row={line.row}
                    status={stateOf(projection, line.row)}
                    times={
                      spans.streams.get(line.row.id) ?? {
                        spans: [],
                        applied: [],
                        readyAt: undefined,
                        startedAt: undefined,
                        endedAt: undefined,
                      }
                    }
                    scale={scale}
                    now={now}
                    isCritical={critical.has(line.row.id)}
                    isSelected={selected === line.row.id}
                    onOpen={open}
                    onShow={setShown}
                  />
                )}
              </div>
            );
          })}
          {isGoing ? (
            <div aria-hidden className="pointer-events-none absolute inset-y-0 right-0 left-0 flex">
              <span className={LABEL} />
              <div className="relative flex-1">
                <div
                  className="absolute inset-y-0 w-px bg-accent/60"
                  style={{ left: `${positionOf(scale, now)}%` }}
                />
              </div>
            </div>
          ) : null}
        </div>
      </div>
      <footer className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-xs text-soft">
        {detailed && times ? (
          <span>
            <strong className="font-medium text-text">{detailed.name}</strong>:{' '}
            {timesText(times, now)}
          </span>
        ) : (
          <span>Point at a stream to see where its time went.</span>
        )}
        {path.length > 1 ? (
          <span className="ml-auto min-w-0 truncate">
            Critical path: {path.join(' → ')}
            {first !== undefined && last !== undefined ? `, ${formatDuration(last - first)}` : ''}
          </span>
        ) : null}
      </footer>
    </Card>
  );
}

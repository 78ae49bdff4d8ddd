// One stream on the time axis.
import { memo } from 'react';
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import { cx } from '../../../ui/class-names.ts';
import { formatDuration } from '../../../ui/format.ts';
import { StatusIcon, lookOf } from '../../../ui/status.tsx';
import { positionOf } from './scale.ts';
import type { Scale } from './scale.ts';
import { timesOf } from './spans.ts';
import type { Span, SpanKind, StreamSpans } from './spans.ts';

export const ROW_HEIGHT = 30;
export const LABEL = 'w-36 shrink-0 sm:w-56';

export const KINDS: Readonly<Record<SpanKind, { word: string; fill: string }>> = {
  wait: { word: 'Waiting', fill: 'url(#timeline-wait)' },
  model: { word: 'Model', fill: 'var(--accent)' },
  command: { word: 'Commands', fill: 'var(--violet)' },
  work: { word: 'Preparing, applying', fill: 'var(--line-strong)' },
};

const ORDER: readonly SpanKind[] = ['wait', 'model', 'command', 'work'];

/** In words: for the line under the chart and for screen readers. */
export function timesText(times: StreamSpans, now: number): string {
  const sums = timesOf(times, now);
  const parts = ORDER.filter((kind) => sums[kind] > 0).map(
    (kind) => `${KINDS[kind].word.toLowerCase()} ${formatDuration(sums[kind])}`,
  );
  return parts.length > 0 ? parts.join(', ') : 'not started';
}

function Bar({ span, scale, now }: { span: Span; scale: Scale; now: number }) {
  const from = positionOf(scale, span.from);
  const to = positionOf(scale, span.to ?? now);
  const { word, fill } = KINDS[span.kind];
  const length = formatDuration((span.to ?? now) - span.from);
  const isThin = span.kind === 'work';
  return (
    <rect
      x={`${from}%`}
      width={`${Math.max(0.25, to - from)}%`}
      y={isThin ? 12 : 8}
      height={isThin ? 6 : 14}
      rx={2}
      fill={span.isFailed ? 'var(--bad)' : fill}
      stroke={span.kind === 'wait' ? 'var(--line-strong)' : 'none'}
      className={span.to === undefined ? 'pulse' : undefined}
    >
      <title>{`${span.detail || word}: ${length}${span.isFailed ? ', failed' : ''}`}</title>
    </rect>
  );
}

export const TimelineRow = memo(function TimelineRow({
  row,
  status,
  times,
  scale,
  now,
  isCritical,
  isSelected,
  onOpen,
  onShow,
}: {
  row: StreamRow;
  status: string;
  times: StreamSpans;
  scale: Scale;
  now: number;
  isCritical: boolean;
  isSelected: boolean;
  onOpen: (id: string) => void;
  onShow: (id: string) => void;
}) {
  const total = (times.endedAt ?? now) - (times.startedAt ?? now);
  return (
    <button
      type="button"
      onClick={() => onOpen(row.id)}
      onFocus={() => onShow(row.id)}
      onMouseEnter={() => onShow(row.id)}
      className={cx(
        'flex w-full items-center text-left hover:bg-hover/60 focus-visible:outline-offset-[-2px]',
        isSelected && 'bg-accent-soft',
      )}
      style={{ height: ROW_HEIGHT }}
    >
      <span className={cx(LABEL, 'flex items-center gap-1.5 pr-2 pl-3 text-xs')}>
        {row.fixOf === undefined ? null : <span className="ml-2 text-faint">↳</span>}
        <StatusIcon status={status} className="size-3.5" />
        <span className={cx('truncate', isCritical && 'font-semibold')}>
          {row.fixOf === undefined ? row.name : `Fix ${(row.round?.attempt ?? 2) - 1}`}
        </span>
        {isCritical ? (
          <span title="On the critical path" className="size-1.5 shrink-0 rounded-full bg-warn" />
        ) : null}
        <span className="sr-only">
          , {lookOf(status).word}: {timesText(times, now)}
          {isCritical ? ', on the critical path' : ''}
        </span>
        {times.startedAt === undefined ? null : (
          <span aria-hidden className="ml-auto hidden text-2xs text-faint tabular sm:inline">
            {formatDuration(Math.max(0, total))}
          </span>
        )}
      </span>
      <svg aria-hidden className="h-full min-w-0 flex-1" width="100%" height={ROW_HEIGHT}>
        {times.spans.map((span, index) => (
          <Bar key={index} span={span} scale={scale} now={now} />
        ))}
        {times.applied.map((at) => (
          <rect
            key={at}
            x={`${positionOf(scale, at)}%`}
            y={5}
            width={2.5}
            height={20}
            rx={1}
            fill="var(--good)"
          >
            <title>Files written</title>
          </rect>
        ))}
      </svg>
    </button>
  );
});

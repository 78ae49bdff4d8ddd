// Which attempt is looked at: the stream itself, one of its fixes, and each call of the model.
import { Select } from '../../../ui/field.tsx';
import { cx } from '../../../ui/class-names.ts';
import { StatusIcon, lookOf } from '../../../ui/status.tsx';
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import type { StreamCall } from './stream-calls.ts';

/** Of the attempt itself: a stream that a fix mended is complete, its first attempt was not. */
function statusOf(row: StreamRow): StreamRow['status'] {
  return row.status === 'complete' && row.error !== undefined ? 'failed' : row.status;
}

export function Attempts({
  rows,
  current,
  onChoose,
}: {
  /** The stream and its fixes, in order. */
  rows: readonly StreamRow[];
  current: string;
  onChoose: (id: string) => void;
}) {
  if (rows.length < 2) return null;
  return (
    <div role="group" aria-label="Attempts" className="flex flex-wrap gap-1.5">
      {rows.map((row, index) => (
        <button
          key={row.id}
          type="button"
          aria-pressed={row.id === current}
          onClick={() => onChoose(row.id)}
          className={cx(
            'inline-flex h-7 items-center gap-1.5 rounded-md border px-2 text-xs font-medium',
            row.id === current
              ? 'border-accent bg-accent-soft text-accent-strong'
              : 'border-line-strong text-soft hover:bg-hover',
          )}
        >
          <StatusIcon status={statusOf(row)} className="size-3.5" />
          <span className="sr-only">{lookOf(statusOf(row)).word}: </span>
          {index === 0 ? 'First attempt' : `Fix ${index}`}
          {row.rung === undefined ? null : (
            <span className="font-normal text-soft">{row.rung.model}</span>
          )}
        </button>
      ))}
    </div>
  );
}

export function Calls({
  calls,
  current,
  onChoose,
}: {
  calls: readonly StreamCall[];
  current: string;
  onChoose: (jobId: string) => void;
}) {
  if (calls.length < 2) return null;
  return (
    <Select
      aria-label="Call"
      className="!w-auto self-start"
      value={current}
      onChange={(event) => onChoose(event.target.value)}
    >
      {calls.map(({ jobId, attempt, call }) => (
        <option key={jobId} value={jobId}>
          Attempt {attempt}, call {call}
        </option>
      ))}
    </Select>
  );
}

import { Link } from '@tanstack/react-router';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { knownCost } from '../../../src/domain/usage/known-cost.ts';
import { cx } from '../../ui/class-names.ts';
import { CopyId } from '../../ui/copy.tsx';
import { CHECKBOX } from '../../ui/field.tsx';
import { formatDollars, formatDuration, oneLine, plural } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { ROW, Td } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';

function Models({ names: [first, ...others] }: { names: readonly string[] }) {
  if (first === undefined) return null;
  return (
    <div className="flex gap-1 font-mono text-xs leading-5">
      <span className="truncate" title={first}>
        {first}
      </span>
      {others.length > 0 ? <span title={others.join(', ')}>+{others.length}</span> : null}
    </div>
  );
}

export function RunRow({
  run,
  isSelected,
  onSelect,
}: {
  run: RunSummary;
  isSelected: boolean;
  onSelect: (id: string) => void;
}) {
  const live = run.live;
  return (
    <tr className={cx(ROW, isSelected && 'bg-accent-soft')}>
      <Td className="self-start pr-0 sm:w-8">
        <input
          type="checkbox"
          aria-label={`Select ${run.feature}, ${run.id}`}
          checked={isSelected}
          onChange={() => onSelect(run.id)}
          className={cx(CHECKBOX, 'mt-0.5')}
        />
      </Td>
      <Td className="row-title max-w-md">
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          data-row={run.id}
          className="font-medium hover:text-accent hover:underline"
        >
          {run.feature}
        </Link>
        <div className="mt-0.5 flex flex-wrap items-center gap-x-2 text-2xs text-soft">
          <CopyId id={run.id} isShort className="text-2xs" />
          {run.author ? <span className="max-w-48 truncate">{run.author.name}</span> : null}
          {live?.simulated ? <span>simulated</span> : null}
          {live && run.status === 'in_progress' ? (
            <span className="tabular">
              wave {live.wave} of {live.waves}
            </span>
          ) : null}
          {live && run.status === 'in_progress' && !live.isLive ? (
            <span className="text-warn">lost contact</span>
          ) : null}
        </div>
        {live?.problem && run.status !== 'complete' ? (
          <div className="mt-1 truncate text-xs text-bad" title={live.problem}>
            {oneLine(live.problem)}
          </div>
        ) : null}
      </Td>
      <Td>
        <StatusBadge status={run.status} />
      </Td>
      <Td className="whitespace-nowrap text-soft tabular">
        {live ? `${live.done} of ${live.total}` : plural(run.streamCount, 'stream')}
        {live ? (
          <div className="mt-1.5 h-1 w-24 overflow-hidden rounded-full bg-hover">
            <div
              className={live.failed > 0 ? 'h-full bg-bad' : 'h-full bg-good'}
              style={{ width: `${(100 * live.done) / Math.max(1, live.total)}%` }}
            />
          </div>
        ) : null}
      </Td>
      <Td className="max-w-44 text-soft max-lg:!hidden">
        <Models names={run.models ?? []} />
      </Td>
      <Td label="Time" className="text-right whitespace-nowrap tabular">
        {run.status === 'in_progress' ? (
          <Since time={Date.parse(run.startedAt)} />
        ) : (
          formatDuration(run.durationMs)
        )}
      </Td>
      <Td label="Cost" className="text-right whitespace-nowrap tabular">
        {knownCost(run.totalCostUsd, run.unpricedCalls ?? 0) === null ? (
          <span className="text-faint">unknown</span>
        ) : (
          formatDollars(run.totalCostUsd)
        )}
      </Td>
      <Td className="text-right">
        <Ago time={run.startedAt} />
      </Td>
    </tr>
  );
}

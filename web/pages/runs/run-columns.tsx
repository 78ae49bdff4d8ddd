// What the list of runs shows of each.
import { Link } from '@tanstack/react-router';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { knownCost } from '../../../src/domain/usage/known-cost.ts';
import { CopyId } from '../../ui/copy.tsx';
import { formatDollars, formatDuration, oneLine, plural } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
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

function Title({ run }: { run: RunSummary }) {
  const { live } = run;
  return (
    <>
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
    </>
  );
}

function Streams({ run: { live, streamCount } }: { run: RunSummary }) {
  if (!live) return plural(streamCount, 'stream');
  return (
    <>
      {live.done} of {live.total}
      <div className="mt-1.5 h-1 w-24 overflow-hidden rounded-full bg-hover">
        <div
          className={live.failed > 0 ? 'h-full bg-bad' : 'h-full bg-good'}
          style={{ width: `${(100 * live.done) / Math.max(1, live.total)}%` }}
        />
      </div>
    </>
  );
}

export const RUN_COLUMNS: readonly Column<RunSummary>[] = [
  { head: 'Run', kind: 'title', className: 'max-w-md', cell: (run) => <Title run={run} /> },
  { head: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    head: 'Streams',
    className: 'whitespace-nowrap text-soft tabular',
    cell: (run) => <Streams run={run} />,
  },
  {
    head: 'Model',
    headClassName: 'max-lg:!hidden',
    className: 'max-w-44 text-soft max-lg:!hidden',
    cell: ({ models }) => <Models names={models ?? []} />,
  },
  {
    head: 'Time',
    label: 'Time',
    kind: 'number',
    cell: ({ status, startedAt, durationMs }) =>
      status === 'in_progress' ? (
        <Since time={Date.parse(startedAt)} />
      ) : (
        formatDuration(durationMs)
      ),
  },
  {
    head: 'Cost',
    label: 'Cost',
    kind: 'number',
    cell: ({ totalCostUsd, unpricedCalls }) =>
      knownCost(totalCostUsd, unpricedCalls ?? 0) === null ? (
        <span className="text-faint">unknown</span>
      ) : (
        formatDollars(totalCostUsd)
      ),
  },
  { head: 'Started', kind: 'end', cell: ({ startedAt }) => <Ago time={startedAt} /> },
];

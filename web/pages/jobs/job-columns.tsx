// What lists show of a job.
import { Link } from '@tanstack/react-router';
import type { ListedJob } from '../../../src/contract/job-list-api.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { CopyId } from '../../ui/copy.tsx';
import { Cost } from '../../ui/cost.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { CallMark, keyName, titleOf } from './call-title.tsx';
import { shownStatus } from './shown-status.ts';

function Title({ job }: { job: ListedJob }) {
  return (
    <>
      <Link
        to="/jobs/$jobId"
        params={{ jobId: job.jobId }}
        className="block truncate font-medium hover:text-accent hover:underline"
      >
        {titleOf(job)}
      </Link>
      <span className="flex min-w-0 items-center gap-x-2">
        {job.kind === 'call' ? <CallMark /> : null}
        <CopyId id={job.jobId} isShort className="text-2xs" />
        {job.kind === 'call' && job.apiKey ? (
          <span className="truncate text-2xs text-faint">key {keyName(job.apiKey)}</span>
        ) : null}
      </span>
      {job.waiting ? <p className="mt-1 text-xs text-warn">{jobWaitingText(job.waiting)}</p> : null}
      {job.error && job.errorCode !== 'CANCELLED' ? (
        <p className="mt-1 truncate text-xs text-bad" title={job.error}>
          {job.error}
        </p>
      ) : null}
    </>
  );
}

const NOT_YET = <span className="text-faint">-</span>;

function Time({ job: { startedAt, endedAt } }: { job: ListedJob }) {
  if (startedAt === null) return NOT_YET;
  if (endedAt === null) return <Since time={Date.parse(startedAt)} />;
  return formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
}

export const JOB_COLUMNS: readonly Column<ListedJob>[] = [
  { head: 'Job', kind: 'title', className: 'max-w-xs', cell: (job) => <Title job={job} /> },
  { head: 'Status', cell: (job) => <StatusBadge status={shownStatus(job)} /> },
  { head: 'Model', className: 'whitespace-nowrap text-soft', cell: ({ model }) => model },
  { head: 'Time', label: 'Time', kind: 'number', cell: (job) => <Time job={job} /> },
  {
    head: 'Tokens in / out',
    label: 'Tokens',
    kind: 'number',
    cell: ({ tokensUsed: { input, output } }) => `${formatShort(input)} / ${formatShort(output)}`,
  },
  {
    head: 'Cost',
    label: 'Cost',
    kind: 'number',
    cell: ({ endedAt, costUsd }) => (endedAt === null ? NOT_YET : <Cost usd={costUsd} />),
  },
  { head: 'Submitted', kind: 'end', cell: ({ queuedAt }) => <Ago time={queuedAt} /> },
];

// Single model calls of the team, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Search, SquareTerminal } from '../../ui/icons.tsx';
import type { ListedJob } from '../../../src/contract/job-list-api.ts';
import { listJobs } from '../../api/jobs.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyBlock, CopyId } from '../../ui/copy.tsx';
import { Cost } from '../../ui/cost.tsx';
import {
  ChoiceFilter,
  FilterBar,
  SearchFilter,
  TextFilter,
  TimeFilter,
  useFilters,
} from '../../ui/filters.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { List, Older } from '../../ui/list.tsx';
import { curlOf } from '../../ui/shell-text.ts';
import { sinceOf } from '../../ui/since.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { shownStatus } from './shown-status.ts';

const STATUSES = {
  pending: 'Queued',
  running: 'Running',
  completed: 'Complete',
  failed: 'Failed',
} as const;

function Title({ job }: { job: ListedJob }) {
  return (
    <>
      <Link
        to="/jobs/$jobId"
        params={{ jobId: job.jobId }}
        className="block truncate font-medium hover:text-accent hover:underline"
      >
        {job.streamId}
      </Link>
      <CopyId id={job.jobId} isShort className="text-2xs" />
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

const COLUMNS: readonly Column<ListedJob>[] = [
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

function Nothing() {
  const body = { streamId: 'hello', prompt: 'Say hello', model: 'sim-fast', maxTokens: 200 };
  return (
    <EmptyState icon={<SquareTerminal />} title="No jobs yet">
      <p>A job is one call of a model. Try one in the playground, or send it yourself:</p>
      <div className="w-[32rem] max-w-full text-left">
        <CopyBlock text={curlOf('POST', `${location.origin}/api/v1/execute`, body)} />
      </div>
    </EmptyState>
  );
}

export function JobsPage() {
  const filters = useFilters();
  const mayWrite = useMayWrite();
  const { before, days, id, status, model, runId } = filters.values;
  const isSearchable = id === undefined || /^job_[0-9a-z]{0,26}$/.test(id);
  const filter = {
    status,
    model,
    runId,
    before,
    id: isSearchable ? id : undefined,
    since: sinceOf(days),
  };
  const jobs = useQuery({
    queryKey: ['jobs', filter],
    queryFn: () => listJobs(filter),
    placeholderData: keepPreviousData,
    enabled: isSearchable,
  });
  return (
    <>
      <PageHead title="Jobs" lead="Every call of a model: alone, of a run, or of an execution.">
        {mayWrite ? (
          <Link to="/jobs/new" className={buttonClass('primary')}>
            <Plus /> Playground
          </Link>
        ) : null}
      </PageHead>
      <Card>
        <FilterBar>
          <SearchFilter
            filters={filters}
            name="id"
            label="Search jobs by id"
            placeholder="Search by id: job_..."
            isInvalid={!isSearchable}
          />
          <TextFilter
            filters={filters}
            name="model"
            label="Model"
            placeholder="Any model"
            className="max-w-44"
          />
          <ChoiceFilter
            filters={filters}
            name="status"
            label="Status"
            all="Every status"
            options={STATUSES}
          />
          <TimeFilter filters={filters} />
          {runId ? (
            <Button size="small" onClick={() => filters.set({ runId: undefined })}>
              Of one run: show all
            </Button>
          ) : null}
        </FilterBar>
        {isSearchable ? (
          <List
            query={jobs}
            noun="job"
            filters={filters}
            empty={<Nothing />}
            rows={8}
            foot={({ nextCursor }) => <Older filters={filters} next={nextCursor} />}
          >
            {({ items }) => (
              <Table label="Jobs" columns={COLUMNS} rows={items} keyOf={({ jobId }) => jobId} />
            )}
          </List>
        ) : (
          <EmptyState icon={<Search />} title="That is not a job id">
            <p>
              Ids start with <code>job_</code>. The first characters are enough.
            </p>
          </EmptyState>
        )}
      </Card>
    </>
  );
}

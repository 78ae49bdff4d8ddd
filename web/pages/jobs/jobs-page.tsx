// Single model calls of the team, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Search, SquareTerminal } from 'lucide-react';
import type { ListedJob } from '../../../src/contract/job-list-api.ts';
import { listJobs } from '../../api/jobs.ts';
import { useMayWrite } from '../../session/rights.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyBlock, CopyId } from '../../ui/copy.tsx';
import { Cost } from '../../ui/cost.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { Older } from '../../ui/older.tsx';
import { curlOf } from '../../ui/shell-text.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, EmptyState, Loaded, PageHead } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { shownStatus } from './shown-status.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** To the hour: the same address asks the same question for a while. */
function sinceOf(days: string | undefined): string | undefined {
  if (days === undefined) return undefined;
  return new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - Number(days) * DAY_MS).toISOString();
}

function Row({ job }: { job: ListedJob }) {
  return (
    <tr className={ROW}>
      <Td className="row-title max-w-xs">
        <Link
          to="/jobs/$jobId"
          params={{ jobId: job.jobId }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {job.streamId}
        </Link>
        <CopyId id={job.jobId} isShort className="text-2xs" />
        {job.waiting ? (
          <p className="mt-1 text-xs text-warn">{jobWaitingText(job.waiting)}</p>
        ) : null}
        {job.error && job.errorCode !== 'CANCELLED' ? (
          <p className="mt-1 truncate text-xs text-bad" title={job.error}>
            {job.error}
          </p>
        ) : null}
      </Td>
      <Td>
        <StatusBadge status={shownStatus(job)} />
      </Td>
      <Td className="whitespace-nowrap text-soft">{job.model}</Td>
      <Td label="Time" className="text-right whitespace-nowrap tabular">
        {job.startedAt === null ? (
          <span className="text-faint">-</span>
        ) : job.endedAt === null ? (
          <Since time={Date.parse(job.startedAt)} />
        ) : (
          formatDuration(Date.parse(job.endedAt) - Date.parse(job.startedAt))
        )}
      </Td>
      <Td label="Tokens" className="text-right whitespace-nowrap tabular">
        {formatShort(job.tokensUsed.input)} / {formatShort(job.tokensUsed.output)}
      </Td>
      <Td label="Cost" className="text-right whitespace-nowrap tabular">
        {job.endedAt === null ? <span className="text-faint">-</span> : <Cost usd={job.costUsd} />}
      </Td>
      <Td className="text-right">
        <Ago time={job.queuedAt} />
      </Td>
    </tr>
  );
}

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
  const search = useSearch({ from: '/jobs' });
  const navigate = useNavigate({ from: '/jobs' });
  const mayWrite = useMayWrite();
  const { before, days, id, ...rest } = search;
  const isSearchable = id === undefined || /^job_[0-9a-z]{0,26}$/.test(id);
  const filter = { ...rest, before, id: isSearchable ? id : undefined, since: sinceOf(days) };
  const jobs = useQuery({
    queryKey: ['jobs', filter],
    queryFn: () => listJobs(filter),
    placeholderData: keepPreviousData,
    enabled: isSearchable,
  });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, before: undefined, ...change }, replace: true });
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
        <div className="flex flex-wrap items-center gap-2 border-b border-line p-3">
          <div className="relative min-w-48 flex-1 sm:max-w-72">
            <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-faint" />
            <Input
              type="search"
              aria-label="Search jobs by id"
              placeholder="Search by id: job_..."
              className="pl-8"
              spellCheck={false}
              defaultValue={id ?? ''}
              aria-invalid={isSearchable ? undefined : true}
              onChange={(event) => set({ id: event.target.value.trim() || undefined })}
            />
          </div>
          <Input
            aria-label="Model"
            placeholder="Any model"
            className="max-w-44"
            defaultValue={rest.model ?? ''}
            spellCheck={false}
            onChange={(event) => set({ model: event.target.value.trim() || undefined })}
          />
          <Select
            aria-label="Status"
            value={rest.status ?? ''}
            onChange={(event) => set({ status: event.target.value || undefined })}
          >
            <option value="">Every status</option>
            <option value="pending">Queued</option>
            <option value="running">Running</option>
            <option value="completed">Complete</option>
            <option value="failed">Failed</option>
          </Select>
          <Select
            aria-label="Time"
            value={days ?? ''}
            onChange={(event) => set({ days: event.target.value || undefined })}
          >
            <option value="">Any time</option>
            <option value="1">Last 24 hours</option>
            <option value="7">Last 7 days</option>
            <option value="30">Last 30 days</option>
          </Select>
          {rest.runId ? (
            <Button size="small" onClick={() => set({ runId: undefined })}>
              Of one run: show all
            </Button>
          ) : null}
        </div>
        {isSearchable ? (
          <Loaded query={jobs} rows={8}>
            {({ items, nextCursor }) => (
              <>
                {items.length > 0 ? (
                  <Table label="Jobs">
                    <thead>
                      <tr>
                        <Th>Job</Th>
                        <Th>Status</Th>
                        <Th>Model</Th>
                        <Th className="text-right">Time</Th>
                        <Th className="text-right">Tokens in / out</Th>
                        <Th className="text-right">Cost</Th>
                        <Th className="text-right">Submitted</Th>
                      </tr>
                    </thead>
                    <tbody>
                      {items.map((job) => (
                        <Row key={job.jobId} job={job} />
                      ))}
                    </tbody>
                  </Table>
                ) : isFiltered ? (
                  <EmptyState
                    icon={<Search />}
                    title={nextCursor === null ? 'No job matches' : 'No match among these jobs'}
                  >
                    {nextCursor === null ? null : <p>There are older ones to look through.</p>}
                    <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
                  </EmptyState>
                ) : (
                  <Nothing />
                )}
                <Older
                  isFirst={before === undefined}
                  next={nextCursor}
                  onChange={(cursor) => set({ before: cursor })}
                />
              </>
            )}
          </Loaded>
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

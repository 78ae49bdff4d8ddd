// All runs of the team, newest first, as they go.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { GitFork, Search } from 'lucide-react';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock, CopyId } from '../../ui/copy.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { formatDollars, formatDuration, plural } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, EmptyState, Loaded, PageHead } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { RunBars } from './run-bars.tsx';

const PAGE = 50;
const STATUSES = ['in_progress', 'paused', 'complete', 'failed', 'cancelled'] as const;
const DAY_MS = 86_400_000;

type Status = (typeof STATUSES)[number];

function RunRow({ run }: { run: RunSummary }) {
  const live = run.live;
  return (
    <tr className={ROW}>
      <Td className="max-w-md">
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          className="font-medium hover:text-accent hover:underline"
        >
          {run.feature}
        </Link>
        <div className="mt-0.5">
          <CopyId id={run.id} className="text-2xs" />
        </div>
        {live?.problem && run.status !== 'complete' ? (
          <div className="mt-1 truncate text-xs text-bad" title={live.problem}>
            {live.problem}
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
      <Td className="text-right whitespace-nowrap tabular">
        {run.status === 'in_progress' ? (
          <Since time={Date.parse(run.startedAt)} />
        ) : (
          formatDuration(run.durationMs)
        )}
      </Td>
      <Td className="text-right whitespace-nowrap tabular">
        {run.totalCostUsd === null ? (
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

export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { status, q, days, page = 1 } = search;
  const isFiltered = status !== undefined || q !== undefined || days !== undefined;
  const filter = {
    ...(status === undefined ? {} : { status: status as Status }),
    ...(q === undefined ? {} : { feature: q }),
    // To the hour: the same address asks the same question for a while.
    ...(days === undefined
      ? {}
      : {
          since: new Date(
            Math.floor(Date.now() / 3_600_000) * 3_600_000 - days * DAY_MS,
          ).toISOString(),
        }),
  };
  const runs = useQuery({
    queryKey: ['runs', filter, page],
    queryFn: ({ signal }) =>
      api.listRuns({ ...filter, offset: (page - 1) * PAGE, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  });
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, page: undefined, ...change } as typeof search });
  return (
    <>
      <PageHead title="Runs" lead="What ran, what is running, and what it cost." />
      <RunBars runs={page === 1 ? (runs.data?.items ?? []) : []} />
      <Card>
        <div className="flex flex-wrap items-center gap-2 border-b border-line p-3">
          <div className="relative min-w-48 flex-1 sm:max-w-72">
            <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-faint" />
            <Input
              type="search"
              aria-label="Search runs by name"
              placeholder="Search by name"
              className="pl-8"
              defaultValue={q ?? ''}
              onChange={(event) => set({ q: event.target.value || undefined } as never)}
            />
          </div>
          <Select
            aria-label="Status"
            value={status ?? ''}
            onChange={(event) => set({ status: event.target.value || undefined } as never)}
          >
            <option value="">Every status</option>
            <option value="in_progress">Running</option>
            <option value="complete">Complete</option>
            <option value="failed">Failed</option>
            <option value="cancelled">Cancelled</option>
            <option value="paused">Paused</option>
          </Select>
          <Select
            aria-label="Time"
            value={days ?? ''}
            onChange={(event) => set({ days: Number(event.target.value) || undefined } as never)}
          >
            <option value="">Any time</option>
            <option value="1">Last 24 hours</option>
            <option value="7">Last 7 days</option>
            <option value="30">Last 30 days</option>
          </Select>
        </div>
        <Loaded query={runs} rows={8}>
          {({ items, total }) =>
            items.length === 0 ? (
              isFiltered ? (
                <EmptyState icon={<Search />} title="No run matches">
                  <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
                </EmptyState>
              ) : (
                <EmptyState icon={<GitFork />} title="No runs yet">
                  <p>Run a manifest in your project, and it shows up here while it runs.</p>
                  <div className="w-80 max-w-full text-left">
                    <CopyBlock text={'millrace init\nmillrace run'} />
                  </div>
                </EmptyState>
              )
            ) : (
              <>
                <Table label="Runs">
                  <thead>
                    <tr>
                      <Th>Run</Th>
                      <Th>Status</Th>
                      <Th>Streams</Th>
                      <Th className="text-right">Time</Th>
                      <Th className="text-right">Cost</Th>
                      <Th className="text-right">Started</Th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((run) => (
                      <RunRow key={run.id} run={run} />
                    ))}
                  </tbody>
                </Table>
                {total > PAGE ? (
                  <div className="flex items-center gap-2 border-t border-line p-3 text-sm text-soft">
                    <span className="tabular">
                      {(page - 1) * PAGE + 1}-{Math.min(total, page * PAGE)} of {total}
                    </span>
                    <Button
                      size="small"
                      className="ml-auto"
                      disabled={page <= 1}
                      onClick={() => set({ page: page - 1 })}
                    >
                      Newer
                    </Button>
                    <Button
                      size="small"
                      disabled={page * PAGE >= total}
                      onClick={() => set({ page: page + 1 })}
                    >
                      Older
                    </Button>
                  </div>
                ) : null}
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

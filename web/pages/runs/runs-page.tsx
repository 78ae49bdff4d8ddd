// All runs of the team, newest first, as they go.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, GitFork, Search } from 'lucide-react';
import { Suspense, lazy, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { suggestCommand } from '../../../src/domain/command/suggested-command.ts';
import { command, plainLaunch } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';
import { Card, EmptyState, Loaded, PageHead } from '../../ui/surface.tsx';
import { Table, Th } from '../../ui/table.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { exportRuns } from './export-runs.ts';
import { useListKeys } from './list-keys.ts';
import { RunBars } from './run-bars.tsx';
import { RunRow } from './run-row.tsx';

const PAGE = 50;
const STATUSES = ['in_progress', 'paused', 'complete', 'failed', 'cancelled'] as const;
const DAY_MS = 86_400_000;

type Status = (typeof STATUSES)[number];

const SelectedRuns = lazy(async () => ({
  default: (await import('./selected-runs.tsx')).SelectedRuns,
}));

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { status, q, days, by, page = 1 } = search;
  const isFiltered = [status, q, days, by].some((each) => each !== undefined);
  const filter = {
    ...(status === undefined ? {} : { status: status as Status }),
    ...(q === undefined ? {} : { feature: q }),
    ...(by === undefined ? {} : { author: by }),
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
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = (id: string) => setSelected(toggled(selected, id));
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, select);
  const chosen = (runs.data?.items ?? []).filter(({ id }) => selected.has(id));
  const save = (as: 'csv' | 'json') =>
    void exportRuns(filter, as).then(
      (count) => toast(`${plural(count, 'run')} exported.`, 'good'),
      toastError,
    );
  return (
    <>
      <PageHead title="Runs" lead="What ran, what is running, and what it cost.">
        <Button icon={<Download />} onClick={() => save('csv')}>
          CSV
        </Button>
        <Button icon={<Download />} onClick={() => save('json')}>
          JSON
        </Button>
      </PageHead>
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
            className="!w-36"
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
            className="!w-36"
            value={days ?? ''}
            onChange={(event) => set({ days: Number(event.target.value) || undefined } as never)}
          >
            <option value="">Any time</option>
            <option value="1">Last 24 hours</option>
            <option value="7">Last 7 days</option>
            <option value="30">Last 30 days</option>
          </Select>
          <Select
            aria-label="Author"
            className="!w-32"
            value={by ?? ''}
            onChange={(event) => set({ by: event.target.value || undefined } as never)}
          >
            <option value="">Everybody</option>
            <option value="me">Mine</option>
          </Select>
        </div>
        {chosen.length > 0 ? (
          <Suspense>
            <SelectedRuns runs={chosen} onClear={() => setSelected(new Set())} />
          </Suspense>
        ) : null}
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
                  <div className="w-[36rem] max-w-full text-left">
                    <CopyBlock
                      text={`${suggestCommand(plainLaunch(), 'init')}\n${command('run')}`}
                    />
                  </div>
                </EmptyState>
              )
            ) : (
              <div ref={list}>
                <Table label="Runs">
                  <thead>
                    <tr>
                      <Th className="w-8 pr-0">
                        <span className="sr-only">Selected</span>
                      </Th>
                      <Th>Run</Th>
                      <Th>Status</Th>
                      <Th>Streams</Th>
                      <Th className="max-lg:!hidden">Model</Th>
                      <Th className="text-right">Time</Th>
                      <Th className="text-right">Cost</Th>
                      <Th className="text-right">Started</Th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((run) => (
                      <RunRow
                        key={run.id}
                        run={run}
                        isSelected={selected.has(run.id)}
                        onSelect={select}
                      />
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
              </div>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

// All runs of the team, newest first, as they go.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { GitFork } from '../../ui/frame-icons.tsx';
import { Download, Play } from '../../ui/icons.tsx';
import { Suspense, lazy, useRef, useState } from 'react';
import type { RunSummary } from '../../../src/contract/history-api.ts';
import { suggestCommand } from '../../../src/domain/command/suggested-command.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { command, plainLaunch } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { CHECKBOX } from '../../ui/field.tsx';
import {
  ChoiceFilter,
  FilterBar,
  SearchFilter,
  TimeFilter,
  useFilters,
} from '../../ui/filters.tsx';
import { plural } from '../../ui/format.ts';
import { List, NumberedPages } from '../../ui/list.tsx';
import { sinceOf } from '../../ui/since.ts';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { exportRuns } from './export-runs.ts';
import { useListKeys } from './list-keys.ts';
import { RunBars } from './run-bars.tsx';
import { RUN_COLUMNS } from './run-columns.tsx';

const PAGE = 50;
const STATUSES = {
  in_progress: 'Running',
  complete: 'Complete',
  failed: 'Failed',
  cancelled: 'Cancelled',
  paused: 'Paused',
} as const;

const SelectedRuns = lazy(async () => ({
  default: (await import('./selected-runs.tsx')).SelectedRuns,
}));

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

function checkboxColumn(
  selected: ReadonlySet<string>,
  onSelect: (id: string) => void,
): Column<RunSummary> {
  return {
    head: 'Selected',
    isHeadHidden: true,
    headClassName: 'w-8 pr-0',
    className: 'self-start pr-0 sm:w-8',
    cell: ({ id, feature }) => (
      <input
        type="checkbox"
        aria-label={`Select ${feature}, ${id}`}
        checked={selected.has(id)}
        onChange={() => onSelect(id)}
        className={cx(CHECKBOX, 'mt-0.5')}
      />
    ),
  };
}

function Nothing() {
  return (
    <EmptyState icon={<GitFork />} title="No runs yet">
      <p>Run a manifest in your project, and it shows up here while it runs.</p>
      <div className="w-[36rem] max-w-full text-left">
        <CopyBlock text={`${suggestCommand(plainLaunch(), 'init')}\n${command('run')}`} />
      </div>
    </EmptyState>
  );
}

export function RunsPage() {
  const mayWrite = useMayWrite();
  const filters = useFilters();
  const { status, q, days, by } = filters.values;
  const page = Math.max(1, Math.trunc(Number(filters.values['page']) || 1));
  const since = sinceOf(days);
  const filter = {
    ...(status === undefined ? {} : { status: status as keyof typeof STATUSES }),
    ...(q === undefined ? {} : { feature: q }),
    ...(by === 'me' ? { author: by } : {}),
    ...(since === undefined ? {} : { since }),
  };
  const runs = useQuery({
    queryKey: ['runs', filter, page],
    queryFn: ({ signal }) =>
      api.listRuns({ ...filter, offset: (page - 1) * PAGE, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  });
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
        {mayWrite ? (
          <Link to="/requests/new" className={buttonClass('primary')}>
            <Play aria-hidden />
            New run
          </Link>
        ) : null}
      </PageHead>
      <RunBars runs={page === 1 ? (runs.data?.items ?? []) : []} />
      <Card>
        <FilterBar>
          <SearchFilter
            filters={filters}
            name="q"
            label="Search runs by name"
            placeholder="Search by name"
          />
          <ChoiceFilter
            filters={filters}
            name="status"
            label="Status"
            all="Every status"
            options={STATUSES}
            className="!w-36"
          />
          <TimeFilter filters={filters} className="!w-36" />
          <ChoiceFilter
            filters={filters}
            name="by"
            label="Author"
            all="Everybody"
            options={{ me: 'Mine' }}
            className="!w-32"
          />
        </FilterBar>
        {chosen.length > 0 ? (
          <Suspense>
            <SelectedRuns runs={chosen} onClear={() => setSelected(new Set())} />
          </Suspense>
        ) : null}
        <List
          query={runs}
          noun="run"
          filters={filters}
          empty={<Nothing />}
          rows={8}
          foot={({ total }) => (
            <NumberedPages filters={filters} page={page} size={PAGE} total={total} />
          )}
        >
          {({ items }) => (
            <div ref={list}>
              <Table
                label="Runs"
                columns={[checkboxColumn(selected, select), ...RUN_COLUMNS]}
                rows={items}
                keyOf={({ id }) => id}
                isSelected={({ id }) => selected.has(id)}
              />
            </div>
          )}
        </List>
      </Card>
    </>
  );
}

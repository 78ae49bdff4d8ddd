// Tasks that the server planned and ran, newest first, as they go.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Workflow } from '../../ui/frame-icons.tsx';
import { Plus } from '../../ui/icons.tsx';
import type { ExecutionStatus, ListedExecution } from '../../../src/contract/execution-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { buttonClass } from '../../ui/button.tsx';
import { command } from '../../ui/command.ts';
import { CopyBlock, CopyId } from '../../ui/copy.tsx';
import { Cost } from '../../ui/cost.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { ChoiceFilter, FilterBar, useFilters } from '../../ui/filters.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { List, Older } from '../../ui/list.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { StepBar } from './step-bar.tsx';

const STATUSES = {
  running: 'Running',
  completed: 'Complete',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;

function Title({ item: { id, task } }: { item: ListedExecution }) {
  return (
    <>
      <Link
        to="/executions/$executionId"
        params={{ executionId: id }}
        className="line-clamp-2 font-medium hover:text-accent hover:underline"
      >
        {task}
      </Link>
      <CopyId id={id} isShort className="mt-0.5 text-2xs" />
    </>
  );
}

const COLUMNS: readonly Column<ListedExecution>[] = [
  { head: 'Task', kind: 'title', className: 'max-w-md', cell: (item) => <Title item={item} /> },
  {
    head: 'Status',
    cell: ({ status, progress }) => (
      <StatusBadge status={status === 'running' && progress.total === 0 ? 'planning' : status} />
    ),
  },
  {
    head: 'Steps',
    cell: ({ progress, status }) => <StepBar {...progress} isFailed={status === 'failed'} />,
  },
  {
    head: 'Time',
    label: 'Time',
    kind: 'number',
    cell: ({ status, createdAt, metrics }) =>
      status === 'running' ? (
        <Since time={Date.parse(createdAt)} />
      ) : (
        formatDuration(metrics.duration)
      ),
  },
  {
    head: 'Tokens',
    label: 'Tokens',
    kind: 'number',
    cell: ({ metrics }) => formatShort(metrics.tokensUsed),
  },
  {
    head: 'Cost',
    label: 'Cost',
    kind: 'number',
    cell: ({ metrics }) => <Cost usd={metrics.costUsd} unpriced={metrics.unpricedCalls} />,
  },
  { head: 'Started', kind: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
];

function Nothing() {
  return (
    <EmptyState icon={<Workflow />} title="No executions yet">
      <p>
        Hand over a task: the server plans it, runs the steps, and gives back file changes that you
        can look at before you apply them.
      </p>
      <div className="w-[36rem] max-w-full text-left">
        <CopyBlock text={command('exec', 'Add a health endpoint')} />
      </div>
      <p>
        Or let your assistant do it:{' '}
        <Link to="/connect" className="text-accent underline">
          connect one
        </Link>
        .
      </p>
    </EmptyState>
  );
}

export function ExecutionsPage() {
  const filters = useFilters();
  const { status, mine, before } = filters.values;
  const mayWrite = useMayWrite();
  const filter = {
    ...(status === undefined ? {} : { status: status as ExecutionStatus }),
    ...(mine === undefined ? {} : { mine: true }),
    ...(before === undefined ? {} : { before }),
  };
  const executions = useQuery({
    queryKey: ['executions', filter],
    queryFn: ({ signal }) => api.executions.list(filter, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        title="Executions"
        lead="Tasks that the server plans and runs, from an assistant, the command line or here."
      >
        {mayWrite ? (
          <Link to="/executions/new" className={buttonClass('primary')}>
            <Plus /> New execution
          </Link>
        ) : null}
      </PageHead>
      <Card>
        <FilterBar>
          <ChoiceFilter
            filters={filters}
            name="status"
            label="Status"
            all="Every status"
            options={STATUSES}
            className="mr-2"
          />
          <Checkbox
            label="Only mine"
            checked={mine !== undefined}
            onChange={(event) => filters.set({ mine: event.target.checked ? 'yes' : undefined })}
          />
        </FilterBar>
        <List
          query={executions}
          noun="execution"
          filters={filters}
          empty={<Nothing />}
          rows={8}
          foot={({ nextCursor }) => <Older filters={filters} next={nextCursor} />}
        >
          {({ items }) => (
            <Table label="Executions" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )}
        </List>
      </Card>
    </>
  );
}

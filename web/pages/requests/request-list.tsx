// What was asked of runners, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunRequest, RunRequestQuery } from '../../../src/contract/run-request-api.ts';
import { api } from '../../api/client.ts';
import { ChoiceFilter, FilterBar, useFilters } from '../../ui/filters.tsx';
import { List, Older } from '../../ui/list.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, CardHead, EmptyState } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { RequestTitle } from './request-title.tsx';

const STATUSES = {
  open: 'Open',
  completed: 'Complete',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const COLUMNS: readonly Column<RunRequest>[] = [
  {
    head: 'What',
    kind: 'title',
    className: 'max-w-md',
    cell: (request) => <RequestTitle request={request} />,
  },
  {
    head: 'State',
    cell: ({ status, cancelRequested, endedAt, waitsFor }) => (
      <>
        <StatusBadge
          status={status}
          {...(cancelRequested && endedAt === null ? { word: 'Stopping' } : {})}
        />
        {waitsFor === null ? null : <p className="mt-1 max-w-64 text-xs text-soft">{waitsFor}</p>}
      </>
    ),
  },
  { head: 'Project', label: 'Project', cell: ({ project }) => project },
  {
    head: 'Run',
    label: 'Run',
    cell: ({ runId, id }) =>
      runId === null ? (
        <span className="text-faint">none yet</span>
      ) : (
        <Link
          to="/runs/$runId"
          params={{ runId }}
          aria-label={`Open the run of ${id}`}
          className="text-accent hover:underline"
        >
          Open
        </Link>
      ),
  },
  {
    head: 'By',
    label: 'By',
    cell: ({ requestedBy, origin }) => (
      <span className="text-soft [overflow-wrap:anywhere]">
        {requestedBy.email}
        {origin.kind === 'person' ? '' : `, by a ${origin.kind}`}
      </span>
    ),
  },
  { head: 'Asked', kind: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
];

export function RequestList({ projects }: { projects: readonly string[] }) {
  const filters = useFilters();
  const { status, project, before } = filters.values;
  const filter = {
    ...(status === undefined ? {} : { status: status as NonNullable<RunRequestQuery['status']> }),
    ...(project === undefined ? {} : { project }),
    ...(before === undefined ? {} : { before }),
  };
  const requests = useQuery({
    queryKey: ['requests', filter],
    queryFn: ({ signal }) => api.runRequests.list(filter, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Card>
      <CardHead title="Requests" />
      <FilterBar>
        <ChoiceFilter
          filters={filters}
          name="status"
          label="State"
          all="Every state"
          options={STATUSES}
        />
        <ChoiceFilter
          filters={filters}
          name="project"
          label="Project"
          all="Every project"
          options={Object.fromEntries(projects.map((name) => [name, name]))}
        />
      </FilterBar>
      <List
        query={requests}
        noun="request"
        filters={filters}
        empty={
          <EmptyState title="Nothing was asked for yet">
            Start a run in a project, and it shows up here.
          </EmptyState>
        }
        rows={4}
        foot={({ nextCursor }) => <Older filters={filters} next={nextCursor} />}
      >
        {({ items }) => (
          <Table label="Requests" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
        )}
      </List>
    </Card>
  );
}

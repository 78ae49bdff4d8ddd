// What runs ask: open questions first, for those who may answer.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell } from '../../ui/frame-icons.tsx';
import type { ApprovalStatus, ListedApproval } from '../../../src/contract/approval-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { command } from '../../ui/command.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { ChoiceFilter, FilterBar, useFilters } from '../../ui/filters.tsx';
import { List, Older } from '../../ui/list.tsx';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { NoticeSwitch } from './notice-switch.tsx';
import { stateText } from './state-text.ts';

const TITLE = 'Needs you';
const LEAD = 'What runs of this team ask before they act.';
const STATUSES = { approved: 'Approved', denied: 'Denied', withdrawn: 'Withdrawn', all: 'All' };

const COLUMNS: readonly Column<ListedApproval>[] = [
  {
    head: 'What',
    kind: 'title',
    className: 'max-w-md',
    cell: ({ id, title }) => (
      <Link
        to="/approvals/$approvalId"
        params={{ approvalId: id }}
        className="line-clamp-2 font-medium hover:text-accent hover:underline"
      >
        {title}
      </Link>
    ),
  },
  { head: 'Kind', cell: ({ kind }) => <span className="text-soft">{kind}</span> },
  { head: 'State', cell: (item) => stateText(item) },
  {
    head: 'By',
    cell: ({ requestedBy }) => <span className="text-soft">{requestedBy.email}</span>,
  },
  { head: 'Asked', kind: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
];

function Nothing() {
  return (
    <EmptyState icon={<Bell />} title="Nothing needs you">
      <p>
        A manifest with <code>approve: [changes]</code> asks here before its changes are written.
      </p>
      <div className="w-[36rem] max-w-full text-left">
        <CopyBlock text={command('approvals', 'list')} />
      </div>
    </EmptyState>
  );
}

export function ApprovalsPage() {
  const filters = useFilters();
  const { status = 'open', before } = filters.values;
  const mayWrite = useMayWrite();
  const filter = {
    ...(status === 'all' ? {} : { status: status as ApprovalStatus }),
    ...(before === undefined ? {} : { before }),
  };
  const approvals = useQuery({
    queryKey: ['approvals', filter],
    queryFn: ({ signal }) => api.approvals.list(filter, { signal }),
    placeholderData: keepPreviousData,
    enabled: mayWrite,
  });
  if (!mayWrite) {
    return (
      <>
        <PageHead title={TITLE} lead={LEAD} />
        <EmptyState icon={<Bell />} title="Nothing needs you">
          Your role in this team answers no questions of runs.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHead title={TITLE} lead={LEAD}>
        <NoticeSwitch />
      </PageHead>
      <Card>
        <FilterBar>
          <ChoiceFilter
            filters={filters}
            name="status"
            label="State"
            all="Open"
            options={STATUSES}
          />
        </FilterBar>
        <List
          query={approvals}
          noun="approval"
          filters={filters}
          empty={<Nothing />}
          rows={5}
          foot={({ nextCursor }) => <Older filters={filters} next={nextCursor} />}
        >
          {({ items }) => (
            <Table label="Approvals" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )}
        </List>
      </Card>
    </>
  );
}

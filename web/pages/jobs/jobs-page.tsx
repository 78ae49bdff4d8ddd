// Single model calls of the team, newest first.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SquareTerminal } from '../../ui/frame-icons.tsx';
import { Plus, Search } from '../../ui/icons.tsx';
import { listJobs } from '../../api/jobs.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import {
  ChoiceFilter,
  FilterBar,
  SearchFilter,
  TextFilter,
  TimeFilter,
  useFilters,
} from '../../ui/filters.tsx';
import { List, Older } from '../../ui/list.tsx';
import { curlOf } from '../../ui/shell-text.ts';
import { sinceOf } from '../../ui/since.ts';
import { Card, EmptyState, PageHead } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import { JOB_COLUMNS } from './job-columns.tsx';

const STATUSES = {
  pending: 'Queued',
  running: 'Running',
  completed: 'Complete',
  failed: 'Failed',
} as const;

const KINDS = { job: 'Jobs', call: 'Model calls' } as const;

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
  const { before, days, id, kind, status, model, runId } = filters.values;
  const isSearchable = id === undefined || /^job_[0-9a-z]{0,26}$/.test(id);
  const filter = {
    kind,
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
      <PageHead
        title="Jobs"
        lead="Every call of a model: alone, of a run, of an execution, or through the model endpoint."
      >
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
            name="kind"
            label="Kind"
            all="Every kind"
            options={KINDS}
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
              <Table label="Jobs" columns={JOB_COLUMNS} rows={items} keyOf={({ jobId }) => jobId} />
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

// Tasks that the server planned and ran, newest first, as they go.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Search, Workflow } from 'lucide-react';
import type { ExecutionStatus, ListedExecution } from '../../../src/contract/execution-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { command } from '../../ui/command.ts';
import { CopyBlock, CopyId } from '../../ui/copy.tsx';
import { Cost } from '../../ui/cost.tsx';
import { Checkbox, Select } from '../../ui/field.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { Older } from '../../ui/older.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, EmptyState, Loaded, PageHead } from '../../ui/surface.tsx';
import { ROW, Table, Td, Th } from '../../ui/table.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { StepBar } from './step-bar.tsx';

function Row({ item }: { item: ListedExecution }) {
  const { progress, metrics } = item;
  return (
    <tr className={ROW}>
      <Td className="row-title max-w-md">
        <Link
          to="/executions/$executionId"
          params={{ executionId: item.id }}
          className="line-clamp-2 font-medium hover:text-accent hover:underline"
        >
          {item.task}
        </Link>
        <CopyId id={item.id} isShort className="mt-0.5 text-2xs" />
      </Td>
      <Td>
        <StatusBadge
          status={item.status === 'running' && progress.total === 0 ? 'planning' : item.status}
        />
      </Td>
      <Td>
        <StepBar {...progress} isFailed={item.status === 'failed'} />
      </Td>
      <Td label="Time" className="text-right whitespace-nowrap tabular">
        {item.status === 'running' ? (
          <Since time={Date.parse(item.createdAt)} />
        ) : (
          formatDuration(metrics.duration)
        )}
      </Td>
      <Td label="Tokens" className="text-right whitespace-nowrap tabular">
        {formatShort(metrics.tokensUsed)}
      </Td>
      <Td label="Cost" className="text-right whitespace-nowrap tabular">
        <Cost usd={metrics.costUsd} unpriced={metrics.unpricedCalls} />
      </Td>
      <Td className="text-right">
        <Ago time={item.createdAt} />
      </Td>
    </tr>
  );
}

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
  const { status, mine, before } = useSearch({ from: '/executions' });
  const navigate = useNavigate({ from: '/executions' });
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
        <div className="flex flex-wrap items-center gap-4 border-b border-line p-3">
          <Select
            aria-label="Status"
            value={status ?? ''}
            onChange={(event) =>
              void navigate({ search: { status: event.target.value || undefined, mine } })
            }
          >
            <option value="">Every status</option>
            <option value="running">Running</option>
            <option value="completed">Complete</option>
            <option value="failed">Failed</option>
            <option value="cancelled">Cancelled</option>
          </Select>
          <Checkbox
            label="Only mine"
            checked={mine !== undefined}
            onChange={(event) =>
              void navigate({ search: { status, mine: event.target.checked ? 'yes' : undefined } })
            }
          />
        </div>
        <Loaded query={executions} rows={8}>
          {({ items, nextCursor }) =>
            items.length > 0 ? (
              <>
                <Table label="Executions">
                  <thead>
                    <tr>
                      <Th>Task</Th>
                      <Th>Status</Th>
                      <Th>Steps</Th>
                      <Th className="text-right">Time</Th>
                      <Th className="text-right">Tokens</Th>
                      <Th className="text-right">Cost</Th>
                      <Th className="text-right">Started</Th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((item) => (
                      <Row key={item.id} item={item} />
                    ))}
                  </tbody>
                </Table>
                <Older
                  isFirst={before === undefined}
                  next={nextCursor}
                  onChange={(cursor) => void navigate({ search: { status, mine, before: cursor } })}
                />
              </>
            ) : status === undefined && mine === undefined && before === undefined ? (
              <Nothing />
            ) : (
              <EmptyState icon={<Search />} title="No execution matches">
                <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>
              </EmptyState>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

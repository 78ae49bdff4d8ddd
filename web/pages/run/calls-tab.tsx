// What the agents of a run asked of models by themselves: each call is a job of the run.
import { Link } from '@tanstack/react-router';
import { Card, EmptyState, Loaded } from '../../ui/surface.tsx';
import { Table } from '../../ui/table.tsx';
import { JOB_COLUMNS } from '../jobs/job-columns.tsx';
import type { RunView } from './run-context.ts';
import { useRunCalls } from './use-run-calls.ts';

export function CallsTab({ runId }: RunView) {
  return (
    <Card>
      <Loaded query={useRunCalls(runId)}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <EmptyState title="No model calls">
              Agents of this run have not called a model through the model endpoint.
            </EmptyState>
          ) : (
            <>
              <Table
                label="Model calls"
                columns={JOB_COLUMNS}
                rows={items}
                keyOf={({ jobId }) => jobId}
              />
              {hasMore ? (
                <p className="border-t border-line px-4 py-3 text-sm">
                  <Link
                    to="/jobs"
                    search={{ runId, kind: 'call' }}
                    className="text-accent underline"
                  >
                    Show all calls of the run
                  </Link>
                </p>
              ) : null}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

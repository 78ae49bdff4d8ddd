// One execution: its steps as they run, what they changed, and what it cost.
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { PencilLine, RotateCw } from '../../ui/frame-icons.tsx';
import { Play, Square } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { Execution } from '../../../src/contract/execution-api.ts';
import { api } from '../../api/client.ts';
import { queryClient } from '../../session/query-client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Cost } from '../../ui/cost.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { Path } from '../../ui/path.tsx';
import { Snippets } from '../../ui/snippets.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, CardHead, Loaded, PageHead } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Tab } from '../../ui/tabs.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { ExecutionChanges, changedFiles } from './execution-changes.tsx';
import { ExecutionPlan } from './execution-plan.tsx';
import { ExecutionSteps } from './execution-steps.tsx';
import { executionSnippets } from './execution-snippets.ts';
import { useExecution } from './use-execution.ts';

function Cancel({ id }: { id: string }) {
  const [asking, setAsking] = useState(false);
  const cancel = useMutation({
    mutationFn: () => api.executions.cancel(id),
    onSuccess({ cancelled }) {
      setAsking(false);
      toast(cancelled ? 'The execution is cancelled.' : 'The execution had already ended.');
      void queryClient.invalidateQueries({ queryKey: ['execution', id] });
    },
  });
  return (
    <>
      <Button look="danger" icon={<Square />} onClick={() => setAsking(true)}>
        Cancel
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Cancel this execution?"
        action="Cancel the execution"
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        Model calls stop now; what they have used so far is charged. Pending steps are skipped, and
        the changes of completed steps are kept.
      </ConfirmDialog>
    </>
  );
}

/** The plan that is shown: it is not made and paid for again. */
function RunPlan({ id }: { id: string }) {
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: () => api.executions.runPlan(id),
    onSuccess: (started) =>
      navigate({ to: '/executions/$executionId', params: { executionId: started.id } }),
  });
  return (
    <Button look="primary" icon={<Play />} busy={run.isPending} onClick={() => run.mutate()}>
      Run this task
    </Button>
  );
}

function ExecutionFacts({ execution }: { execution: Execution }) {
  const { status, progress, metrics, steps } = execution;
  return (
    <Facts>
      <Fact name="Status">
        <StatusBadge
          status={status === 'running' && steps.length === 0 ? 'planning' : status}
          {...(execution.dryRun && status === 'completed' ? { word: 'Planned' } : {})}
        />
      </Fact>
      {execution.dryRun ? null : (
        <Fact name="Steps">
          {progress.total === 0 ? '-' : `${progress.current} of ${progress.total}`}
        </Fact>
      )}
      <Fact name="Time">
        {status === 'running' ? (
          <Since time={Date.parse(execution.createdAt)} />
        ) : (
          formatDuration(metrics.duration)
        )}
      </Fact>
      <Fact name="Cost">
        <Cost usd={metrics.costUsd} unpriced={metrics.unpricedCalls} />
      </Fact>
      <Fact name="Tokens">
        {formatShort(metrics.tokensUsed)}
        {metrics.usageEstimated ? ' (estimate)' : ''}
      </Fact>
      <Fact name="Model">
        {execution.model}
        {execution.simulated ? <span className="text-faint"> (simulated)</span> : null}
      </Fact>
      <Fact name="Started">
        <Ago time={execution.createdAt} className="text-text" />
      </Fact>
    </Facts>
  );
}

function tabsOf(execution: Execution): Tab[] {
  const plan = execution.result?.plan;
  return [
    ...(plan ? [{ id: 'plan', label: 'Plan', body: () => <ExecutionPlan plan={plan} /> }] : []),
    ...(execution.dryRun && plan
      ? []
      : [
          {
            id: 'steps',
            label: 'Steps',
            count: execution.steps.length,
            body: () => <ExecutionSteps execution={execution} />,
          },
          {
            id: 'changes',
            label: 'Changes',
            count: changedFiles(execution),
            body: () => <ExecutionChanges execution={execution} />,
          },
        ]),
    {
      id: 'copy',
      label: 'Copy as',
      body: () => (
        <Card>
          <CardHead title="The same task again" />
          <div className="p-4">
            <Snippets label="The same task again" snippets={executionSnippets(execution)} />
          </div>
        </Card>
      ),
    },
    { id: 'json', label: 'JSON', body: () => <JsonView value={execution} /> },
  ];
}

export function ExecutionPage() {
  const { executionId } = useParams({ from: '/executions/$executionId' });
  const { tab } = useSearch({ from: '/executions/$executionId' });
  const navigate = useNavigate({ from: '/executions/$executionId' });
  const query = useExecution(executionId);
  const mayWrite = useMayWrite();
  return (
    <Loaded query={query}>
      {(execution) => (
        <>
          <Path to="/executions" label="Executions">
            <CopyId id={executionId} />
          </Path>
          <PageHead
            title={<span className="line-clamp-2 whitespace-normal">{execution.task}</span>}
          >
            {mayWrite && execution.status === 'running' ? <Cancel id={executionId} /> : null}
            {mayWrite && execution.result?.plan ? <RunPlan id={executionId} /> : null}
            {mayWrite && execution.result?.plan?.manifest !== undefined ? (
              <Link to="/new" search={{ from: executionId }} className={buttonClass('plain')}>
                <PencilLine />
                Edit as a manifest
              </Link>
            ) : null}
            {mayWrite && execution.status !== 'running' ? (
              <Link
                to="/executions/new"
                search={{ from: executionId }}
                className={buttonClass('plain')}
              >
                <RotateCw />
                {execution.dryRun ? 'Plan again' : 'Run again'}
              </Link>
            ) : null}
          </PageHead>
          <ExecutionFacts execution={execution} />
          {execution.result?.error ? (
            <p role="alert" className="mb-5 rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">
              {execution.result.error.message}
            </p>
          ) : null}
          {execution.task.length > 160 ? (
            <Card className="mb-5">
              <p
                // It scrolls: without a mouse, too.
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
                tabIndex={0}
                aria-label="Task"
                className="max-h-48 overflow-y-auto px-4 py-3 text-sm whitespace-pre-wrap text-soft"
              >
                {execution.task}
              </p>
            </Card>
          ) : null}
          <Tabs
            label="Views of the execution"
            tabs={tabsOf(execution)}
            value={tab ?? ''}
            onChange={(id) => void navigate({ search: { tab: id }, replace: true })}
          />
        </>
      )}
    </Loaded>
  );
}

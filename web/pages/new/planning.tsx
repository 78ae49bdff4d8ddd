// The dry run while the model plans: its text as it comes, or why it waits; then its plan, or why there is none.
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Execution } from '../../../src/contract/execution-api.ts';
import { api } from '../../api/client.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { useJobText } from '../../live/job-text.ts';
import { AnswerText } from '../../ui/answer-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Square } from '../../ui/icons.tsx';
import { Card, CardHead, Loaded } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { useExecution, useJobsOfExecution } from '../executions/use-execution.ts';
import { RefusedPlan } from './refused-plan.tsx';

function Text({ jobId }: { jobId: string }) {
  const { text, isDone, refusal } = useJobText(jobId);
  return <AnswerText text={text} isDone={isDone} problem={refusal} />;
}

function UnderWay({ execution }: { execution: Execution }) {
  const job = [...useJobsOfExecution(execution).values()].at(-1);
  const cancel = useMutation({ mutationFn: () => api.executions.cancel(execution.id) });
  const state = job?.waiting
    ? `${jobWaitingText(job.waiting)}.`
    : job?.status === 'running'
      ? 'The model is writing the plan.'
      : 'Queued: waiting for a free worker.';
  return (
    <Card>
      <CardHead title="Planning">
        <Since time={Date.parse(execution.createdAt)} />
        <Button
          size="small"
          look="danger"
          icon={<Square />}
          busy={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </Button>
      </CardHead>
      <div className="flex flex-col gap-3 p-4">
        <p role="status" className="text-sm text-soft">
          {state}
        </p>
        {job ? <Text key={job.jobId} jobId={job.jobId} /> : null}
      </div>
    </Card>
  );
}

function whyNone({ status, result }: Execution): { code: string; message: string } {
  if (result?.error) return result.error;
  const message =
    status === 'cancelled'
      ? 'Planning was cancelled. Your task is kept.'
      : 'This plan has no manifest: it was made by an earlier version of the server. Plan the task again.';
  return { code: '', message };
}

function Followed({
  execution,
  onPlan,
  onEnd,
}: {
  execution: Execution;
  onPlan: (manifest: string) => void;
  onEnd: () => void;
}) {
  const manifest = execution.result?.plan?.manifest;
  const isEnded = execution.status !== 'running';
  useEffect(() => {
    if (manifest !== undefined) onPlan(manifest);
    else if (isEnded) onEnd();
  }, [manifest, onPlan, isEnded, onEnd]);
  if (execution.status === 'running') return <UnderWay execution={execution} />;
  if (manifest !== undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      <RefusedPlan error={whyNone(execution)} />
      <Link
        to="/executions/$executionId"
        params={{ executionId: execution.id }}
        className="self-start text-xs text-accent hover:underline"
      >
        Open the execution: its calls, tokens and cost
      </Link>
    </div>
  );
}

export function Planning({
  executionId,
  onPlan,
  onEnd,
}: {
  executionId: string;
  onPlan: (manifest: string) => void;
  /** It ended without a plan. */
  onEnd: () => void;
}) {
  const query = useExecution(executionId);
  return (
    <Loaded query={query}>
      {(execution) => <Followed execution={execution} onPlan={onPlan} onEnd={onEnd} />}
    </Loaded>
  );
}

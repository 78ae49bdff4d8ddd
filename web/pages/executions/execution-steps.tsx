// The steps of an execution by wave, each with its answer as it comes.
import { Link } from '@tanstack/react-router';
import { ChevronDown, ListTree } from '../../ui/icons.tsx';
import { useState } from 'react';
import type { Execution } from '../../../src/contract/execution-api.ts';
import type { ListedJob } from '../../../src/contract/job-list-api.ts';
import type { ExecutionStep } from '../../../src/client/index.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { useJobText } from '../../live/job-text.ts';
import { AnswerText } from '../../ui/answer-text.tsx';
import { cx } from '../../ui/class-names.ts';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Card, EmptyState } from '../../ui/surface.tsx';
import { useJobsOfExecution } from './use-execution.ts';

function Answer({ jobId }: { jobId: string }) {
  const { text, isDone, refusal } = useJobText(jobId);
  return (
    <div className="border-t border-line p-4">
      <AnswerText text={text} isDone={isDone} problem={refusal} />
      <Link
        to="/jobs/$jobId"
        params={{ jobId }}
        className="mt-2 inline-block text-xs text-accent hover:underline"
      >
        Open the job: prompt, tokens and cost
      </Link>
    </div>
  );
}

/** Why a step does not run: of its job, or the steps before it. */
function whyItWaits(step: ExecutionStep, job: ListedJob | undefined): string | undefined {
  if (job?.waiting) return `${jobWaitingText(job.waiting)}.`;
  if (step.status === 'blocked') return 'A step that it depends on failed.';
  if (step.status !== 'pending') return undefined;
  if (job?.status === 'pending') return 'Queued: waiting for a free worker.';
  return step.wave > 1 ? 'Starts when the steps it depends on are complete.' : undefined;
}

function Step({ step, job }: { step: ExecutionStep; job: ListedJob | undefined }) {
  const [isOpen, setOpen] = useState(step.status === 'in_progress');
  const why = whyItWaits(step, job);
  return (
    <li>
      <Card>
        <button
          type="button"
          disabled={job === undefined}
          aria-expanded={isOpen && job !== undefined}
          onClick={() => setOpen(!isOpen)}
          className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 rounded-xl px-4 py-3 text-left enabled:hover:bg-hover/60"
        >
          <span className="min-w-0 flex-1 basis-40">
            <span className="block truncate text-sm font-medium">{step.name}</span>
            <span className="block truncate font-mono text-2xs text-faint">{step.streamId}</span>
          </span>
          <span className="text-xs text-soft tabular">
            {step.tokensUsed > 0 ? `${formatShort(step.tokensUsed)} tokens` : ''}
            {step.durationMs === null ? '' : ` · ${formatDuration(step.durationMs)}`}
          </span>
          <StatusBadge status={step.status} />
          <ChevronDown
            aria-hidden
            className={cx(
              'size-4 text-faint transition-transform',
              isOpen && 'rotate-180',
              job === undefined && 'invisible',
            )}
          />
        </button>
        {why ? <p className="px-4 pb-3 text-xs text-warn">{why}</p> : null}
        {step.status === 'failed' && job?.error ? (
          <p className="px-4 pb-3 text-xs text-bad">{job.error}</p>
        ) : null}
        {isOpen && job ? <Answer jobId={job.jobId} /> : null}
      </Card>
    </li>
  );
}

export function ExecutionSteps({ execution }: { execution: Execution }) {
  const jobs = useJobsOfExecution(execution);
  const { steps, status, dryRun } = execution;
  if (steps.length === 0) {
    const planning = [...jobs.values()][0];
    return (
      <Card>
        <EmptyState
          icon={<ListTree />}
          title={status === 'running' ? 'The model is making a plan' : 'There are no steps'}
        >
          {planning?.waiting
            ? `${jobWaitingText(planning.waiting)}.`
            : status === 'running'
              ? 'The steps show up here as soon as it is ready.'
              : dryRun
                ? 'A dry run makes a plan and runs nothing.'
                : 'The execution ended before there was a plan.'}
        </EmptyState>
        {planning && !dryRun ? <Answer jobId={planning.jobId} /> : null}
      </Card>
    );
  }
  const waves = Map.groupBy(steps, ({ wave }) => wave);
  return (
    <ol className="flex flex-col gap-5">
      {[...waves].map(([wave, own]) => (
        <li key={wave}>
          <h2 className="mb-2 text-xs font-medium text-faint">
            Wave {wave}
            {own.length > 1 ? `, ${own.length} steps side by side` : ''}
          </h2>
          <ol className="flex flex-col gap-2">
            {own.map((step) => (
              <Step key={step.streamId} step={step} job={jobs.get(step.streamId)} />
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

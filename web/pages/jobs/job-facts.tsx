import type { JobDetails } from '../../../src/client/index.ts';
import { jobWaitingText } from '../../live/job-waiting.ts';
import { Cost } from '../../ui/cost.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatDuration, formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import { keyName } from './call-title.tsx';
import { shownStatus } from './shown-status.ts';

export function JobFacts({ job }: { job: JobDetails }) {
  const tokens = 'tokensUsed' in job ? job.tokensUsed : undefined;
  const started = job.startedAt === null ? undefined : Date.parse(job.startedAt);
  const queuedMs = (started ?? Date.now()) - Date.parse(job.queuedAt);
  return (
    <Facts>
      <Fact name="Status">
        <StatusBadge status={shownStatus(job)} />
      </Fact>
      <Fact name="Model">
        {job.model}
        {job.simulated ? <span className="text-faint"> (simulated)</span> : null}
        {job.serviceTier === 'flex' ? (
          <span className="text-faint"> {job.usedServiceTier ?? 'flex'} tier</span>
        ) : null}
      </Fact>
      {started === undefined ? (
        <Fact name="Waiting for">
          <Since time={Date.parse(job.queuedAt)} />
        </Fact>
      ) : (
        <>
          <Fact name="Queued">{formatDuration(queuedMs)}</Fact>
          <Fact name="Time">
            {job.endedAt === null ? (
              <Since time={started} />
            ) : (
              formatDuration(Date.parse(job.endedAt) - started)
            )}
          </Fact>
        </>
      )}
      {tokens ? (
        <Fact name="Tokens">
          {formatShort(tokens.input)} in
          {job.cachedInputTokens > 0 ? ` (${formatShort(job.cachedInputTokens)} cached)` : ''},{' '}
          {formatShort(tokens.output)} out
          {job.reasoningTokens ? ` (${formatShort(job.reasoningTokens)} reasoning)` : ''}
          {job.usageEstimated ? <span className="text-warn"> estimated</span> : null}
        </Fact>
      ) : null}
      {job.endedAt === null ? null : (
        <Fact name="Cost">
          <Cost usd={job.costUsd} />
        </Fact>
      )}
      {job.apiKey ? <Fact name="API key">{keyName(job.apiKey)}</Fact> : null}
      {job.kind === 'call' ? null : <Fact name="Attempts">{job.attempt}</Fact>}
      <Fact name="Submitted">
        <Ago time={job.queuedAt} className="text-text" />
      </Fact>
    </Facts>
  );
}

/** Why it waits, why it failed, and why its answer is not whole. */
export function JobNotes({ job }: { job: JobDetails }) {
  return (
    <>
      {job.waiting ? (
        <p className="mb-5 rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn">
          {jobWaitingText(job.waiting)}.
        </p>
      ) : job.status === 'pending' ? (
        <p className="mb-5 rounded-lg bg-sunken px-4 py-3 text-sm text-soft">
          Queued: it starts as soon as a worker has a free slot.
        </p>
      ) : null}
      {job.status === 'failed' ? (
        <p role="alert" className="mb-5 rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">
          {job.error}
          {job.errorCode ? <span className="ml-2 font-mono text-xs">{job.errorCode}</span> : null}
        </p>
      ) : null}
      {job.stopReason === 'length' ? (
        <p className="mb-5 rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn">
          The answer was cut off at the most tokens it may have. Raise them and run it again.
        </p>
      ) : null}
    </>
  );
}

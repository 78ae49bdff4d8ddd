// One stream of a run beside the page: its answer as it comes, and why it waits or failed.
import { X } from 'lucide-react';
import { useMemo } from 'react';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { useJobText } from '../../live/job-text.ts';
import { useRunVersion, useStreamRow } from '../../live/run-store.ts';
import type { RunStore } from '../../live/run-store.ts';
import { IconButton } from '../../ui/button.tsx';
import { formatDollars, formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import type { RunView } from './run-context.ts';
import { waitingText } from './waiting-text.ts';

/** The model calls of a stream, each a job of the server. */
export function useJobsOf(store: RunStore, streamId: string): { jobId: string; attempt: number }[] {
  const version = useRunVersion(store);
  return useMemo(
    () =>
      store.events
        .filter(
          (event): event is Extract<RunEvent, { type: 'stream.job' }> =>
            event.type === 'stream.job' && event.stream === streamId,
        )
        .map(({ jobId, attempt }) => ({ jobId, attempt })),
    // The events are one list that grows in place.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [store, streamId, version],
  );
}

function Output({ jobId }: { jobId: string }) {
  const { text, isDone, refusal } = useJobText(jobId);
  if (refusal) return <p className="text-sm text-bad">{refusal}</p>;
  return (
    <pre
      tabIndex={0}
      aria-label="Answer of the model"
      className="max-h-[60vh] overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap"
    >
      {text}
      {isDone ? null : <span className="pulse text-accent">▍</span>}
    </pre>
  );
}

export function StreamPanel({
  store,
  streamId,
  onClose,
}: RunView & { streamId: string; onClose: () => void }) {
  const row = useStreamRow(store, streamId);
  const last = useJobsOf(store, streamId).at(-1);
  if (row === undefined) return null;
  const waits = waitingText(row);
  return (
    <aside
      aria-label={`Stream ${row.name}`}
      className="fixed inset-y-0 right-0 z-30 flex w-full max-w-xl flex-col border-l border-line-strong bg-raised shadow-pop"
    >
      <header className="flex items-start gap-3 border-b border-line px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base font-semibold">{row.name}</h2>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft tabular">
            <StatusBadge status={row.status} />
            {row.attempt > 0 ? <span>Attempt {row.attempt}</span> : null}
            <span>
              {formatShort(row.tokens.input)} in
              {row.tokens.cachedInput > 0 ? ` (${formatShort(row.tokens.cachedInput)} cached)` : ''}
              , {formatShort(row.tokens.output + row.liveTokens)} out
            </span>
            {row.costUsd === null ? null : <span>{formatDollars(row.costUsd)}</span>}
          </div>
        </div>
        <IconButton name="Close" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      <div className="flex flex-1 flex-col gap-4 overflow-y-auto p-4">
        {waits ? <p className="text-sm text-warn">{waits}.</p> : null}
        {row.error ? <p className="text-sm text-bad">{row.error}</p> : null}
        {row.failedCommand ? (
          <pre
            tabIndex={0}
            aria-label="Output of the command that failed"
            className="max-h-72 overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap"
          >
            $ {row.failedCommand.command} ({row.failedCommand.outcome}){'\n'}
            {row.failedCommand.output}
          </pre>
        ) : null}
        {last ? (
          <Output jobId={last.jobId} />
        ) : (
          <p className="text-sm text-soft">No call was made yet.</p>
        )}
      </div>
    </aside>
  );
}

// One stream of a run beside the page: its answer as it comes, what it was asked, changed and checked, and
// why it waits or failed.
import { plusEstimate } from '../../../../src/domain/run/estimate-text.ts';
import { ChevronLeft, ChevronRight, X } from '../../../ui/icons.tsx';
import { useState } from 'react';
import { rungText, wavesOf } from '../../../../src/domain/run/projection.ts';
import { WITHOUT_SANDBOX } from '../../../../src/domain/run/without-sandbox.ts';
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { useRunVersion, useStreamRow } from '../../../live/run-store.ts';
import { IconButton } from '../../../ui/button.tsx';
import { CopyBlock } from '../../../ui/copy.tsx';
import { formatDollars, formatShort } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/status.tsx';
import { Loaded } from '../../../ui/surface.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { ChangesView } from '../changes/changes-view.tsx';
import { useChanges } from '../changes/use-changes.ts';
import type { RunView } from '../run-context.ts';
import { streamLabel } from '../stream-label.ts';
import { pendingText, waitingText } from '../waiting-text.ts';
import { agentStepsIn } from './agent-steps.ts';
import { AgentTab } from './agent-tab.tsx';
import { Attempts, Calls } from './attempts.tsx';
import { ChecksTab } from './checks-tab.tsx';
import { OutputTab } from './output-tab.tsx';
import { useFocusInside, usePanelKeys } from './panel-keys.ts';
import { usePanelWidth } from './panel-width.ts';
import { JobPrompt } from '../../jobs/job-prompt.tsx';
import { callsIn, checksIn } from './stream-calls.ts';

export interface StreamPanelProps extends RunView {
  streamId: string;
  onClose: () => void;
}

/** As they are listed: by wave, then in the order of the manifest. */
function orderOf(projection: RunProjection): string[] {
  return wavesOf(projection).flatMap(([, rows]) => rows.map(({ id }) => id));
}

function PanelChanges({ runId, store, streamId }: StreamPanelProps) {
  const changes = useChanges(runId, store);
  return (
    <Loaded query={changes}>
      {({ streams }) => (
        <ChangesView
          runId={runId}
          streams={streams.filter((each) => each.streamId === streamId)}
          nameOf={(id) => id}
          isNarrow
        />
      )}
    </Loaded>
  );
}

function Facts({ row, isWithout }: { row: StreamRow; isWithout: boolean }) {
  const { input, cachedInput, output } = row.tokens;
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft tabular">
      <StatusBadge status={row.status} />
      {row.attempt > 0 ? <span>Attempt {row.attempt}</span> : null}
      <span>
        {formatShort(input)} in{cachedInput > 0 ? ` (${formatShort(cachedInput)} cached)` : ''},{' '}
        {formatShort(output + row.liveTokens)} out
      </span>
      {row.agent === undefined ? null : <span>by {row.agent}</span>}
      {isWithout ? <span className="text-warn">{WITHOUT_SANDBOX}</span> : null}
      {row.rung === undefined ? null : <span>{rungText(row.rung)}</span>}
      <span>
        {row.costUsd === null ? 'cost unknown' : formatDollars(row.costUsd)}
        {plusEstimate(row.estimatedUsd)}
      </span>
    </div>
  );
}

export function StreamPanel(props: StreamPanelProps) {
  const { store, streamId, onClose, onOpen } = props;
  useRunVersion(store);
  const row = useStreamRow(store, streamId);
  const [chosenTab, setTab] = useState<string>();
  const [chosenJob, setChosenJob] = useState<string>();
  const { width, handle } = usePanelWidth();
  const inside = useFocusInside();
  const { projection } = store;
  const rootId = row?.fixOf ?? streamId;
  const step = (by: 1 | -1) => {
    const order = orderOf(projection);
    const next = order[order.indexOf(rootId) + by];
    if (next !== undefined) onOpen(next);
  };
  usePanelKeys({ onClose, onStep: step });
  if (row === undefined) return null;
  const isAgent = row.agent !== undefined;
  const tab = chosenTab ?? (isAgent ? 'agent' : 'output');
  const label = streamLabel(projection, streamId);
  const root = projection.streams.get(rootId) ?? row;
  const rows = [root, ...root.fixes.flatMap((id) => projection.streams.get(id) ?? [])];
  const calls = callsIn(store.events, new Set([streamId]));
  const job = calls.find(({ jobId }) => jobId === chosenJob) ?? calls.at(-1);
  const checks = checksIn(store.events, streamId);
  const waits = waitingText(row) ?? pendingText(projection, row);
  const callPicker = <Calls calls={calls} current={job?.jobId ?? ''} onChoose={setChosenJob} />;
  const noCall = <p className="text-sm text-soft">No call was made yet.</p>;
  return (
    <aside
      ref={inside}
      tabIndex={-1}
      aria-label={`Stream ${label}`}
      className="fixed inset-y-0 right-0 z-30 flex w-full max-w-full flex-col border-l border-line-strong bg-raised shadow-pop outline-none sm:w-(--panel)"
      style={{ '--panel': `${width}px` } as Record<string, string>}
    >
      <div
        {...handle}
        className="absolute inset-y-0 -left-1 hidden w-2 cursor-col-resize hover:bg-accent/30 sm:block"
      />
      <header className="flex items-start gap-1 px-4 pt-3">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-base font-semibold">{label}</h2>
          <Facts row={row} isWithout={isAgent && projection.agentsWithoutSandbox} />
        </div>
        <IconButton name="Previous stream" aria-keyshortcuts="[" onClick={() => step(-1)}>
          <ChevronLeft />
        </IconButton>
        <IconButton name="Next stream" aria-keyshortcuts="]" onClick={() => step(1)}>
          <ChevronRight />
        </IconButton>
        <IconButton name="Close" aria-keyshortcuts="Escape" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 pt-3 pb-4">
        <Attempts rows={rows} current={streamId} onChoose={onOpen} />
        {waits ? <p className="text-sm text-warn">{waits}.</p> : null}
        {row.error ? (
          <p className="text-sm [overflow-wrap:anywhere] whitespace-pre-line text-bad">
            {row.status === 'complete' ? 'First attempt: ' : ''}
            {row.error}
          </p>
        ) : null}
        <Tabs
          label="Views of the stream"
          value={tab}
          onChange={setTab}
          tabs={[
            ...(isAgent
              ? [
                  {
                    id: 'agent',
                    label: 'Agent',
                    body: () => <AgentTab steps={agentStepsIn(store.events, streamId)} row={row} />,
                  },
                ]
              : []),
            {
              id: 'output',
              label: 'Output',
              body: () => (
                <div className="flex h-[55vh] flex-col gap-2">
                  {callPicker}
                  {job ? <OutputTab key={job.jobId} jobId={job.jobId} /> : noCall}
                </div>
              ),
            },
            {
              id: 'prompt',
              label: 'Prompt',
              body: () => (
                <div className="flex flex-col gap-2">
                  {callPicker}
                  {job ? <JobPrompt key={job.jobId} jobId={job.jobId} /> : noCall}
                </div>
              ),
            },
            {
              id: 'changes',
              label: 'Changes',
              count: row.changes.length,
              body: () => <PanelChanges {...props} />,
            },
            {
              id: 'checks',
              label: 'Checks',
              count: checks.length,
              body: () => <ChecksTab checks={checks} />,
            },
            {
              id: 'json',
              label: 'JSON',
              body: () => <CopyBlock label="JSON" text={JSON.stringify(row, null, 2)} />,
            },
          ]}
        />
      </div>
    </aside>
  );
}

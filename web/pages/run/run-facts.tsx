// The line of figures under the name of a run.
import { addEstimates } from '../../../src/domain/run/replay.ts';
import { plusEstimate } from '../../../src/domain/run/estimate-text.ts';
import type { ReactNode } from 'react';
import { isOver, passedModels } from '../../../src/domain/run/projection.ts';
import { WITHOUT_SANDBOX } from '../../../src/domain/run/without-sandbox.ts';
import { useRunVersion } from '../../live/run-store.ts';
import { formatDollars, formatDuration, formatShort } from '../../ui/format.ts';
import { StatusBadge } from '../../ui/status.tsx';
import { Ago, Since } from '../../ui/time.tsx';
import type { RunView } from './run-context.ts';
import { pausedText } from './waiting-text.ts';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="mt-0.5 truncate text-sm font-medium tabular">{children}</dd>
    </div>
  );
}

const ENDS: Readonly<Record<string, string>> = {
  'run.completed': 'complete',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.paused': 'paused',
};

export function RunFacts({ store, recorded }: RunView) {
  useRunVersion(store);
  const { projection, isLive } = store;
  const isReported = store.events.length > 0;
  const rows = [...projection.streams.values()];
  const own = rows.filter(({ fixOf }) => fixOf === undefined);
  const done = own.filter((row) => row.status === 'complete' || row.status === 'skipped').length;
  const cost = rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const estimated = rows.map(({ estimatedUsd }) => estimatedUsd).reduce(addEstimates, undefined);
  const tokens = rows.reduce(
    (sum, { tokens: each, liveTokens }) => sum + each.input + each.output + liveTokens,
    0,
  );
  const isUnpriced = rows.some(({ costUsd }) => costUsd === null);
  const passed = passedModels(projection);
  const run = recorded?.run;
  const status = projection.end
    ? (ENDS[projection.end.type] ?? 'complete')
    : isReported
      ? 'in_progress'
      : (run?.status ?? 'pending');
  const isLost = isReported && !isLive && !isOver(projection);
  const startedAt = isReported ? projection.startedAt : Date.parse(run?.startedAt ?? '');
  const costText = isReported ? formatDollars(cost) : formatDollars(run?.totalCostUsd ?? 0);
  const pausedBy = pausedText(projection);
  return (
    <>
      {pausedBy === undefined ? null : (
        <p
          role="status"
          className="mb-3 rounded-xl border border-line bg-surface px-4 py-3 text-sm shadow-card"
        >
          <span className="font-medium">Paused:</span> {pausedBy}
        </p>
      )}
      {projection.agentsWithoutSandbox ? (
        <p className="mb-3 rounded-xl border border-line bg-surface px-4 py-3 text-sm text-warn shadow-card">
          This run has {WITHOUT_SANDBOX}: they can do whatever the person who started it can.
        </p>
      ) : null}
      <dl className="mb-5 grid grid-cols-3 gap-x-4 gap-y-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-card sm:flex sm:flex-wrap sm:gap-x-8">
        <Fact name="Status">
          <StatusBadge
            status={isLost ? 'paused' : status}
            {...(isLost
              ? { word: 'Lost contact' }
              : projection.isReverted
                ? { word: 'Reverted' }
                : {})}
          />
        </Fact>
        <Fact name="Streams">
          {isReported ? `${done} of ${own.length}` : (run?.streamCount ?? 0)}
        </Fact>
        <Fact name="Time">
          {projection.end ? (
            formatDuration(projection.end.totals.durationMs)
          ) : isReported && isLive ? (
            <Since time={startedAt} />
          ) : (
            formatDuration(run?.durationMs ?? projection.lastAt - startedAt)
          )}
        </Fact>
        <Fact name="Cost">
          {costText}
          {isUnpriced ? <span className="text-faint"> + unknown</span> : null}
          <span className="text-faint">{plusEstimate(estimated)}</span>
        </Fact>
        {isReported ? <Fact name="Tokens">{formatShort(tokens)}</Fact> : null}
        {projection.model ? <Fact name="Model">{projection.model}</Fact> : null}
        {passed.length === 0 ? null : (
          <Fact name="Completed by">
            {passed.map(({ model, streams }) => `${model} ${streams}`).join(', ')}
          </Fact>
        )}
        <Fact name="Started">
          <Ago time={startedAt} className="text-text" />
        </Fact>
      </dl>
    </>
  );
}

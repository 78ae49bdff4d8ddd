// One run: what it does now, what it did, what it changed and what it cost.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, lazy, useCallback } from 'react';
import type { ComponentType } from 'react';
import { isOver } from '../../../src/domain/run/projection.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { isComing, useRunStore, useRunVersion } from '../../live/run-store.ts';
import { CopyId } from '../../ui/copy.tsx';
import { ErrorState, PageHead, Skeleton } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Tab } from '../../ui/tabs.tsx';
import { useDelay } from '../../ui/use-delay.ts';
import { AwaitedRun } from './awaited-run.tsx';
import { RunFacts } from './run-facts.tsx';
import { CALLS_TAB, RECORDED_TABS, RUN_TABS } from './run-tabs.tsx';
import { useRunCalls } from './use-run-calls.ts';
import type { RunActionsProps } from './actions/run-actions.tsx';
import type { StreamPanelProps } from './panel/stream-panel.tsx';

const StreamPanel: ComponentType<StreamPanelProps> = lazy(async () => ({
  default: (await import('./panel/stream-panel.tsx')).StreamPanel,
}));

/** Dialogs and menus come after the page. */
const RunActions: ComponentType<RunActionsProps> = lazy(async () => ({
  default: (await import('./actions/run-actions.tsx')).RunActions,
}));

/** The history is asked without the live stream when that takes so long to say something. */
const ANSWER_MS = 3000;

export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' });
  const { tab = 'graph', stream } = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const store = useRunStore(runId);
  useRunVersion(store);
  const mayWrite = useMayWrite();
  const { projection, refusal } = store;
  const isReported = store.events.length > 0;
  const isUnknown = refusal?.code === 'NOT_FOUND';
  const isLate = useDelay(ANSWER_MS);
  const recorded = useQuery({
    queryKey: ['run', runId],
    queryFn: () => api.getRun(runId),
    // The history has a run from its first job on: asked before, it says that there is none.
    enabled: isReported ? store.hasJob : !isUnknown && (store.isAnswered || isLate),
  });
  const calls = useRunCalls(runId);
  // One function for good: every stream of the graph is drawn again when it changes.
  const select = useCallback(
    (id: string | undefined) =>
      void navigate({
        search(before) {
          const { stream: _, ...others } = before;
          return id === undefined ? others : { ...others, stream: id };
        },
        replace: true,
      }),
    [navigate],
  );

  if (!isReported) {
    if (isUnknown) return <AwaitedRun key={runId} runId={runId} />;
    if (recorded.error) {
      return <ErrorState error={recorded.error} onRetry={() => void recorded.refetch()} />;
    }
    if (recorded.data === undefined || isComing(store, recorded.data.run)) return <Skeleton />;
  }
  const name = isReported ? projection.manifest : recorded.data!.run.feature;
  const isGoing = isReported
    ? !isOver(projection) && store.isLive
    : recorded.data!.run.status === 'in_progress';
  const context = { runId, store, recorded: recorded.data, onOpen: select, selected: stream };
  const own = isReported ? RUN_TABS : RECORDED_TABS;
  const hasCalls = tab === CALLS_TAB.id || (calls.data?.items.length ?? 0) > 0;
  const tabs: Tab[] = (hasCalls ? own.toSpliced(-1, 0, CALLS_TAB) : own).map(
    ({ id, label, Body, count }) => ({
      id,
      label,
      count: count?.(context),
      body: () => <Body {...context} />,
    }),
  );
  return (
    <>
      <nav aria-label="Path" className="mb-2 text-sm text-soft">
        <Link to="/runs" className="hover:text-text hover:underline">
          Runs
        </Link>
        <span className="mx-1.5 text-faint">/</span>
        <CopyId id={runId} />
      </nav>
      <PageHead title={name}>
        <Suspense>
          <RunActions view={context} isGoing={isGoing} mayWrite={mayWrite} />
        </Suspense>
      </PageHead>
      <RunFacts {...context} />
      <Tabs
        label="Views of the run"
        tabs={tabs}
        value={tab}
        onChange={(id) => void navigate({ search: (search) => ({ ...search, tab: id }) })}
      />
      {stream !== undefined && isReported ? (
        <Suspense>
          <StreamPanel {...context} streamId={stream} onClose={() => select(undefined)} />
        </Suspense>
      ) : null}
    </>
  );
}

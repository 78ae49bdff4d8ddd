// One run: what it does now, what it did, what it changed and what it cost.
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import { useState } from 'react';
import { isOver } from '../../../src/domain/run/projection.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../app/use-me.ts';
import { useRunStore, useRunVersion } from '../../live/run-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorState, PageHead, Skeleton } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Tab } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.tsx';
import { RunFacts } from './run-facts.tsx';
import { RECORDED_TABS, RUN_TABS } from './run-tabs.tsx';
import { StreamPanel } from './stream-panel.tsx';

function CancelRun({ runId }: { runId: string }) {
  const [asking, setAsking] = useState(false);
  const cancel = useMutation({
    mutationFn: () => api.cancelRun(runId),
    onSuccess({ cancelled }) {
      setAsking(false);
      toast(cancelled ? 'The run is being stopped.' : 'There was nothing left to stop.');
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
        title="Cancel this run?"
        action="Cancel the run"
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      >
        Calls that are under way are stopped; what they have used so far is charged. Streams that
        are complete stay applied. The run can be resumed where it was started.
      </ConfirmDialog>
    </>
  );
}

export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' });
  const { tab = 'graph', stream } = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const store = useRunStore(runId);
  useRunVersion(store);
  const mayWrite = useMayWrite();
  const recorded = useQuery({ queryKey: ['run', runId], queryFn: () => api.getRun(runId) });
  const { projection, refusal } = store;
  const isReported = store.events.length > 0;
  const select = (id: string | undefined) =>
    void navigate({
      search: { tab, ...(id === undefined ? {} : { stream: id }) },
      replace: true,
    });

  if (!isReported && recorded.data === undefined) {
    if (recorded.error && refusal) return <ErrorState error={recorded.error} />;
    return <Skeleton />;
  }
  const name = isReported ? projection.manifest : recorded.data!.run.feature;
  const isGoing = isReported
    ? !isOver(projection) && store.isLive
    : recorded.data!.run.status === 'in_progress';
  const context = { runId, store, recorded: recorded.data, onOpen: select, selected: stream };
  const tabs: Tab[] = (isReported ? RUN_TABS : RECORDED_TABS).map(({ id, label, Body, count }) => ({
    id,
    label,
    count: count?.(context),
    body: () => <Body {...context} />,
  }));
  return (
    <>
      <nav aria-label="Path" className="mb-2 text-sm text-soft">
        <Link to="/runs" className="hover:text-text hover:underline">
          Runs
        </Link>
        <span className="mx-1.5 text-faint">/</span>
        <CopyId id={runId} />
      </nav>
      <PageHead title={name}>{isGoing && mayWrite ? <CancelRun runId={runId} /> : null}</PageHead>
      <RunFacts {...context} />
      <Tabs
        label="Views of the run"
        tabs={tabs}
        value={tab}
        onChange={(id) => void navigate({ search: (search) => ({ ...search, tab: id }) })}
      />
      {stream !== undefined && isReported ? (
        <StreamPanel {...context} streamId={stream} onClose={() => select(undefined)} />
      ) : null}
    </>
  );
}

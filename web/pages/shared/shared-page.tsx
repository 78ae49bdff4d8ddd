// A run that somebody shared: to look at, without an account.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Link2Off } from '../../ui/icons.tsx';
import { useMemo, useState } from 'react';
import type { StreamChanges } from '../../../src/contract/run-report-api.ts';
import type { SharedRun } from '../../../src/contract/run-shares-api.ts';
import { Mark } from '../../ui/mark.tsx';
import { useSharedStore } from '../../live/shared-store.ts';
import { useRunVersion } from '../../live/run-store.ts';
import { formatRelative } from '../../ui/format.ts';
import { EmptyState, Loaded, PageHead, Skeleton } from '../../ui/surface.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { Tab } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/time.tsx';
import { ChangesView } from '../run/changes/changes-view.tsx';
import { RunGraph } from '../run/graph/run-graph.tsx';
import type { RunView } from '../run/run-context.ts';
import { RunFacts } from '../run/run-facts.tsx';
import { TimelineTab } from '../run/timeline/timeline-tab.tsx';

/** There are no events for visitors: a run under way is asked about. */
const ASK_MS = 4000;

interface Failure extends Error {
  status: number;
}

async function ask<T>(path: string, token: string): Promise<T> {
  const response = await fetch(path, { headers: { 'x-share-token': token } });
  const body = (await response.json()) as T & { error?: { message: string } };
  if (response.ok) return body;
  const message = body.error?.message ?? `The server answered ${response.status}.`;
  throw Object.assign(new Error(message), { status: response.status });
}

/** The secret stays in the part of the address that is sent to no server. */
const tokenOf = () => location.hash.slice(1);

function SharedChanges({ view, path, token }: { view: RunView; path: string; token: string }) {
  useRunVersion(view.store);
  const seq = view.store.events.at(-1)?.seq ?? 0;
  const changes = useQuery({
    queryKey: ['shared-changes', path, seq],
    queryFn: () => ask<{ streams: StreamChanges[] }>(`${path}/changes`, token),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={changes}>
      {({ streams }) => (
        <ChangesView
          runId={view.runId}
          streams={streams}
          nameOf={(id) => view.store.projection.streams.get(id)?.name ?? id}
        />
      )}
    </Loaded>
  );
}

function SharedRunView() {
  const { shareId } = useParams({ from: '/s/$shareId' });
  const token = useMemo(tokenOf, []);
  const [tab, setTab] = useState('graph');
  const path = `/api/v1/shared/${encodeURIComponent(shareId)}`;
  const shared = useQuery({
    queryKey: ['shared', shareId],
    queryFn: () => ask<SharedRun>(path, token),
    refetchInterval: ({ state }) => (state.data?.isLive ? ASK_MS : false),
    retry: (count, error) => (error as Failure).status !== 404 && count < 3,
  });
  const store = useSharedStore(shared.data);
  useRunVersion(store);
  const now = useNow();
  if (shared.error && (shared.error as Failure).status === 404) {
    return (
      <EmptyState icon={<Link2Off />} title="This link does not work">
        {shared.error.message}
      </EmptyState>
    );
  }
  if (store.events.length === 0) {
    return <Loaded query={shared}>{() => <Skeleton />}</Loaded>;
  }
  const view: RunView = {
    runId: store.projection.runId,
    store,
    recorded: undefined,
    selected: undefined,
    onOpen: () => {},
  };
  const tabs: Tab[] = [
    {
      id: 'graph',
      label: 'Graph',
      body: () => <RunGraph store={store} selected={undefined} onOpen={view.onOpen} />,
    },
    { id: 'timeline', label: 'Timeline', body: () => <TimelineTab {...view} /> },
  ];
  if (shared.data?.includeChanges) {
    const body = () => <SharedChanges view={view} path={path} token={token} />;
    tabs.push({ id: 'changes', label: 'Changes', body });
  }
  const expires = formatRelative(Date.parse(shared.data!.expiresAt), now);
  return (
    <>
      <PageHead
        title={store.projection.manifest}
        lead={`Shared with you to look at. The link expires ${expires}.`}
      />
      <RunFacts {...view} />
      <Tabs label="Views of the run" tabs={tabs} value={tab} onChange={setTab} />
    </>
  );
}

export function SharedPage() {
  return (
    <div className="min-h-dvh">
      <header className="flex h-12 items-center gap-2.5 border-b border-line bg-surface px-4 text-base font-semibold tracking-tight lg:px-6">
        <Mark />
        Millrace
      </header>
      <main id="main" className="mx-auto max-w-[90rem] px-4 py-6 lg:px-6">
        <SharedRunView />
      </main>
    </div>
  );
}

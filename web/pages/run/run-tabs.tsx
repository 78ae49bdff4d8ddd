// The views of a run, in their order.
import { Suspense, lazy } from 'react';
import type { ComponentType } from 'react';
import { Skeleton } from '../../ui/surface.tsx';
import { RunGraph } from './graph/run-graph.tsx';
import type { RunView } from './run-context.ts';

export interface RunTab {
  id: string;
  label: string;
  count?: (view: RunView) => number | undefined;
  Body: ComponentType<RunView>;
}

function Graph({ store, selected, onOpen }: RunView) {
  return <RunGraph store={store} selected={selected} onOpen={onOpen} />;
}

/** Each comes when it is opened: most visits look at the graph alone. */
function later(load: () => Promise<ComponentType<RunView>>): ComponentType<RunView> {
  const Body = lazy(async () => ({ default: await load() }));
  return (view) => (
    <Suspense fallback={<Skeleton />}>
      <Body {...view} />
    </Suspense>
  );
}

const Timeline = later(async () => (await import('./timeline/timeline-tab.tsx')).TimelineTab);
const Changes = later(async () => (await import('./changes/changes-tab.tsx')).ChangesTab);
const Log = later(async () => (await import('./log/log-tab.tsx')).LogTab);
const Cost = later(async () => (await import('./cost/cost-tab.tsx')).CostTab);
const Calls = later(async () => (await import('./calls-tab.tsx')).CallsTab);
const RecordedStreams = later(async () => (await import('./recorded-streams.tsx')).RecordedStreams);
const Manifest = later(async () => (await import('./manifest/manifest-tab.tsx')).ManifestTab);
const Json = later(async () => (await import('./json/json-tab.tsx')).JsonTab);

const filesChanged = ({ store }: RunView) =>
  new Set(
    [...store.projection.streams.values()].flatMap(({ changes }) =>
      changes.map(({ path }) => path),
    ),
  ).size;

export const RUN_TABS: readonly RunTab[] = [
  { id: 'graph', label: 'Graph', Body: Graph },
  { id: 'timeline', label: 'Timeline', Body: Timeline },
  { id: 'changes', label: 'Changes', Body: Changes, count: filesChanged },
  { id: 'log', label: 'Log', Body: Log, count: ({ store }) => store.events.length },
  { id: 'cost', label: 'Cost', Body: Cost },
  { id: 'manifest', label: 'Manifest', Body: Manifest },
  { id: 'json', label: 'JSON', Body: Json },
];

/** For runs whose agents called models themselves. */
export const CALLS_TAB: RunTab = { id: 'calls', label: 'Model calls', Body: Calls };

export const RECORDED_TABS: readonly RunTab[] = [
  { id: 'streams', label: 'Streams', Body: RecordedStreams },
  { id: 'json', label: 'JSON', Body: Json },
];

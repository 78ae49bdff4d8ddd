// The state of a run, made from its events outside of React. Events come by the hundred a second: pages are
// told ten times a second, and each part of a page only of the stream that it shows.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { createProjector } from '../../src/domain/run/projection.ts';
import type { RunProjection, StreamRow } from '../../src/domain/run/projection.ts';
import { subscribe } from './live.ts';
import type { LiveMessage } from './protocol.ts';

const FLUSH_MS = 100;

export interface RunStore {
  projection: RunProjection;
  events: readonly RunEvent[];
  /** Why it cannot be shown. */
  refusal: { code: string; message: string } | undefined;
  /** Whether anything was heard about it yet, be it that there is nothing to hear. */
  isAnswered: boolean;
  /** Whether one of its jobs is known: then the history has it. */
  hasJob: boolean;
  /** Whether its command line is still heard of. */
  isLive: boolean;
  /** Counts changes of what streams there are. */
  topology: number;
  version: number;
  versionOf(streamId: string): number;
  onChange(listener: () => void): () => void;
  onStream(streamId: string, listener: () => void): () => void;
}

export interface OpenStore extends RunStore {
  receive(messages: readonly LiveMessage[]): void;
}

export function createRunStore(): OpenStore {
  const projector = createProjector();
  const { projection } = projector;
  const events: RunEvent[] = [];
  const listeners = new Set<() => void>();
  const streamListeners = new Map<string, Set<() => void>>();
  const versions = new Map<string, number>();
  let touched = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastSeq = 0;

  function flush(): void {
    timer = undefined;
    store.version += 1;
    const changed = touched;
    touched = new Set();
    for (const id of changed) {
      versions.set(id, (versions.get(id) ?? 0) + 1);
      streamListeners.get(id)?.forEach((listener) => listener());
    }
    listeners.forEach((listener) => listener());
  }

  function follow(event: RunEvent): void {
    // After a connection was lost some may come twice.
    if (event.seq <= lastSeq) return;
    lastSeq = event.seq;
    events.push(event);
    if (event.type === 'stream.job') store.hasJob = true;
    const before = projection.streams.size;
    projector.follow(event);
    if ('stream' in event) touched.add(event.stream);
    else for (const id of projection.streams.keys()) touched.add(id);
    if (projection.streams.size !== before || event.type === 'run.started') store.topology += 1;
  }

  function followProgress(tokens: Record<string, number>): void {
    for (const row of projection.streams.values()) {
      const live = tokens[row.id] ?? 0;
      if (row.liveTokens === live || row.status !== 'in_progress') continue;
      row.liveTokens = live;
      // An answer that is being written waits for nothing; the event that says so is not reported.
      if (live > 0) row.waiting = undefined;
      touched.add(row.id);
    }
  }

  function receiveOne({ event, data }: LiveMessage): void {
    store.isAnswered = true;
    // A run that was not known before has begun when anything else comes.
    store.refusal = event === 'refused' ? (data as RunStore['refusal']) : undefined;
    if (event === 'events') (data as { events: RunEvent[] }).events.forEach(follow);
    if (event === 'progress') {
      const { isLive, progress } = data as { isLive: boolean; progress: Record<string, number> };
      store.isLive = isLive;
      followProgress(progress);
    }
  }

  const store: OpenStore = {
    projection,
    events,
    refusal: undefined,
    isAnswered: false,
    hasJob: false,
    isLive: false,
    topology: 0,
    version: 0,
    versionOf: (streamId) => versions.get(streamId) ?? 0,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onStream(streamId, listener) {
      const known = streamListeners.get(streamId) ?? new Set();
      streamListeners.set(streamId, known.add(listener));
      return () => known.delete(listener);
    },
    receive(messages) {
      messages.forEach(receiveOne);
      timer ??= setTimeout(flush, FLUSH_MS);
    },
  };
  return store;
}

const stores = new Map<string, { store: OpenStore; users: number; off: () => void }>();

/** The store of a run, followed as long as something on the page uses it. */
export function useRunStore(runId: string): RunStore {
  const entry = useMemo(() => {
    let known = stores.get(runId);
    if (known === undefined) {
      known = { store: createRunStore(), users: 0, off: () => {} };
      stores.set(runId, known);
    }
    return known;
  }, [runId]);
  useEffect(() => {
    if (entry.users === 0) entry.off = subscribe(`run:${runId}`, entry.store.receive);
    entry.users += 1;
    return () => {
      entry.users -= 1;
      if (entry.users > 0) return;
      entry.off();
      if (stores.get(runId) === entry) stores.delete(runId);
    };
  }, [entry, runId]);
  return entry.store;
}

/** Draws again when anything about the run has changed. */
export function useRunVersion(store: RunStore): number {
  return useSyncExternalStore(store.onChange, () => store.version);
}

/** Draws again when streams were added, not when they change. */
export function useTopology(store: RunStore): number {
  return useSyncExternalStore(store.onChange, () => store.topology);
}

/** Draws again when this stream has changed. */
export function useStreamRow(store: RunStore, streamId: string): StreamRow | undefined {
  useSyncExternalStore(
    (listener) => store.onStream(streamId, listener),
    () => store.versionOf(streamId),
  );
  return store.projection.streams.get(streamId);
}

/** Its events are on their way: what the history has of it would be replaced at once. */
export function isComing({ events, refusal }: RunStore, run: { live?: unknown }): boolean {
  return run.live !== undefined && events.length === 0 && refusal === undefined;
}

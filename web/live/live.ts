// What the pages of this tab follow. Pages subscribe to topics; this hands on what comes, and holds it
// back while the person has paused the page.
import { useSyncExternalStore } from 'react';
import { chosenTeam } from '../api/chosen-team.ts';
import { goToLogin } from '../session/login.ts';
import type { ConnectionState, FromWorker, LiveMessage, ToWorker } from './protocol.ts';

type Listener = (messages: readonly LiveMessage[]) => void;

interface LiveState extends ConnectionState {
  isPaused: boolean;
}

const listeners = new Map<string, Set<Listener>>();
const openedListeners = new Set<() => void>();
const notifyListeners = new Set<(id: string) => void>();
const stateListeners = new Set<() => void>();
let state: LiveState = { connection: 'connecting', since: Date.now(), isPaused: false };
let connection: ConnectionState = state;
let held: LiveMessage[] = [];
let post: ((message: ToWorker) => void) | undefined;
let announcing = false;

function setState(next: LiveState): void {
  state = next;
  stateListeners.forEach((each) => each());
}

function deliver(messages: readonly LiveMessage[]): void {
  const byTopic = Map.groupBy(messages, ({ topic }) => topic);
  for (const [topic, own] of byTopic) listeners.get(topic)?.forEach((listener) => listener(own));
}

function receive(message: FromWorker): void {
  switch (message.kind) {
    case 'state':
      connection = { connection: message.connection, since: message.since };
      if (!state.isPaused) setState({ ...connection, isPaused: false });
      return;
    case 'opened':
      openedListeners.forEach((each) => each());
      return;
    case 'messages':
      if (state.isPaused) held.push(...message.messages);
      else deliver(message.messages);
      return;
    case 'notify':
      notifyListeners.forEach((each) => each(message.id));
      return;
    case 'signed-out':
      goToLogin();
  }
}

/** Phones may have no shared workers: then this tab has a connection of its own. */
function connect(): (message: ToWorker) => void {
  if (typeof SharedWorker === 'undefined') {
    // Other browsers have it in their worker, and need not load it twice.
    const hub = import('./hub.ts').then(({ createHub }) => createHub());
    const client = { send: receive };
    return (message) => void hub.then((own) => own.receive(client, message));
  }
  const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
    type: 'module',
    name: 'millrace-live',
  });
  worker.port.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => receive(data));
  worker.port.start();
  addEventListener('pagehide', () => worker.port.postMessage({ kind: 'bye' }));
  // From the back-forward cache.
  addEventListener('pageshow', ({ persisted }) => persisted && announce());
  // With many tabs, those that were looked at last are served.
  document.addEventListener('visibilitychange', () => document.hidden || announce());
  return (message) => worker.port.postMessage(message);
}

function announce(): void {
  post ??= connect();
  post({ kind: 'topics', topics: [...listeners.keys()], teamId: chosenTeam() });
}

/** Once for all topics that change together. */
function announceSoon(): void {
  if (announcing) return;
  announcing = true;
  queueMicrotask(() => {
    announcing = false;
    announce();
  });
}

/** Calls back with everything the topic has told so far, and then with what comes. */
export function subscribe(topic: string, listener: Listener): () => void {
  const known = listeners.get(topic) ?? new Set();
  listeners.set(topic, known.add(listener));
  announceSoon();
  return () => {
    known.delete(listener);
    if (known.size > 0) return;
    listeners.delete(topic);
    announceSoon();
  };
}

/** Called after each new connection. */
export function onOpened(listener: () => void): () => void {
  openedListeners.add(listener);
  return () => openedListeners.delete(listener);
}

/** A run asks something; the tabs agree on one of them that notifies the person, if none is in view. */
export function sayAsked(id: string): void {
  post?.({ kind: 'asked', id, isHidden: document.hidden });
}

/** Called in that tab. */
export function onNotify(listener: (id: string) => void): () => void {
  notifyListeners.add(listener);
  return () => notifyListeners.delete(listener);
}

export function pauseLive(): void {
  setState({ ...state, since: Date.now(), isPaused: true });
}

export function resumeLive(): void {
  setState({ ...connection, isPaused: false });
  const messages = held;
  held = [];
  deliver(messages);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}

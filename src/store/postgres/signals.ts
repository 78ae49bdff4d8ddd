// Wake-ups between the parts of a node and between nodes. A signal says only "look again": what to
// see is in the tables, so a lost signal delays (every waiter also looks from time to time), never
// loses. In this process a signal is delivered at once; other nodes get it by a carrier (NOTIFY, or a table
// that they ask), in a statement of its own, because NOTIFY inside busy transactions would serialise their
// commits: the first after 2 ms, under load as often as the carrier likes. Processes of the same server
// also hear each other directly (SignalLink), and ignore what else comes from each other.
import type { Queryable } from './db.ts';
import { createTableCarrier } from './signal-carriers.ts';
import type { SignalCarrier } from './signal-carriers.ts';
import type { SignalMessage, SignalName } from './signal-names.ts';

type Handler = (ids: readonly string[]) => void;

export interface Signals {
  on(name: SignalName, handler: Handler): () => void;
  emit(name: SignalName, ids?: readonly string[]): void;
  /** Feeds in what the carrier brings. */
  receive(originId: string, message: SignalMessage): void;
  /** Sends what still waits to be sent. */
  flush(): Promise<void>;
}

/** A direct way to the other processes of the same server, which have the same origin. */
export interface SignalLink {
  send(name: SignalName, ids: readonly string[]): void;
  onReceive(handler: (name: SignalName, ids: readonly string[]) => void): void;
}

const FLUSH_MS = 2;

export function createSignals(deps: {
  /** Distinguishes own signals, which come back too, from those of other nodes. */
  originId: string;
  link?: SignalLink | undefined;
  db: Queryable;
  /** By default the one that reaches every server, whichever way it listens. */
  carrier?: SignalCarrier;
  onError(error: unknown): void;
}): Signals {
  const carrier = deps.carrier ?? createTableCarrier(deps);
  const handlers = new Map<SignalName, Set<Handler>>();
  const outgoing = new Map<SignalName, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let sentAt = -Infinity;
  let sending: Promise<void> = Promise.resolve();

  function deliver(name: SignalName, ids: readonly string[]): void {
    for (const handler of handlers.get(name) ?? []) handler(ids);
  }

  async function send(): Promise<void> {
    timer = undefined;
    sentAt = performance.now();
    const messages = [...outgoing].map(([name, ids]) => ({ name, ids: [...ids] }));
    outgoing.clear();
    if (messages.length === 0) return;
    try {
      await carrier.send(deps.originId, messages);
    } catch (error) {
      deps.onError(error);
    }
  }

  deps.link?.onReceive(deliver);
  return {
    on(name, handler) {
      const set = handlers.get(name) ?? new Set();
      handlers.set(name, set.add(handler));
      return () => set.delete(handler);
    },
    emit(name, ids = []) {
      deliver(name, ids);
      deps.link?.send(name, ids);
      const waiting = outgoing.get(name) ?? new Set();
      outgoing.set(name, waiting);
      for (const id of ids) waiting.add(id);
      timer ??= setTimeout(
        () => {
          sending = send();
        },
        Math.max(FLUSH_MS, sentAt + carrier.gatherMs - performance.now()),
      );
    },
    receive(originId, { name, ids }) {
      if (originId !== deps.originId) deliver(name, ids);
    },
    async flush() {
      if (timer) {
        clearTimeout(timer);
        sending = send();
      }
      await sending;
    },
  };
}

/** Signals of a transaction, sent once it is committed. */
export interface PendingSignals {
  add(name: SignalName, ...ids: string[]): void;
  sendBy(signals: Signals): void;
}

export function collectSignals(): PendingSignals {
  const pending = new Map<SignalName, Set<string>>();
  return {
    add(name, ...ids) {
      const known = pending.get(name) ?? new Set();
      pending.set(name, known);
      for (const id of ids) known.add(id);
    },
    sendBy(signals) {
      for (const [name, ids] of pending) signals.emit(name, [...ids]);
    },
  };
}

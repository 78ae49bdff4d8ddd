// Wake-ups between the parts of a node and between nodes. A signal says only "look again": what to
// see is in the tables, so a lost signal delays (every waiter also looks from time to time), never
// loses. In this process a signal is delivered at once; other nodes get it by NOTIFY, in a statement of
// its own, because NOTIFY inside busy transactions would serialise their commits: the first after 2 ms,
// under load one every 10 ms. Processes of the same server also hear each other directly (SignalLink), and
// ignore each other's NOTIFYs.
import type { Notification, Queryable } from './db.ts';

export const SIGNALS = {
  /** New work in the queue. */
  work: 'millrace_work',
  /** These jobs were cancelled: the node that runs them must stop. */
  cancel: 'millrace_cancel',
  /** These jobs ended or their counts became final. */
  ended: 'millrace_ended',
  /** These jobs started, or have new text in the table. */
  progress: 'millrace_progress',
  /** There are webhook deliveries to make. */
  webhooks: 'millrace_webhooks',
  /** Provider keys whose calls must pause, as `key~milliseconds`. */
  pace: 'millrace_pace',
  /** Command lines have reported of these runs, or somebody wants them to stop. */
  runs: 'millrace_runs',
  /** Something about these users or their keys changed. */
  identity: 'millrace_identity',
} as const;
export type SignalName = keyof typeof SIGNALS;

export const SIGNAL_CHANNELS: readonly string[] = Object.values(SIGNALS);

type Handler = (ids: readonly string[]) => void;

export interface Signals {
  on(name: SignalName, handler: Handler): () => void;
  emit(name: SignalName, ids?: readonly string[]): void;
  /** Feeds a notification of the listener in. */
  receive(notification: Notification): void;
  /** Sends what still waits to be sent. */
  flush(): Promise<void>;
}

/** A direct way to the other processes of the same server, which have the same origin. */
export interface SignalLink {
  send(name: SignalName, ids: readonly string[]): void;
  onReceive(handler: (name: SignalName, ids: readonly string[]) => void): void;
}

const FLUSH_MS = 2;
const BUSY_FLUSH_MS = 10;
// NOTIFY refuses payloads of 8000 bytes.
const MAX_PAYLOAD = 7800;

export function createSignals(deps: {
  /** Tells own notifications, which come back too, from those of other nodes. */
  originId: string;
  link?: SignalLink | undefined;
  db: Queryable;
  onError(error: unknown): void;
}): Signals {
  const handlers = new Map<SignalName, Set<Handler>>();
  const outgoing = new Map<SignalName, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let sentAt = -Infinity;
  let sending: Promise<void> = Promise.resolve();

  function deliver(name: SignalName, ids: readonly string[]): void {
    for (const handler of handlers.get(name) ?? []) handler(ids);
  }

  function payloads(): { channel: string; payload: string }[] {
    const list: { channel: string; payload: string }[] = [];
    for (const [name, ids] of outgoing) {
      const channel = SIGNALS[name];
      let payload = `${deps.originId}|`;
      const empty = payload.length;
      for (const id of ids) {
        if (payload.length + id.length + 1 > MAX_PAYLOAD) {
          list.push({ channel, payload });
          payload = payload.slice(0, empty);
        }
        payload += payload.length === empty ? id : `,${id}`;
      }
      list.push({ channel, payload });
    }
    outgoing.clear();
    return list;
  }

  async function send(): Promise<void> {
    timer = undefined;
    sentAt = performance.now();
    const list = payloads();
    if (list.length === 0) return;
    try {
      await deps.db.query(
        {
          name: 'notify',
          text: 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) v(c, p)',
        },
        [list.map((entry) => entry.channel), list.map((entry) => entry.payload)],
      );
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
        Math.max(FLUSH_MS, sentAt + BUSY_FLUSH_MS - performance.now()),
      );
    },
    receive({ channel, payload }) {
      const name = (Object.keys(SIGNALS) as SignalName[]).find((key) => SIGNALS[key] === channel);
      const bar = payload.indexOf('|');
      if (name === undefined || bar < 0 || payload.slice(0, bar) === deps.originId) return;
      const ids = payload.slice(bar + 1);
      deliver(name, ids === '' ? [] : ids.split(','));
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

// The two ways signals get to other servers: NOTIFY, or a table that they ask about once in a while where a
// listening session is not to be had. Servers of both kinds may share a database. Those that ask say so
// now and then, and meanwhile those that listen write to the table, too; those that ask also notify.
import type { Notification, Queryable } from './db.ts';
import { sqlState } from './errors.ts';
import type { SignalMessage } from './signal-names.ts';
import { POLLERS_CHANNEL, notify, readNotification } from './signal-notify.ts';
import { insertSignals } from './signal-table.ts';

export interface SignalCarrier {
  /** Under load, the time from one sending to the next. */
  readonly gatherMs: number;
  send(originId: string, messages: readonly SignalMessage[]): Promise<void>;
}

/** NOTIFY takes a lock of the whole database server. */
const NOTIFY_GATHER_MS = 10;
/** Little beside the time after which others look. */
const TABLE_GATHER_MS = 100;
/** How long one word of a server that asks is believed. */
const POLLERS_MS = 60_000;
/** No such function, or known and not supported. */
const UNSUPPORTED = new Set(['42883', '0A000']);

export interface NotifyCarrier extends SignalCarrier {
  /** The signal in a notification of the listener, if there is one. */
  read(notification: Notification): ReturnType<typeof readNotification>;
}

export function createNotifyCarrier({ db }: { db: Queryable }): NotifyCarrier {
  let pollersUntil = -Infinity;
  return {
    gatherMs: NOTIFY_GATHER_MS,
    async send(originId, messages) {
      await notify(db, originId, messages);
      if (performance.now() < pollersUntil) await insertSignals(db, originId, messages);
    },
    read(notification) {
      if (notification.channel !== POLLERS_CHANNEL) return readNotification(notification);
      pollersUntil = performance.now() + POLLERS_MS;
      return undefined;
    },
  };
}

export function createTableCarrier({ db }: { db: Queryable }): SignalCarrier {
  let canNotify = true;
  return {
    gatherMs: TABLE_GATHER_MS,
    async send(originId, messages) {
      await insertSignals(db, originId, messages);
      if (!canNotify) return;
      await notify(db, originId, messages).catch((error: unknown) => {
        if (!UNSUPPORTED.has(sqlState(error) ?? '')) throw error;
        canNotify = false;
      });
    },
  };
}

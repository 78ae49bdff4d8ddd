// Signals as notifications, which every listening session gets at once.
import type { Notification, Queryable } from './db.ts';
import { SIGNALS } from './signal-names.ts';
import type { SignalMessage, SignalName } from './signal-names.ts';

/** Servers that poll say here that there are any. */
export const POLLERS_CHANNEL = 'millrace_pollers';
export const SIGNAL_CHANNELS: readonly string[] = [...Object.values(SIGNALS), POLLERS_CHANNEL];

// NOTIFY refuses payloads of 8000 bytes.
const MAX_PAYLOAD = 7800;

const NOTIFY = {
  name: 'notify',
  text: 'select pg_notify(c, p) from unnest($1::text[], $2::text[]) v(c, p)',
};

function payloadsOf(originId: string, { name, ids }: SignalMessage) {
  const channel = SIGNALS[name];
  const list: { channel: string; payload: string }[] = [];
  let payload = `${originId}|`;
  const empty = payload.length;
  for (const id of ids) {
    if (payload.length + id.length + 1 > MAX_PAYLOAD) {
      list.push({ channel, payload });
      payload = payload.slice(0, empty);
    }
    payload += payload.length === empty ? id : `,${id}`;
  }
  list.push({ channel, payload });
  return list;
}

export async function notify(
  db: Queryable,
  originId: string,
  messages: readonly SignalMessage[],
): Promise<void> {
  const list = messages.flatMap((message) => payloadsOf(originId, message));
  await db.query(NOTIFY, [list.map(({ channel }) => channel), list.map(({ payload }) => payload)]);
}

export async function announcePoller(db: Queryable): Promise<void> {
  await db.query(NOTIFY, [[POLLERS_CHANNEL], ['']]);
}

/** What a notification says; undefined for one that is no signal. */
export function readNotification({
  channel,
  payload,
}: Notification): { originId: string; message: SignalMessage } | undefined {
  const name = (Object.keys(SIGNALS) as SignalName[]).find((key) => SIGNALS[key] === channel);
  const bar = payload.indexOf('|');
  if (name === undefined || bar < 0) return undefined;
  const ids = payload.slice(bar + 1);
  return {
    originId: payload.slice(0, bar),
    message: { name, ids: ids === '' ? [] : ids.split(',') },
  };
}

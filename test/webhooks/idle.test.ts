// Deliveries that are not due cost nothing: the loop looks as often as with none at all.
import { afterEach, expect, it } from 'vitest';
import { startWebhookDelivery } from '../../src/engine/webhook-delivery.ts';
import type { WebhookDelivery } from '../../src/engine/webhook-delivery.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import type { ClaimedDelivery } from '../../src/store/webhooks/webhook-claims.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const WEBHOOKS = 320;
const WATCH_MS = 2500;

let database: TestDatabase;
let db: Db;
let delivery: WebhookDelivery | undefined;

afterEach(async () => {
  await delivery?.stop(0);
  await db?.close();
  await database?.drop();
});

/** The same database, with a count of what it is asked. */
function counting(inner: Db): { db: Db; asked(): number } {
  let asked = 0;
  const count = <T>(work: () => T): T => {
    asked += 1;
    return work();
  };
  return {
    asked: () => asked,
    db: {
      ...inner,
      query: (...args) => count(() => inner.query(...args)),
      read: (...args) => count(() => inner.read(...args)),
      tx: (work) => count(() => inner.tx(work)),
    },
  };
}

async function makeWebhooks(): Promise<void> {
  await db.query(`insert into users (id, email) values ('user_1', 'a@example.com')`);
  await db.query(
    `insert into teams (id, name, slug, personal_user_id, tier)
     values ('team_1', 'a@example.com', 'a', 'user_1', 'enterprise')`,
  );
  await db.query(
    `insert into webhooks (id, user_id, team_id, url, events, status, sealed_secret)
     select 'wh_' || lpad(i::text, 4, '0'), 'user_1', 'team_1', 'https://example.com/', '{*}',
       case when i % 4 = 0 then 'paused' else 'active' end, 'sealed'
     from generate_series(1, $1) i`,
    [WEBHOOKS],
  );
  await db.query(
    `insert into webhook_events (id, user_id, team_id, event, body)
     values ('evt_1', 'user_1', 'team_1', 'e', '{}')`,
  );
  // Those of paused webhooks may be due for long.
  await db.query(
    `insert into webhook_deliveries (id, webhook_id, event_id, status, due_at)
     select 'del_' || lpad(i::text, 4, '0'), 'wh_' || lpad(i::text, 4, '0'), 'evt_1', 'pending',
       now() + case when i % 4 = 0 then interval '-1 hour' else interval '1 hour' end
     from generate_series(1, $1) i`,
    [WEBHOOKS],
  );
}

it('deliveries that are not due, and those of paused webhooks, cause no further looks', async () => {
  database = await createTestDatabase();
  db = openDb({ url: database.url, silenceMs: PATIENT_MS });
  const sent: ClaimedDelivery[] = [];
  const watched = counting(db);
  const signals = createSignals({ originId: 'sig_idle', db, onError: () => undefined });
  delivery = startWebhookDelivery({
    db: watched.db,
    signals,
    clock: systemClock,
    log: createLogger({ level: 'fatal', scrubber: createScrubber(), write: () => undefined }),
    webhookSender: {
      async send(one) {
        sent.push(one);
        return undefined;
      },
    },
  });
  const during = async () => {
    const before = watched.asked();
    await systemClock.sleep(WATCH_MS);
    return watched.asked() - before;
  };
  const idle = await during();
  await makeWebhooks();
  const waiting = await during();
  expect(waiting).toBeLessThanOrEqual(2 * idle + 8);
  expect(sent).toEqual([]);

  // One at the end of the list becomes due, and nobody says so.
  await db.query(`update webhook_deliveries set due_at = now() where webhook_id = 'wh_0319'`);
  await waitUntil(() => sent.length > 0, 'the delivery');
  expect(sent[0]).toMatchObject({ webhookId: 'wh_0319' });
});

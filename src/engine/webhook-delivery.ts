// The loop that delivers webhooks on this node. It is woken by signals and by its own finished
// deliveries, and asks by itself whether any have become due. Only then does it look at webhooks, so
// that an idle server does no more with a million waiting deliveries than with none.
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { createCoalescer } from '../store/postgres/coalesce.ts';
import type { Db } from '../store/postgres/db.ts';
import type { Signals } from '../store/postgres/signals.ts';
import {
  claimDeliveries,
  findDue,
  recordResults,
  releaseDeliveries,
} from '../store/webhooks/webhook-claims.ts';
import type { ClaimedDelivery, DeliveryResult } from '../store/webhooks/webhook-claims.ts';
import { pruneWebhooks } from '../store/webhooks/webhook-deliveries.ts';
import { noteFailure, noteGone, noteSuccess } from '../store/webhooks/webhook-health.ts';
import type { SendOutcome, WebhookSender } from './webhook-sender.ts';

const POLL_MS = 1000;
/** Deliveries that end close together make room for one claim instead of many. */
const GATHER_MS = 5;
const SLOTS = 256;
const PRUNE_MS = 10 * 60_000;
/** For what was due before the last look, but could not be seen then: its signal may be lost. */
const LOOK_AGAIN_MS = 15_000;

export interface WebhookDelivery {
  wake(): void;
  /** Stops claiming, waits, gives back what is left. */
  stop(waitMs: number): Promise<void>;
}

export function startWebhookDelivery(deps: {
  db: Db;
  signals: Signals;
  clock: Clock;
  log: Logger;
  webhookSender: WebhookSender;
}): WebhookDelivery {
  const { db, clock, log } = deps;
  const underWay = new Map<ClaimedDelivery, Promise<void>>();
  const stopping = new AbortController();
  const aborting = new AbortController();
  let cursor = '';
  let lookedAt = -Infinity;
  /** By the database's clock: what became due until then has been looked at. */
  let lookedUntil = '-infinity';
  let awake = new AbortController();
  let prunedAt = clock.now();

  const recorder = createCoalescer({
    maxBatch: 256,
    async run(results: DeliveryResult[]) {
      await recordResults(db, results);
      return results.map(() => undefined);
    },
  });

  async function noteHealth(delivery: ClaimedDelivery, outcome: NonNullable<SendOutcome>) {
    const { webhookId, failing } = delivery;
    if (outcome.result.ending.kind === 'delivered') {
      if (failing) await noteSuccess(db, webhookId);
      return;
    }
    const off = outcome.gone
      ? await noteGone(db, webhookId)
      : await noteFailure(db, webhookId, failing);
    if (off) log.warn({ webhookId, gone: outcome.gone }, 'disabled a webhook');
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    try {
      const outcome = await deps.webhookSender.send(delivery, aborting.signal);
      if (outcome === undefined) {
        await releaseDeliveries(db, [delivery]);
        return;
      }
      // The health first: once the result is recorded, the next try may start, and its success must
      // not be followed by a failure that came before it.
      await noteHealth(delivery, outcome);
      await recorder.add(outcome.result);
    } catch (error) {
      // Its lease runs out, and it is sent again: twice is better than never.
      log.warn({ err: error, deliveryId: delivery.id }, 'webhook delivery failed unexpectedly');
    } finally {
      underWay.delete(delivery);
      awake.abort();
    }
  }

  /** Claims what is due, once around all webhooks or until all slots are taken. */
  async function claimDue(): Promise<void> {
    // A round that begins in the middle continues from the beginning, up to where it began.
    let parts = cursor === '' ? 1 : 2;
    while (parts > 0 && !stopping.signal.aborted) {
      const free = SLOTS - underWay.size;
      if (free <= 0) return;
      const claim = await claimDeliveries(db, cursor, free);
      cursor = claim.cursor;
      for (const delivery of claim.deliveries) underWay.set(delivery, deliver(delivery));
      if (!claim.more) parts -= 1;
    }
  }

  async function look(isWoken: boolean): Promise<void> {
    const due = await findDue(db, lookedUntil);
    const again = due.any && clock.now() - lookedAt >= LOOK_AGAIN_MS;
    if (!due.newly && !again && !(due.any && isWoken)) return;
    await claimDue();
    lookedAt = clock.now();
    lookedUntil = due.at;
  }

  async function pruneSometimes(): Promise<void> {
    if (clock.now() - prunedAt < PRUNE_MS) return;
    prunedAt = clock.now();
    await pruneWebhooks(db);
  }

  async function loop(): Promise<void> {
    let isWoken = true;
    while (!stopping.signal.aborted) {
      awake = new AbortController();
      try {
        await look(isWoken);
        await pruneSometimes();
      } catch (error) {
        log.warn({ err: error }, 'could not fetch webhook deliveries; retrying');
      }
      await clock.sleep(POLL_MS, AbortSignal.any([awake.signal, stopping.signal]));
      await clock.sleep(GATHER_MS, stopping.signal);
      isWoken = awake.signal.aborted;
    }
  }

  const unsubscribe = deps.signals.on('webhooks', () => awake.abort());
  const looping = loop();
  return {
    wake: () => awake.abort(),
    async stop(waitMs) {
      unsubscribe();
      stopping.abort();
      await looping;
      const left = Promise.all(underWay.values());
      const waited = new AbortController();
      await Promise.race([left, clock.sleep(waitMs, waited.signal)]);
      waited.abort();
      aborting.abort();
      await left;
    },
  };
}

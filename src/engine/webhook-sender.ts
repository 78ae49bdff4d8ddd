// One try at one delivery: opens the secrets, signs, sends, and judges the answer.
import { createCache } from '../platform/cache.ts';
import { formattedBody } from '../domain/webhook/webhook-format.ts';
import { nextTryIn, verdictOf } from '../domain/webhook/webhook-retry.ts';
import type { WebhookTimes } from '../domain/webhook/webhook-retry.ts';
import type { Clock } from '../platform/clock.ts';
import { ifItOpens, open } from '../platform/envelope.ts';
import type { MasterKeys } from '../platform/envelope.ts';
import type { GuardedAnswer, GuardedClient } from '../platform/guarded-request.ts';
import type { Span, Telemetry } from '../platform/telemetry.ts';
import { webhookSecretBinding } from '../store/accounts/sealed-secrets.ts';
import type { ClaimedDelivery, DeliveryResult } from '../store/webhooks/webhook-claims.ts';
import { webhookHeaders } from './webhook-signature.ts';

/** Undefined when it was stopped before there was an outcome. */
export type SendOutcome = { result: DeliveryResult; gone: boolean } | undefined;

export interface WebhookSender {
  send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<SendOutcome>;
}

/** Opening costs more than signing, and a busy webhook's secrets are needed again at once. */
const OPENED_SECRETS = 1000;
const OPENED_MS = 60_000;

const UNREADABLE = 'The secret of this webhook cannot be decrypted; rotate it to get a new one';

export function createWebhookSender(deps: {
  client: GuardedClient;
  masterKeys: MasterKeys;
  clock: Clock;
  random(): number;
  times: WebhookTimes;
  userAgent: string;
  /** Where people reach the dashboard; messages of a chat have no link without it. */
  publicUrl: string | undefined;
  telemetry: Telemetry;
}): WebhookSender {
  const opened = createCache<string>({ entries: OPENED_SECRETS, ttl: OPENED_MS });

  function openSecret(sealed: string, webhookId: string): string {
    // By webhook as well: what is sealed opens only where it belongs.
    const name = `${webhookId} ${sealed}`;
    const known =
      opened.get(name) ?? open(deps.masterKeys, sealed, webhookSecretBinding(webhookId));
    opened.set(name, known);
    return known;
  }

  function secretsOf(delivery: ClaimedDelivery): string[] {
    const { sealedSecret, oldSealedSecrets, webhookId } = delivery;
    const current = openSecret(sealedSecret, webhookId);
    // Of those before, one that cannot be read was the reason to rotate: it must not stop the new one.
    const before = oldSealedSecrets.flatMap(
      (sealed) => ifItOpens(() => openSecret(sealed, webhookId)) ?? [],
    );
    return [current, ...before];
  }

  async function post(
    delivery: ClaimedDelivery,
    at: number,
    { signal, span }: { signal: AbortSignal; span: Span },
  ) {
    const body = formattedBody(delivery.format, delivery.body, deps.publicUrl);
    const message = { id: delivery.eventId, atSeconds: Math.floor(at / 1000), body };
    const secrets = ifItOpens(() => secretsOf(delivery));
    if (secrets === undefined) return { kind: 'failed', error: UNREADABLE } satisfies GuardedAnswer;
    return deps.client.post({
      url: delivery.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': deps.userAgent,
        // So that a receiver that is traced, too, continues the same trace.
        ...(span.context === undefined ? {} : { traceparent: span.context }),
        ...webhookHeaders(message, secrets),
      },
      body,
      signal,
    });
  }

  function endingOf(tries: number, retryAfterMs: number | undefined): DeliveryResult['ending'] {
    const inMs = nextTryIn({ tries, retryAfterMs }, deps.times.retryDelaysMs, deps.random());
    return inMs === undefined ? { kind: 'failed' } : { kind: 'retry', inMs };
  }

  return {
    async send(delivery, signal) {
      const at = deps.clock.now();
      const span = deps.telemetry.start(`webhook ${delivery.event}`, {
        kind: 'client',
        parent: delivery.trace,
        attributes: {
          'http.request.method': 'POST',
          'millrace.webhook.id': delivery.webhookId,
          'millrace.event.id': delivery.eventId,
          'millrace.delivery.tries': delivery.tries,
        },
      });
      const answer = await post(delivery, at, { signal, span });
      if (answer.kind === 'aborted') {
        span.end('aborted');
        return undefined;
      }
      const endedAt = deps.clock.now();
      const isAnswered = answer.kind === 'answered';
      const status = isAnswered ? answer.status : undefined;
      const retryAfter = isAnswered ? answer.retryAfter : undefined;
      span.set({ 'http.response.status_code': status });
      const verdict = verdictOf({ status, retryAfter }, endedAt);
      span.end(verdict.kind === 'delivered' ? undefined : String(status ?? 'unreachable'));
      const failure = isAnswered ? `The receiver returned ${answer.status}` : answer.error;
      return {
        gone: verdict.kind === 'gone',
        result: {
          id: delivery.id,
          claim: delivery.claim,
          at: new Date(at),
          status,
          durationMs: Math.max(0, Math.round(endedAt - at)),
          responseBody: isAnswered ? answer.body : undefined,
          error: verdict.kind === 'delivered' ? undefined : failure,
          ending:
            verdict.kind === 'delivered'
              ? { kind: 'delivered' }
              : verdict.kind === 'gone'
                ? { kind: 'failed' }
                : endingOf(delivery.tries + 1, verdict.retryAfterMs),
        },
      };
    },
  };
}

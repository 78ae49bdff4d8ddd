// millrace webhooks test
import { setTimeout as delay } from 'node:timers/promises';
import type { MillraceClient, WebhookDelivery } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { showOutcome } from '../../show-outcome.ts';
import { describeDelivery } from './delivery-text.ts';
import { findWebhookId } from './find-webhook.ts';

const FOUND_WITHIN = 100;
/** A little longer than one try may take. */
const WAIT_MS = 20_000;
const LOOK_EVERY_MS = 250;

/** The delivery once it has been tried, or as it is when the time is over. */
async function untilTried(
  client: MillraceClient,
  webhookId: string,
  sent: { deliveryId: string; tried: number },
): Promise<WebhookDelivery | undefined> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const { items } = await client.webhooks.deliveries(webhookId, { limit: FOUND_WITHIN });
    const found = items.find(({ id }) => id === sent.deliveryId);
    if ((found?.attempts.length ?? 0) > sent.tried || Date.now() > until) return found;
    await delay(LOOK_EVERY_MS);
  }
}

export async function testWebhook(
  options: CommandOptions,
  [asked = '']: string[],
): Promise<number> {
  const client = await openClient(options);
  const id = await findWebhookId(client, asked);
  const { deliveryId } = (await client.webhooks.test(id)) as { deliveryId: string };
  const delivery = await untilTried(client, id, { deliveryId, tried: 0 });
  return showOutcome(options, {
    document: delivery ?? { id: deliveryId, status: 'pending' },
    text: delivery ? describeDelivery(delivery) : `${deliveryId}  not sent yet`,
    exit: delivery?.status === 'delivered' ? EXIT.ok : EXIT.failed,
  });
}

// millrace webhooks test
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { MillraceClient, WebhookDelivery } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { describeDelivery } from './delivery-text.ts';
import { WEBHOOK_ID, findWebhookId } from './find-webhook.ts';

const FOUND_WITHIN = 100;
/** A little longer than one try may take. */
const WAIT_MS = 20_000;
const LOOK_EVERY_MS = 250;

export function addWebhooksTest(webhooks: Command, act: Act): void {
  describe(webhooks.command('test'), 'send a test event and say whether it arrived', [
    'webhooks test wh_01...',
  ])
    .argument('<id>', WEBHOOK_ID)
    .action(act(async () => testWebhook));
}

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

async function testWebhook(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findWebhookId(client, args[0] ?? '');
  const { deliveryId } = (await client.webhooks.test(id)) as { deliveryId: string };
  const delivery = await untilTried(client, id, { deliveryId, tried: 0 });
  if (options['json']) print(JSON.stringify(delivery ?? { id: deliveryId, status: 'pending' }));
  else print(delivery ? describeDelivery(delivery) : `${deliveryId}  not sent yet`);
  return delivery?.status === 'delivered' ? EXIT.ok : EXIT.failed;
}

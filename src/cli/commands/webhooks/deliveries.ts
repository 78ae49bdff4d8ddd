// millrace webhooks deliveries
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { openClient } from '../../open-client.ts';
import { pageOf } from '../../page-flags.ts';
import { shortIds } from '../../short-ids.ts';
import { showOutcome } from '../../show-outcome.ts';
import { describeDelivery } from './delivery-text.ts';
import { findDeliveryId, findWebhookId } from './find-webhook.ts';

export async function listDeliveries(
  options: CommandOptions,
  [asked = '']: string[],
): Promise<number> {
  const { limit, before } = pageOf(options);
  const client = await openClient(options);
  const id = await findWebhookId(client, asked);
  const page = await client.webhooks.deliveries(id, {
    limit,
    ...(before === undefined ? {} : { before: await findDeliveryId(client, id, before) }),
  });
  const { items, nextCursor } = page;
  const ids = shortIds(items.map((delivery) => delivery.id));
  const lines = items.map((delivery) => describeDelivery(delivery, ids.get(delivery.id)));
  return showOutcome(options, {
    document: page,
    ...(lines.length > 0 ? { text: lines.join('\n') } : {}),
    notes: [
      ...(lines.length === 0 ? ['Nothing was sent yet.'] : []),
      ...(nextCursor
        ? [`More: ${commandLine('webhooks', 'deliveries', id, '--before', nextCursor)}`]
        : []),
    ],
  });
}

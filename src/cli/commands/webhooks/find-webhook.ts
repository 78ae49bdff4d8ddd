// The webhook, or the delivery, that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

export function findWebhookId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'wh',
    noun: 'webhook',
    listCommand: commandLine('webhooks', 'list'),
    async find(start) {
      const { items } = await client.webhooks.list();
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}

export function findDeliveryId(
  client: MillraceClient,
  webhookId: string,
  asked: string,
): Promise<string> {
  return wholeId(asked, {
    type: 'del',
    noun: 'delivery',
    listCommand: commandLine('webhooks', 'deliveries', webhookId),
    async find(start) {
      const { items } = await client.webhooks.deliveries(webhookId, { limit: 100 });
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}

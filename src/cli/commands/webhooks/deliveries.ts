// millrace webhooks deliveries
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { numberOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { shortIds } from '../../short-ids.ts';
import { note, print } from '../../terminal/output.ts';
import { describeDelivery } from './delivery-text.ts';
import { WEBHOOK_ID, findDeliveryId, findWebhookId } from './find-webhook.ts';

export function addWebhooksDeliveries(webhooks: Command, act: Act): void {
  describe(webhooks.command('deliveries'), 'show what was sent to a webhook, newest first', [
    'webhooks deliveries wh_01... --limit 5',
  ])
    .argument('<id>', WEBHOOK_ID)
    .option('--limit <number>', 'how many to show, 1 to 100', '20')
    .option('--before <id>', 'only deliveries older than this one')
    .action(act(async () => listDeliveries));
}

async function listDeliveries(options: CommandOptions, args: string[]): Promise<number> {
  const limit = numberOf(options, 'limit', '--limit') ?? 20;
  const client = await openClient(options);
  const id = await findWebhookId(client, args[0] ?? '');
  const { before } = options;
  const page = await client.webhooks.deliveries(id, {
    limit,
    ...(typeof before === 'string' ? { before: await findDeliveryId(client, id, before) } : {}),
  });
  if (options['json']) {
    print(JSON.stringify(page));
    return EXIT.ok;
  }
  const ids = shortIds(page.items.map((delivery) => delivery.id));
  for (const delivery of page.items) print(describeDelivery(delivery, ids.get(delivery.id)));
  if (page.items.length === 0) note('Nothing was sent yet.');
  if (page.nextCursor) {
    note(`More: ${commandLine('webhooks', 'deliveries', id, '--before', page.nextCursor)}`);
  }
  return EXIT.ok;
}

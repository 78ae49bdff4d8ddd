// millrace webhooks resend
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { WEBHOOK_ID, findDeliveryId, findWebhookId } from './find-webhook.ts';

export function addWebhooksResend(webhooks: Command, act: Act): void {
  describe(webhooks.command('resend'), 'send a delivery again', [
    'webhooks resend wh_01... del_01...',
  ])
    .argument('<id>', WEBHOOK_ID)
    .argument('<delivery>', 'the delivery id, or how it begins')
    .action(act(async () => resendDelivery));
}

async function resendDelivery(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findWebhookId(client, args[0] ?? '');
  const deliveryId = await findDeliveryId(client, id, args[1] ?? '');
  const answer = await client.webhooks.redeliver(id, deliveryId);
  print(options['json'] ? JSON.stringify(answer) : `Sending ${deliveryId} again.`);
  return EXIT.ok;
}

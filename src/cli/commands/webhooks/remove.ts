// millrace webhooks rm
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { WEBHOOK_ID, findWebhookId } from './find-webhook.ts';

export function addWebhooksRemove(webhooks: Command, act: Act): void {
  describe(webhooks.command('rm'), 'delete a webhook', ['webhooks rm wh_01...'])
    .argument('<id>', WEBHOOK_ID)
    .action(act(async () => removeWebhook));
}

async function removeWebhook(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findWebhookId(client, args[0] ?? '');
  await client.webhooks.remove(id);
  print(options['json'] ? JSON.stringify({ deleted: true, id }) : `Deleted ${id}.`);
  return EXIT.ok;
}

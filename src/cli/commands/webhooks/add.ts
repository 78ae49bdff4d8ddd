// millrace webhooks add
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { eventsOf } from './event-names.ts';

export function addWebhooksAdd(webhooks: Command, act: Act): void {
  describe(webhooks.command('add'), 'send events to a URL; prints the signing secret once', [
    'webhooks add https://example.com/hooks',
    'webhooks add https://example.com/hooks --events execution.completed,execution.failed',
  ])
    .argument('<url>', 'an https URL')
    .option('--events <names>', 'event names separated by commas, or * for all', '*')
    .option('--description <text>', 'what it is for')
    .action(act(async () => addWebhook));
}

async function addWebhook(options: CommandOptions, args: string[]): Promise<number> {
  const description = options['description'];
  const client = await openClient(options);
  const webhook = await client.webhooks.create({
    url: args[0] ?? '',
    events: eventsOf(options),
    ...(typeof description === 'string' ? { description } : {}),
  });
  if (options['json']) print(JSON.stringify(webhook));
  else {
    print(`${webhook.id} ${plain(webhook.url)}`);
    print(webhook.secret);
    note('Save this secret; you need it to verify signatures. It is not shown again.');
  }
  return EXIT.ok;
}

// millrace webhooks list
import type { Command } from 'commander';
import type { Webhook } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { shortIds } from '../../short-ids.ts';
import { note, print } from '../../terminal/output.ts';
import { printTable, statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';

export function addWebhooksList(webhooks: Command, act: Act): void {
  describe(webhooks.command('list'), 'list your webhooks', ['webhooks list']).action(
    act(async () => listWebhooks),
  );
}

async function listWebhooks(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { items } = await client.webhooks.list();
  if (options['json']) {
    print(JSON.stringify({ items }));
    return EXIT.ok;
  }
  if (items.length === 0) {
    note(
      `No webhooks. Add one with: ${commandLine('webhooks', 'add', 'https://example.com/hooks')}`,
    );
    return EXIT.ok;
  }
  const ids = shortIds(items.map(({ id }) => id));
  printTable<Webhook>(
    [
      { head: 'ID', text: ({ id }) => ids.get(id)! },
      statusColumn(({ status }) => status),
      { head: 'EVENTS', text: ({ events }) => events.join(',') },
      { head: 'URL', text: ({ url }) => plain(url), isFlexible: true },
    ],
    items,
  );
  return EXIT.ok;
}

// millrace webhooks list
import type { Command } from 'commander';
import type { Webhook } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { openClient } from '../../open-client.ts';
import { idColumn, showList } from '../../show-list.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';

export function addWebhooksList(webhooks: Command, act: Act): void {
  describe(webhooks.command('list'), 'list your webhooks', ['webhooks list']).action(
    act(async () => listWebhooks),
  );
}

async function listWebhooks(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { items } = await client.webhooks.list();
  return showList<Webhook>(options, {
    document: { items },
    rows: items,
    columns: [
      idColumn(items),
      statusColumn(({ status }) => status),
      { head: 'EVENTS', text: ({ events }) => events.join(',') },
      { head: 'URL', text: ({ url }) => plain(url), isFlexible: true },
    ],
    empty: `No webhooks. Add one with: ${commandLine('webhooks', 'add', 'https://example.com/hooks')}`,
  });
}

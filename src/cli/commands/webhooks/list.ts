// millrace webhooks list
import type { Command } from 'commander';
import type { Webhook } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { shortIds } from '../../short-ids.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusStyle } from '../../terminal/status-style.ts';
import { tableOf, widthOf } from '../../terminal/table.ts';

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
  const table = tableOf<Webhook>(
    [
      { head: 'ID', text: ({ id }) => ids.get(id)! },
      {
        head: 'STATUS',
        text: ({ status }) => status,
        style: (text, { status }) => styled(statusStyle(status), text),
      },
      { head: 'EVENTS', text: ({ events }) => events.join(',') },
      { head: 'URL', text: ({ url }) => plain(url), isFlexible: true },
    ],
    items,
    { width: widthOf(process.stdout), paintHead: (text) => styled('dim', text) },
  );
  for (const line of table) print(line);
  return EXIT.ok;
}

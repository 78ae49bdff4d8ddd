// millrace webhooks: where a server sends execution events.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addWebhooksAdd } from './add.ts';
import { addWebhooksDeliveries } from './deliveries.ts';
import { addWebhooksList } from './list.ts';
import { addWebhooksListen } from './listen.ts';
import { addWebhooksRemove } from './remove.ts';
import { addWebhooksResend } from './resend.ts';
import { addWebhooksTest } from './test.ts';

export function addWebhooks(program: Command, act: Act): void {
  const webhooks = describe(program.command('webhooks'), 'send execution events to a URL', [
    'webhooks add https://example.com/hooks',
    'webhooks listen',
  ]).helpCommand(false);
  addWebhooksList(webhooks, act);
  addWebhooksAdd(webhooks, act);
  addWebhooksRemove(webhooks, act);
  addWebhooksTest(webhooks, act);
  addWebhooksDeliveries(webhooks, act);
  addWebhooksResend(webhooks, act);
  addWebhooksListen(webhooks, act);
}

// webhooks: where a server tells of events.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

const WEBHOOK_ID = 'the webhook id';

export function addWebhooks(program: Command, act: Act): void {
  const webhooks = describe(program.command('webhooks'), 'hear of events of executions at a URL', [
    'webhooks add https://example.com/hooks',
    'webhooks listen',
  ]);
  describe(webhooks.command('list'), 'list your webhooks', ['webhooks list']).action(
    act(async () => (await import('./webhooks.ts')).listWebhooks),
  );
  describe(webhooks.command('add'), 'send events to a URL; prints the secret, once', [
    'webhooks add https://example.com/hooks',
    'webhooks add https://example.com/hooks --events execution.completed,execution.failed',
  ])
    .argument('<url>', 'an https URL')
    .option('--events <names>', 'names with commas, or * for all', '*')
    .option('--description <text>', 'what it is for')
    .action(act(async () => (await import('./webhooks.ts')).addWebhook));
  describe(webhooks.command('rm'), 'delete a webhook', ['webhooks rm wh_01...'])
    .argument('<id>', WEBHOOK_ID)
    .action(act(async () => (await import('./webhooks.ts')).removeWebhook));
  describe(webhooks.command('test'), 'send a test event and say whether it arrived', [
    'webhooks test wh_01...',
  ])
    .argument('<id>', WEBHOOK_ID)
    .action(act(async () => (await import('./webhooks.ts')).testWebhook));
  describe(webhooks.command('deliveries'), 'show what was sent to a webhook, newest first', [
    'webhooks deliveries wh_01... --limit 5',
  ])
    .argument('<id>', WEBHOOK_ID)
    .option('--limit <number>', 'deliveries to show, 1 to 100', '20')
    .option('--before <id>', 'only those before this delivery')
    .action(act(async () => (await import('./webhooks.ts')).listDeliveries));
  describe(webhooks.command('resend'), 'send a delivery again', [
    'webhooks resend wh_01... del_01...',
  ])
    .argument('<id>', WEBHOOK_ID)
    .argument('<delivery>', 'the delivery id')
    .action(act(async () => (await import('./webhooks.ts')).resendDelivery));
  describe(
    webhooks.command('listen'),
    'receive webhooks on this machine and show them, until ctrl-c',
    ['webhooks listen', 'webhooks listen --forward http://127.0.0.1:3000/hooks --json'],
  )
    .option('--port <number>', 'port to listen on (default: any free one)')
    .option('--events <names>', 'names with commas, or * for all', '*')
    .option('--secret <secret>', 'register nothing: receive for a webhook that has this secret')
    .option('--forward <url>', 'pass each genuine webhook on to this address')
    .action(act(async () => (await import('./webhook-listen.ts')).listenForWebhooks));
}

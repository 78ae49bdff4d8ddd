// millrace webhooks listen
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';

export function addWebhooksListen(webhooks: Command, act: Act): void {
  describe(
    webhooks.command('listen'),
    'receive webhooks on this machine and show them, until ctrl-c',
    ['webhooks listen', 'webhooks listen --forward http://127.0.0.1:3000/hooks --json'],
  )
    .option('--port <number>', 'port to listen on (default: any free one)')
    .option('--events <names>', 'event names separated by commas, or * for all', '*')
    .option('--secret <secret>', 'receive for an existing webhook that has this secret')
    .option('--forward <url>', 'forward each verified webhook to this address')
    // A small server of its own: loaded when it is called.
    .action(act(async () => (await import('./receive-webhooks.ts')).listenForWebhooks));
}

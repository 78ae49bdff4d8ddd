// millrace webhooks: where a server sends execution events.
import type { Command } from 'commander';
import type { Webhook, WebhookFormat } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { withPageFlags } from '../../page-flags.ts';
import type { Resource } from '../../resource.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { plain } from '../../terminal/plain-text.ts';
import { listDeliveries } from './deliveries.ts';
import { eventsOf } from './event-names.ts';
import { findDeliveryId, findWebhookId } from './find-webhook.ts';
import { testWebhook } from './test.ts';

const webhookId = (command: Command) =>
  command.argument('<id>', 'the webhook id, or how it begins');

async function listWebhooks(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { items } = await client.webhooks.list();
  return showList<Webhook>(options, {
    document: { items },
    rows: items,
    columns: [
      idColumn(items),
      statusColumn(({ status }) => status),
      { head: 'FORMAT', text: ({ format }) => format },
      { head: 'EVENTS', text: ({ events }) => events.join(',') },
      { head: 'URL', text: ({ url }) => plain(url), isFlexible: true },
    ],
    empty: `No webhooks. Add one with: ${commandLine('webhooks', 'add', 'https://example.com/hooks')}`,
  });
}

async function addWebhook(options: CommandOptions, [url = '']: string[]): Promise<number> {
  const description = textOf(options, 'description');
  const format = textOf(options, 'format');
  const client = await openClient(options);
  const webhook = await client.webhooks.create({
    url,
    events: eventsOf(options),
    // The server knows the names, and says which one it does not.
    ...(format === undefined ? {} : { format: format as WebhookFormat }),
    ...(description === undefined ? {} : { description }),
  });
  return showOutcome(options, {
    document: webhook,
    text: `${webhook.id} ${plain(webhook.url)}\n${webhook.secret}`,
    notes: ['Save this secret; you need it to verify signatures. It is not shown again.'],
  });
}

async function removeWebhook(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findWebhookId(client, asked);
  await client.webhooks.remove(id);
  return showOutcome(options, { document: { deleted: true, id }, text: `Deleted ${id}.` });
}

async function resendDelivery(
  options: CommandOptions,
  [asked = '', delivery = '']: string[],
): Promise<number> {
  const client = await openClient(options);
  const id = await findWebhookId(client, asked);
  const deliveryId = await findDeliveryId(client, id, delivery);
  const answer = await client.webhooks.redeliver(id, deliveryId);
  return showOutcome(options, { document: answer, text: `Sending ${deliveryId} again.` });
}

export const WEBHOOKS: Resource = {
  noun: 'webhooks',
  summary: 'send execution events to a URL',
  examples: ['webhooks add https://example.com/hooks', 'webhooks listen'],
  actions: [
    {
      name: 'list',
      summary: 'list your webhooks',
      examples: ['webhooks list'],
      run: listWebhooks,
    },
    {
      name: 'add',
      summary: 'send events to a URL; prints the signing secret once',
      examples: [
        'webhooks add https://example.com/hooks',
        'webhooks add https://example.com/hooks --events execution.completed,execution.failed',
        'webhooks add https://example.com/chat --format slack --events approval.requested',
      ],
      input: (command) =>
        command
          .argument('<url>', 'an https URL')
          .option('--events <names>', 'event names separated by commas, or * for all', '*')
          .option('--format <name>', 'millrace, or a message for a chat: slack or teams')
          .option('--description <text>', 'what it is for'),
      run: addWebhook,
    },
    {
      name: 'rm',
      summary: 'delete a webhook',
      examples: ['webhooks rm wh_01...'],
      input: webhookId,
      run: removeWebhook,
    },
    {
      name: 'test',
      summary: 'send a test event and say whether it arrived',
      examples: ['webhooks test wh_01...'],
      input: webhookId,
      run: testWebhook,
    },
    {
      name: 'deliveries',
      summary: 'show what was sent to a webhook, newest first',
      examples: ['webhooks deliveries wh_01... --limit 5'],
      input: (command) =>
        withPageFlags(webhookId(command), {
          limit: 20,
          before: 'only deliveries older than this one',
        }),
      run: listDeliveries,
    },
    {
      name: 'resend',
      summary: 'send a delivery again',
      examples: ['webhooks resend wh_01... del_01...'],
      input: (command) =>
        webhookId(command).argument('<delivery>', 'the delivery id, or how it begins'),
      run: resendDelivery,
    },
    {
      name: 'listen',
      summary: 'receive webhooks on this machine and show them, until ctrl-c',
      examples: ['webhooks listen', 'webhooks listen --forward http://127.0.0.1:3000/hooks --json'],
      input: (command) =>
        command
          .option('--port <number>', 'port to listen on (default: any free one)')
          .option('--events <names>', 'event names separated by commas, or * for all', '*')
          .option('--secret <secret>', 'receive for an existing webhook that has this secret')
          .option('--forward <url>', 'forward each verified webhook to this address'),
      // A small server of its own: loaded when it is called.
      run: async (options) => (await import('./receive-webhooks.ts')).listenForWebhooks(options),
    },
  ],
};

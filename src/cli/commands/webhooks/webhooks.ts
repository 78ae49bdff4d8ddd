// millrace webhooks list | add | rm | test | deliveries | resend
import { setTimeout as delay } from 'node:timers/promises';
import type { MillraceClient, NewWebhook, WebhookDelivery } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { clientOf, numberOf } from '../../remote.ts';

export function eventsOf(options: CommandOptions): NewWebhook['events'] {
  const names = String(options['events']).split(',');
  // The server knows the names, and says which one it does not.
  return names.map((name) => name.trim()).filter((name) => name !== '') as NewWebhook['events'];
}

export async function listWebhooks(options: CommandOptions): Promise<number> {
  const { items } = await clientOf(options).webhooks.list();
  if (options['json']) {
    print(JSON.stringify({ items }));
    return EXIT.ok;
  }
  for (const { id, status, url, events } of items) {
    print(`${id}  ${status.padEnd(8)}  ${plain(url)}  ${events.join(',')}`);
  }
  if (items.length === 0) note('There are no webhooks.');
  return EXIT.ok;
}

export async function addWebhook(options: CommandOptions, args: string[]): Promise<number> {
  const description = options['description'];
  const webhook = await clientOf(options).webhooks.create({
    url: args[0] ?? '',
    events: eventsOf(options),
    ...(typeof description === 'string' ? { description } : {}),
  });
  if (options['json']) print(JSON.stringify(webhook));
  else {
    print(`${webhook.id} ${plain(webhook.url)}`);
    print(webhook.secret);
    note('Keep the secret: it checks the signatures, and is not shown again.');
  }
  return EXIT.ok;
}

export async function removeWebhook(options: CommandOptions, args: string[]): Promise<number> {
  const id = args[0] ?? '';
  await clientOf(options).webhooks.remove(id);
  print(options['json'] ? JSON.stringify({ deleted: true, id }) : `Deleted ${id}.`);
  return EXIT.ok;
}

function describeDelivery(delivery: WebhookDelivery): string {
  const last = delivery.attempts.at(-1);
  const tries = `${delivery.attempts.length} ${delivery.attempts.length === 1 ? 'try' : 'tries'}`;
  const why = last?.error ? `  ${plain(last.error)}` : '';
  return `${delivery.id}  ${delivery.status.padEnd(9)}  ${delivery.event}  ${tries}${why}`;
}

const FOUND_WITHIN = 100;
/** A little longer than one try may take. */
const WAIT_MS = 20_000;
const LOOK_EVERY_MS = 250;

/** The delivery once it has been tried, or as it is when the time is over. */
async function untilTried(
  client: MillraceClient,
  webhookId: string,
  sent: { deliveryId: string; tried: number },
): Promise<WebhookDelivery | undefined> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const { items } = await client.webhooks.deliveries(webhookId, { limit: FOUND_WITHIN });
    const found = items.find(({ id }) => id === sent.deliveryId);
    if ((found?.attempts.length ?? 0) > sent.tried || Date.now() > until) return found;
    await delay(LOOK_EVERY_MS);
  }
}

export async function testWebhook(options: CommandOptions, args: string[]): Promise<number> {
  const client = clientOf(options);
  const id = args[0] ?? '';
  const { deliveryId } = (await client.webhooks.test(id)) as { deliveryId: string };
  const delivery = await untilTried(client, id, { deliveryId, tried: 0 });
  if (options['json']) print(JSON.stringify(delivery ?? { id: deliveryId, status: 'pending' }));
  else print(delivery ? describeDelivery(delivery) : `${deliveryId}  waits to be sent`);
  return delivery?.status === 'delivered' ? EXIT.ok : EXIT.failed;
}

export async function listDeliveries(options: CommandOptions, args: string[]): Promise<number> {
  const limit = numberOf(options, 'limit', '--limit') ?? 20;
  const before = options['before'];
  const page = await clientOf(options).webhooks.deliveries(args[0] ?? '', {
    limit,
    ...(typeof before === 'string' ? { before } : {}),
  });
  if (options['json']) {
    print(JSON.stringify(page));
    return EXIT.ok;
  }
  for (const delivery of page.items) print(describeDelivery(delivery));
  if (page.items.length === 0) note('Nothing was sent.');
  if (page.nextCursor) note(`There are more: --before ${page.nextCursor}`);
  return EXIT.ok;
}

export async function resendDelivery(options: CommandOptions, args: string[]): Promise<number> {
  const [id = '', deliveryId = ''] = args;
  const answer = await clientOf(options).webhooks.redeliver(id, deliveryId);
  print(options['json'] ? JSON.stringify(answer) : `${deliveryId} is being sent again.`);
  return EXIT.ok;
}

// The trigger, or the delivery, that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

export function findTriggerId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'trg',
    noun: 'trigger',
    listCommand: commandLine('triggers', 'list'),
    async find(start) {
      const { items } = await client.triggers.list();
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}

export function findTriggerDeliveryId(
  client: MillraceClient,
  triggerId: string,
  asked: string,
): Promise<string> {
  return wholeId(asked, {
    type: 'tdel',
    noun: 'delivery',
    listCommand: commandLine('triggers', 'deliveries', triggerId),
    async find(start) {
      const { items } = await client.triggers.deliveries(triggerId, { limit: 100 });
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}

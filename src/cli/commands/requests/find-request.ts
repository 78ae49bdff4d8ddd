// The run request that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

export function findRequestId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'rreq',
    noun: 'run request',
    listCommand: commandLine('requests', 'list'),
    async find(start) {
      const { items } = await client.runRequests.list({ limit: 100 });
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}

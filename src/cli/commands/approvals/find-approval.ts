// The approval that a command is about.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

export function findApprovalId(client: MillraceClient, asked: string): Promise<string> {
  return wholeId(asked, {
    type: 'apr',
    noun: 'approval',
    listCommand: commandLine('approvals', 'list', '--status', 'all'),
    async find(start) {
      const { items } = await client.approvals.list({ limit: 100 });
      return items.map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}

// The id of what an entry of the audit log is about, from its beginning.
import type { MillraceClient } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';

/** Keys, users, teams, webhooks: the kind is known from the id alone. Others are taken as they are. */
export async function findTarget(client: MillraceClient, asked: string): Promise<string> {
  const [, type] = /^([a-z]+)_/.exec(asked) ?? [];
  if (type === undefined) return asked;
  return wholeId(asked, {
    type,
    noun: 'target among the last 100 entries',
    listCommand: commandLine('audit', '--json'),
    async find(start) {
      const { items } = await client.audit.list({ limit: 100 });
      return [...new Set(items.map(({ target }) => target ?? ''))].filter((target) =>
        target.startsWith(start),
      );
    },
  });
}

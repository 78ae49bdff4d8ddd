// millrace audit
import type { Command } from 'commander';
import type { AuditEvent } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { numberOf, textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { showList } from '../../show-list.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { shortIds } from '../../short-ids.ts';
import { changeText } from './change-text.ts';
import { findTarget } from './find-target.ts';

export function addAudit(program: Command, act: Act): void {
  describe(program.command('audit'), 'show who changed access, money or settings', [
    'audit',
    "audit --action 'member.*' --since 2026-11-01T00:00:00Z",
    'audit --target key_01...',
  ])
    .option('--limit <number>', 'how many to show, 1 to 100', '20')
    .option('--action <name>', 'only this action, or a group, as in member.*')
    .option('--user <id>', 'only what this user did')
    .option('--target <id>', 'only changes of this key, member, webhook, ...')
    .option('--since <time>', 'only at or after this time (ISO 8601)')
    .option('--until <time>', 'only before this time (ISO 8601)')
    .option('--before <id>', 'go on where an earlier page ended')
    .action(act(async () => showAudit));
}

const columnsOf = (ids: Map<string, string>) => [
  { head: 'TIME', text: ({ at }: AuditEvent) => localTime(at) },
  {
    head: 'WHO',
    text: ({ actor }: AuditEvent) => plain(actor.email ?? actor.userId ?? actor.credential),
  },
  { head: 'FROM', text: ({ actor }: AuditEvent) => plain(actor.address ?? '-') },
  { head: 'ACTION', text: ({ action }: AuditEvent) => action },
  {
    head: 'CHANGE',
    text: (event: AuditEvent) => plain(changeText(event, (id) => ids.get(id) ?? id)),
    isFlexible: true,
  },
];

async function showAudit(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const target = textOf(options, 'target');
  const filter = {
    limit: numberOf(options, 'limit', '--limit') ?? 20,
    action: textOf(options, 'action'),
    userId: textOf(options, 'user'),
    target: target === undefined ? undefined : await findTarget(client, target),
    since: textOf(options, 'since'),
    until: textOf(options, 'until'),
    before: textOf(options, 'before'),
  };
  const page = await client.audit.list(filter);
  const ids = shortIds(page.items.flatMap((event) => event.target ?? []));
  return showList(options, {
    document: page,
    rows: page.items,
    columns: columnsOf(ids),
    empty: 'No entries.',
    more: page.nextCursor === null ? undefined : `--before ${page.nextCursor}`,
  });
}

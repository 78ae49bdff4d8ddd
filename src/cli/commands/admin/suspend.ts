// millrace admin suspend, and millrace admin resume which lifts it
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { reasonOf, withReason } from './reason-flag.ts';
import { withServerAdmin } from './with-server-admin.ts';

const TARGET = 'email address of an account, or id or slug of a team';

export function addAdminSuspend(admin: Command, act: Act): void {
  const suspend = describe(
    admin.command('suspend'),
    'refuse all requests of an account or a team; pending jobs fail, running jobs end normally',
    ['admin suspend jane@example.com --reason "unpaid"', 'admin suspend platform --yes'],
  )
    .argument('<account-or-team>', TARGET)
    .option('--yes', 'do not ask');
  withReason(suspend)
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (options, args) => suspendNamed(options, args[0] ?? '')));
}

export function addAdminResume(admin: Command, act: Act): void {
  const resume = describe(admin.command('resume'), 'lift the suspension of an account or a team', [
    'admin resume jane@example.com',
  ]).argument('<account-or-team>', TARGET);
  withReason(resume)
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => (options, args) => setSuspended(options, args[0] ?? '', false)));
}

async function suspendNamed(options: CommandOptions, name: string): Promise<number> {
  if (!options['yes'] && !mayAsk(options, process.env)) {
    throw usageError(`Suspending ${name} needs your consent.`, 'Pass --yes to suspend it.');
  }
  if (!(await confirmed(options, `Suspend ${plain(name)}?`))) {
    note('Nothing was changed.');
    return EXIT.failed;
  }
  return setSuspended(options, name, true);
}

async function setSuspended(
  options: CommandOptions,
  name: string,
  suspended: boolean,
): Promise<number> {
  const change = { suspended, reason: reasonOf(options) };
  const changed = await withServerAdmin(options, async (admin) => {
    const { kind, id } = await admin.find(name);
    return kind === 'user'
      ? admin.updateUser(null, id, change)
      : admin.updateTeam(null, id, change);
  });
  if (options['json']) print(JSON.stringify(changed));
  else if (suspended) print(`${plain(name)} is suspended. Servers refuse it within 5 seconds.`);
  else print(`${plain(name)} is no longer suspended.`);
  return EXIT.ok;
}

// millrace admin tier
import { Argument } from 'commander';
import type { Command } from 'commander';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import type { Tier } from '../../../domain/job/tiers.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { databaseFlags } from '../server/database-flags.ts';
import { reasonOf, withReason } from './reason-flag.ts';
import { withServerAdmin } from './with-server-admin.ts';

export function addAdminTier(admin: Command, act: Act): void {
  const tier = describe(admin.command('tier'), 'change the tier of a team, at once', [
    'admin tier platform team',
    'admin tier jane@example.com pro --reason "invoice 2031"',
  ])
    .argument('<team>', 'id or slug of the team, or an email address for its personal team')
    .addArgument(new Argument('<tier>', 'the new tier').choices(TIER_NAMES));
  withReason(tier)
    .addOption(databaseFlags.dataDir())
    .addOption(databaseFlags.databaseUrl())
    .action(act(async () => changeTier));
}

async function changeTier(options: CommandOptions, args: string[]): Promise<number> {
  const [name, tier] = args as [string, Tier];
  const team = await withServerAdmin(options, async (admin) => {
    const { id } = await admin.findTeam(name);
    return admin.updateTeam(null, id, { tier, reason: reasonOf(options) });
  });
  if (options['json']) print(JSON.stringify(team));
  else print(`${plain(team.slug)} now has the tier ${team.tier}.`);
  return EXIT.ok;
}

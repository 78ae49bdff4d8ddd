// What an account or a team of this server may do: millrace admin tier, suspend and resume.
import type { Tier } from '../../../domain/job/tiers.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { showOutcome } from '../../show-outcome.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { withServerAdmin } from './with-server-admin.ts';

function reasonOf(options: CommandOptions): string | undefined {
  const reason = textOf(options, 'reason');
  if (reason === undefined || reason.length <= 500) return reason;
  throw usageError('--reason: must be at most 500 characters');
}

export async function changeTier(options: CommandOptions, args: string[]): Promise<number> {
  const [name, tier] = args as [string, Tier];
  const team = await withServerAdmin(options, async (admin) => {
    const { id } = await admin.findTeam(name);
    return admin.updateTeam(null, id, { tier, reason: reasonOf(options) });
  });
  return showOutcome(options, {
    document: team,
    text: `${plain(team.slug)} now has the tier ${team.tier}.`,
  });
}

export async function suspend(options: CommandOptions, [name = '']: string[]): Promise<number> {
  if (!options['yes'] && !mayAsk(options, process.env)) {
    throw usageError(`Suspending ${name} needs your consent.`, 'Pass --yes to suspend it.');
  }
  if (!(await confirmed(options, `Suspend ${plain(name)}?`))) {
    note('Nothing was changed.');
    return EXIT.failed;
  }
  const text = `${plain(name)} is suspended. Servers refuse it within 5 seconds.`;
  return showOutcome(options, { document: await setSuspended(options, name, true), text });
}

export async function resume(options: CommandOptions, [name = '']: string[]): Promise<number> {
  const text = `${plain(name)} is no longer suspended.`;
  return showOutcome(options, { document: await setSuspended(options, name, false), text });
}

async function setSuspended(options: CommandOptions, name: string, suspended: boolean) {
  const change = { suspended, reason: reasonOf(options) };
  return withServerAdmin(options, async (admin) => {
    const { kind, id } = await admin.find(name);
    return kind === 'user'
      ? admin.updateUser(null, id, change)
      : admin.updateTeam(null, id, change);
  });
}

// millrace billing change
import { Argument } from 'commander';
import type { Command } from 'commander';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import type { Tier } from '../../../domain/job/tiers.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { numberOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { showPlan } from './show-plan.ts';

export function addBillingChange(billing: Command, act: Act): void {
  const summary = 'change the plan: a higher tier at once, a lower one when the period ends';
  describe(billing.command('change'), summary, [
    'billing change pro',
    'billing change team --seats 12',
  ])
    .addArgument(new Argument('<tier>', 'the plan you want').choices(TIER_NAMES))
    .option('--seats <number>', 'seats, at least one for each member (default: unchanged)')
    .action(act(async () => change));
}

async function change(options: CommandOptions, args: string[]): Promise<number> {
  const seats = numberOf(options, 'seats', '--seats');
  const client = await openClient(options);
  const request = { tier: args[0] as Tier, ...(seats === undefined ? {} : { seats }) };
  return showPlan(options, await client.billing.change(request));
}

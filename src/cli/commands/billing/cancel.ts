// millrace billing cancel, and millrace billing resume which takes it back
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { openClient } from '../../open-client.ts';
import { showPlan } from './show-plan.ts';

export function addBillingCancel(billing: Command, act: Act): void {
  describe(billing.command('cancel'), 'cancel the plan when its period ends', [
    'billing cancel',
  ]).action(act(async () => (options) => setCanceled(options, true)));
}

export function addBillingResume(billing: Command, act: Act): void {
  describe(billing.command('resume'), 'keep the plan: take back a cancellation or a lower tier', [
    'billing resume',
  ]).action(act(async () => (options) => setCanceled(options, false)));
}

/** Of the plan that is in force, whichever that is. */
async function setCanceled(options: CommandOptions, cancelAtPeriodEnd: boolean): Promise<number> {
  const client = await openClient(options);
  const { tier } = await client.billing.subscription();
  return showPlan(options, await client.billing.change({ tier, cancelAtPeriodEnd }));
}

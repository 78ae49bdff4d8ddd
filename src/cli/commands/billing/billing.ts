// millrace billing: the plan of the team that the key acts in.
import { Argument } from 'commander';
import { TIER_NAMES } from '../../../domain/job/tiers.ts';
import type { Tier } from '../../../domain/job/tiers.ts';
import type { CommandOptions } from '../../command.ts';
import { numberOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import type { Resource } from '../../resource.ts';
import { showOutcome } from '../../show-outcome.ts';
import { showPlan } from './show-plan.ts';

async function show(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  return showPlan(options, await client.billing.subscription());
}

async function change(options: CommandOptions, args: string[]): Promise<number> {
  const seats = numberOf(options, 'seats', '--seats');
  const client = await openClient(options);
  const request = { tier: args[0] as Tier, ...(seats === undefined ? {} : { seats }) };
  return showPlan(options, await client.billing.change(request));
}

/** Of the plan that is in force, whichever that is. */
async function setCanceled(options: CommandOptions, cancelAtPeriodEnd: boolean): Promise<number> {
  const client = await openClient(options);
  const { tier } = await client.billing.subscription();
  return showPlan(options, await client.billing.change({ tier, cancelAtPeriodEnd }));
}

async function openPortal(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const portal = await client.billing.portal();
  return showOutcome(options, {
    document: portal,
    text: portal.url,
    notes: ['The link works for a short time.'],
  });
}

export const BILLING: Resource = {
  noun: 'billing',
  summary: "see and change your team's plan",
  examples: ['billing', 'billing change pro --seats 5', 'billing cancel', 'billing portal'],
  run: show,
  actions: [
    {
      name: 'change',
      summary: 'change the plan: a higher tier at once, a lower one when the period ends',
      examples: ['billing change pro', 'billing change team --seats 12'],
      input: (command) =>
        command
          .addArgument(new Argument('<tier>', 'the plan you want').choices(TIER_NAMES))
          .option('--seats <number>', 'seats, at least one for each member (default: unchanged)'),
      run: change,
    },
    {
      name: 'cancel',
      summary: 'cancel the plan when its period ends',
      examples: ['billing cancel'],
      run: (options) => setCanceled(options, true),
    },
    {
      name: 'resume',
      summary: 'keep the plan: take back a cancellation or a lower tier',
      examples: ['billing resume'],
      run: (options) => setCanceled(options, false),
    },
    {
      name: 'portal',
      summary: 'print a link to invoices and payment methods',
      examples: ['billing portal'],
      run: openPortal,
    },
  ],
};

// A plan, as people read it.
import type { Subscription } from '../../../client/index.ts';
import { commandLine } from '../../command-name.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { localTime } from '../../terminal/local-time.ts';
import { note, print } from '../../terminal/output.ts';

const limitText = (limit: number | null) => limit?.toLocaleString('en-US') ?? 'unlimited';

function nextLine({ scheduled, cancelAtPeriodEnd }: Subscription): string | undefined {
  if (scheduled === null) return undefined;
  const at = localTime(scheduled.at);
  return cancelAtPeriodEnd
    ? `Canceled: changes to ${scheduled.tier} at ${at}`
    : `Changes to ${scheduled.tier} at ${at}`;
}

export function planLines(plan: Subscription): string[] {
  const { tier, status, seats, quota, provider } = plan;
  const lines = [
    `Plan      ${tier}${status === 'active' ? '' : ` (${status.replaceAll('_', ' ')})`}`,
    `Seats     ${seats}`,
    `Period    ${localTime(plan.currentPeriodStart)} to ${localTime(plan.currentPeriodEnd)}`,
    `Runs      ${limitText(quota.runsPerMonth)} a month`,
    `Requests  ${limitText(quota.requestsPerMinute)} a minute`,
    `Jobs      ${limitText(quota.concurrentJobs)} at once`,
    `Paid by   ${provider === 'stripe' ? 'Stripe' : 'nobody is charged'}`,
  ];
  const next = nextLine(plan);
  return next === undefined ? lines : [...lines, `Next      ${next}`];
}

export function showPlan(options: CommandOptions, plan: Subscription): number {
  if (options['json']) {
    print(JSON.stringify(plan));
    return EXIT.ok;
  }
  for (const line of planLines(plan)) print(line);
  if (plan.checkoutUrl !== undefined) {
    print('');
    print(plan.checkoutUrl);
    note('Open this link to pay. The plan changes once Stripe confirms the payment.');
  } else if (plan.status === 'past_due' || plan.status === 'unpaid') {
    note(`A payment failed. Check your payment method: ${commandLine('billing', 'portal')}`);
  } else if (plan.cancelAtPeriodEnd)
    note(`Keep the plan with: ${commandLine('billing', 'resume')}`);
  return EXIT.ok;
}

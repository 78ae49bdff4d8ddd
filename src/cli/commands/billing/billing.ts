// millrace billing: the plan of the team that the key acts in.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { note, print } from '../../terminal/output.ts';
import { addBillingCancel, addBillingResume } from './cancel.ts';
import { addBillingChange } from './change.ts';
import { showPlan } from './show-plan.ts';

export function addBilling(program: Command, act: Act): void {
  const billing = describe(program.command('billing'), "see and change your team's plan", [
    'billing',
    'billing change pro --seats 5',
    'billing cancel',
    'billing portal',
  ]).helpCommand(false);
  billing.action(act(async () => show));
  addBillingChange(billing, act);
  addBillingCancel(billing, act);
  addBillingResume(billing, act);
  describe(billing.command('portal'), 'print a link to invoices and payment methods', [
    'billing portal',
  ]).action(act(async () => openPortal));
}

async function show(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  return showPlan(options, await client.billing.subscription());
}

async function openPortal(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const portal = await client.billing.portal();
  if (options['json']) print(JSON.stringify(portal));
  else {
    print(portal.url);
    note('The link works for a short time.');
  }
  return EXIT.ok;
}

// Looks at Stripe from time to time, because events can be lost. A loop of its own: Stripe may take long, and
// nothing else must wait for it.
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { startLoop } from './loop.ts';
import type { Loop } from './loop.ts';

const EVERY_MS = 60_000;

export function startPlanSync(deps: { clock: Clock; log: Logger; resync(): Promise<void> }): Loop {
  const failed = 'cannot ask Stripe about plans; retrying';
  return startLoop(deps, { everyMs: EVERY_MS, failed }, () => deps.resync());
}

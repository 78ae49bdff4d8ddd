// The time between "not ready" and the end of the listeners: load balancers look once in a while, and send
// requests until they have looked.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/log.ts';

export async function waitForBalancers(
  { shutdownDelaySeconds: seconds }: { shutdownDelaySeconds: number },
  log: Logger,
): Promise<void> {
  if (seconds === 0) return;
  log.info({ seconds }, 'stopping: not ready, and still answering requests');
  await delay(seconds * 1000);
}

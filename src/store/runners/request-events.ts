// Who hears of a request: the runners of its team, those who wait for its end, and pages that show it.
import type { Queryable } from '../postgres/db.ts';
import type { PendingSignals } from '../postgres/signals.ts';
import type { Signals } from '../postgres/signals.ts';
import { collectSignals } from '../postgres/signals.ts';
import type { Db } from '../postgres/db.ts';
import { takeBackLost } from './run-requests.ts';

export function tellRequests(pending: PendingSignals, teamId: string): void {
  pending.add('requests', teamId);
}

/** Of several at a time: it may be the request that stops its runners. */
const MOST_LOSSES = 5;

const MESSAGES = {
  stopped: 'Its runner stopped before it could say how the run ended.',
  givenUp: `${MOST_LOSSES} runners stopped in the middle of it.`,
};

/** Gives requests of runners that are gone to others. */
export async function endLostRequests(
  { db, signals }: { db: Db; signals: Signals },
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<void> {
  const pending = collectSignals();
  const lost = await db.tx((tx: Queryable) =>
    takeBackLost(tx, { limit, leaseSeconds, mostLosses: MOST_LOSSES }, MESSAGES),
  );
  for (const { teamId } of lost) tellRequests(pending, teamId);
  pending.sendBy(signals);
}

// Deletes what is past its time, an hour apart: whole months of jobs where nobody keeps any of them, the rest in
// small transactions, so that nobody waits for them.
import type { Tiers } from '../domain/job/tiers.ts';
import type { Logger } from '../platform/log.ts';
import { deleteOldAudit } from '../store/audit/audit-log.ts';
import { deleteExpiredApprovals } from '../store/approvals/approvals.ts';
import { deleteExpiredRequests } from '../store/runners/run-requests.ts';
import type { Db } from '../store/postgres/db.ts';
import { deleteOldReviewFiles } from '../store/reviews/review-files.ts';
import { deleteExpiredCalls } from '../store/jobs/expired-calls.ts';
import { dropExpiredMonths } from '../store/runs/expired-months.ts';
import { deleteExpiredRuns, deleteLostReports } from '../store/runs/retention.ts';
import { deleteWebhooksOfDeletedTeams } from '../store/webhooks/webhooks.ts';

/** Texts of reviews that were answered: long enough to compare the next round with. */
const REVIEW_FILES_DAYS = 30;
const BATCH = 200;
/** Of one round; the next one continues. */
const MOST_BATCHES = 500;

export async function applyRetention(
  deps: { db: Db; tiers: Tiers; log: Pick<Logger, 'info'> },
  signal?: AbortSignal,
): Promise<number> {
  const months = await dropExpiredMonths(deps.db, deps.tiers);
  if (months.length > 0) deps.log.info({ months }, 'dropped months of jobs past their retention');
  let runs = 0;
  for (let batch = 0; batch < MOST_BATCHES && !signal?.aborted; batch++) {
    const deleted = await deleteExpiredRuns(deps.db, deps.tiers, BATCH);
    runs += deleted;
    // Fewer than asked for: the others are locked, or there are none.
    if (deleted < BATCH) break;
  }
  for (let batch = 0; batch < MOST_BATCHES && !signal?.aborted; batch++) {
    if ((await deleteExpiredCalls(deps.db, deps.tiers, BATCH)) === 0) break;
  }
  await deleteLostReports(deps.db);
  await deleteWebhooksOfDeletedTeams(deps.db);
  await deleteExpiredApprovals(deps.db, deps.tiers);
  await deleteExpiredRequests(deps.db, deps.tiers);
  await deleteOldReviewFiles(deps.db, REVIEW_FILES_DAYS);
  await deleteOldAudit(deps.db);
  if (runs > 0) deps.log.info({ runs }, 'deleted runs past their retention');
  return runs;
}

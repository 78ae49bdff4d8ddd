// Housekeeping that any node may do at any time, several at once included.
import type { Price } from '../../domain/usage/largest-cost.ts';
import { deleteOldStoredAnswers } from '../calls/stored-answers.ts';
import { deleteOldStreamTokens } from '../calls/stream-tokens.ts';
import type { Db } from '../postgres/db.ts';
import { deleteStrayText } from './streamed-text.ts';
import { deleteStrayWaits } from './wait-feed.ts';
import { deleteIdleBuckets } from '../usage/rate-limits.ts';
import { settleAbandoned } from './settle-abandoned.ts';

export async function cleanUp(db: Db, price?: Price): Promise<void> {
  await settleAbandoned(db, price);
  await deleteStrayText(db);
  await deleteStrayWaits(db);
  await deleteIdleBuckets(db);
  await deleteOldStreamTokens(db);
  await deleteOldStoredAnswers(db);
  await db.query(
    `delete from idempotency_keys where ctid in (
       select ctid from idempotency_keys where created_at < now() - interval '24 hours' limit 10000)`,
  );
}

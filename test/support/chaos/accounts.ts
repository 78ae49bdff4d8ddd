import type { Scope } from '../../../src/contract/permissions.ts';
import type { Tier } from '../../../src/domain/job/tiers.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createApiKeyService } from '../../../src/services/accounts/api-keys.ts';
import type { Db } from '../../../src/store/postgres/db.ts';
import { createSignals } from '../../../src/store/postgres/signals.ts';

let accounts = 0;

/** An API key of a new account whose request rate is no concern of the test. */
export async function createKeyIn(
  db: Db,
  tier: Tier = 'enterprise',
  scopes?: readonly Scope[],
): Promise<string> {
  const signals = createSignals({ originId: newId('sig'), db, onError: () => undefined });
  const keys = createApiKeyService({ db, signals, defaultTier: tier });
  const email = `chaos${++accounts}@example.com`;
  const { key } = await keys.create({
    email,
    name: 'chaos',
    tier,
    scopes,
    expiresInDays: undefined,
  });
  await db.query('update users set requests_per_minute = 1000000 where email = $1', [email]);
  await signals.flush();
  return key;
}

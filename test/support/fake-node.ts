// A worker of the test's own: it takes jobs as a node does and then does with them what the test
// wants, for instance nothing, or an answer that comes too late.
import { createAdvance } from '../../src/executions/advance.ts';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { newId } from '../../src/platform/ids.ts';
import { claimJobs } from '../../src/store/jobs/claim-jobs.ts';
import type { ClaimedJob } from '../../src/store/jobs/claim-jobs.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createJobFinalizer } from '../../src/store/jobs/finalize-jobs.ts';
import type { JobFinalizer } from '../../src/store/jobs/finalize-jobs.ts';
import { insertNode } from '../../src/store/jobs/nodes.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { waitUntil } from './processes.ts';
import { PATIENT_MS } from './database-mode.ts';

export interface FakeNode {
  id: string;
  finalizer: JobFinalizer;
  /** Waits for the next job in the queue and takes it; for another node, as one whose claim is never answered. */
  claim(nodeId?: string): Promise<ClaimedJob>;
  /** Makes the node look dead to the others from now on. */
  die(): Promise<void>;
  close(): Promise<void>;
}

export async function startFakeNode(
  databaseUrl: string,
  { holdsLock = true, silenceMs = 8000 } = {},
): Promise<FakeNode> {
  const db = openDb({ url: databaseUrl, poolSize: 2, silenceMs: PATIENT_MS });
  const onError = () => undefined;
  const signals = createSignals({ originId: newId('sig'), db, onError });
  const id = newId('node');
  const node = { id, role: 'worker', version: 'test', slots: 1, holdsLock, silenceMs };
  await insertNode(db, node);
  // Others would give it up within seconds, as nothing beats for it.
  await db.query(`update nodes set beat_at = now() + interval '1 hour' where id = $1`, [id]);
  const price = () => null;
  const prepareAdvance = createAdvance({ db, tiers: TIERS, price, onError });
  return {
    id,
    finalizer: createJobFinalizer({ db, tiers: TIERS, signals, prepareAdvance }),
    claim: (nodeId = id) =>
      waitUntil(async () => (await claimJobs(db, nodeId, 1)).jobs[0], 'a job'),
    async die() {
      await db.query(`update nodes set beat_at = now() - interval '1 hour' where id = $1`, [id]);
    },
    async close() {
      await db.query('delete from nodes where id = $1', [id]);
      await signals.flush();
      await db.close();
    },
  };
}

// Submits, claims, ends and cancels of the same runs at once: none of them may wait in a ring. The
// proof is PostgreSQL's own count of deadlocks, because we retry them and nobody else would notice.
import { expect, it } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createTestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const ROUNDS = 2;
const JOBS = 30;

async function cancelAll(nodes: readonly TestServer[], key: string, ids: readonly string[]) {
  const answers = await Promise.all(
    ids.map((id, index) =>
      nodes[index % nodes.length]!.call('POST', `/api/v1/job/${id}/cancel`, { key }),
    ),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
}

/** The runs are shared: later jobs join runs whose first ones are claimed and cancelled meanwhile. */
async function playRound(nodes: readonly TestServer[], keys: readonly string[], round: number) {
  await Promise.all(
    keys.map(async (key, user) => {
      const cancels: Promise<void>[] = [];
      for (let part = 0; part < 3; part++) {
        const jobs = Array.from({ length: JOBS / 3 }, (_, index) =>
          nodes[(part + index) % nodes.length]!.submit(key, {
            runId: `run-${user}-${round}-${index % 5}`,
            streamId: `s${part}-${index}`,
            prompt: index % 3 === 0 ? '[[sim:hang]]' : '[[sim:delay 15]]',
          }),
        );
        cancels.push(Promise.all(jobs).then((ids) => cancelAll(nodes, key, ids.toReversed())));
        await Promise.race(jobs);
      }
      await Promise.all(cancels);
    }),
  );
}

it('submits, claims, ends and cancels never deadlock', async () => {
  const database = await createTestDatabase();
  const db = openDb({ url: database.url, poolSize: 2, silenceMs: PATIENT_MS });
  try {
    const nodes = [
      await startTestServer({ slots: 24 }, database.url),
      await startTestServer({ slots: 24 }, database.url),
    ];
    try {
      const owners = await Promise.all(
        (['enterprise', 'enterprise', 'team'] as const).map((tier) =>
          nodes[0]!.createKey({ tier }),
        ),
      );
      await db.query('update users set requests_per_minute = 1000000');
      const keys = owners.map(({ key }) => key);
      for (let round = 0; round < ROUNDS; round++) await playRound(nodes, keys, round);
      await waitUntil(async () => {
        const { rows } = await db.query(
          `select 1 from jobs where status in ('pending', 'running') or settled_at is null limit 1`,
        );
        return rows.length === 0;
      }, 'the end of every job');
      const runs = await db.query(
        `select r.id, r.open_jobs, r.status from runs r where r.open_jobs <> 0
           or r.status not in ('complete', 'cancelled', 'failed')`,
      );
      expect(runs.rows).toEqual([]);
    } finally {
      // A connection that ends writes down what it counted.
      for (const node of nodes.toReversed()) await node.close();
    }
    const { rows } = await db.query<{ deadlocks: number }>(
      `select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`,
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
  } finally {
    await db.close();
    await database.drop();
  }
});

// A server that accepts a job and has room for it starts it in the same transaction.
import { expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ slots: 1 });

interface Row {
  status: string;
  attempt: number;
  nodeId: string | null;
  startedAt: Date | null;
  run: string;
  worked: boolean;
}

async function rowOf(jobId: string): Promise<Row> {
  const { rows } = await server().db.query<Row>(
    `select j.status, attempt, node_id as "nodeId", j.started_at as "startedAt", r.status as run,
       r.worked
     from jobs j join runs r on r.id = j.run_id where j.id = $1`,
    [jobId],
  );
  return rows[0]!;
}

const ended = (jobId: string) =>
  waitUntil(async () => ['completed', 'failed'].includes((await rowOf(jobId)).status), jobId);
const cancel = (key: string, jobId: string) =>
  server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });

async function untilIdle(): Promise<void> {
  const { key } = await server().createKey();
  await waitUntil(async () => {
    const jobId = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 3_600_000 });
    const { attempt } = await rowOf(jobId);
    await cancel(key, jobId);
    return attempt === 1;
  }, 'a server with nothing to do');
}

it('runs when its submit is answered', async () => {
  const { key } = await server().createKey();
  await untilIdle();
  const jobId = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 3_600_000 });
  const nodes = await server().db.query<{ id: string }>('select id from nodes');
  const running = { status: 'running', attempt: 1, run: 'in_progress', worked: true };
  expect(await rowOf(jobId)).toMatchObject({ ...running, nodeId: nodes.rows[0]!.id });
  await cancel(key, jobId);
});

it('waits behind those that came before it', async () => {
  const [ann, bob] = [await server().createKey(), await server().createKey()];
  await untilIdle();
  const holder = await server().submit(ann.key, { prompt: '[[sim:hang]]', timeoutMs: 3_600_000 });
  const waiting: string[] = [];
  for (let count = 0; count < 3; count++) waiting.push(await server().submit(ann.key));
  expect(await rowOf(waiting[0]!)).toMatchObject({ status: 'pending', attempt: 0, worked: false });
  await cancel(ann.key, holder);
  const late = await server().submit(bob.key);
  for (const jobId of [...waiting, late]) await ended(jobId);
  const first = (await rowOf(waiting[0]!)).startedAt!.getTime();
  expect(first).toBeLessThanOrEqual((await rowOf(late)).startedAt!.getTime());
});

it('is not given to a node that the others have given up, and runs all the same', async () => {
  const { key } = await server().createKey();
  await untilIdle();
  const gone = await server().db.query<{ id: string }>('delete from nodes returning id');
  const jobId = await server().submit(key);
  expect((await rowOf(jobId)).nodeId).not.toBe(gone.rows[0]!.id);
  await ended(jobId);
  expect(await rowOf(jobId)).toMatchObject({ status: 'completed', attempt: 1 });
});

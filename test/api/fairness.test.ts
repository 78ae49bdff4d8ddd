import { describe, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

// One slot, so that jobs start one after the other.
const server = useServer({ slots: 1 });

/** Keeps the slot busy; the returned function gives it free. */
async function holdSlot(): Promise<() => Promise<unknown>> {
  const { key } = await server().createKey();
  const jobId = await server().submit(key, { prompt: '[[sim:hang]]' });
  await waitUntil(async () => {
    const { body } = await server().call('GET', `/api/v1/job/${jobId}`, { key });
    return body['status'] === 'running';
  });
  return () => server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
}

/** The given jobs in the order in which they were started. */
async function startOrder(ids: readonly string[]): Promise<string[]> {
  const rows = await waitUntil(async () => {
    const found = await server().db.query<{ id: string }>(
      `select id from jobs where id = any($1) and status = 'completed' order by started_at`,
      [ids],
    );
    return found.rows.length === ids.length ? found.rows : undefined;
  });
  return rows.map((row) => row.id);
}

describe('waiting jobs', () => {
  it('of one user do not hold up the first job of another', async () => {
    const release = await holdSlot();
    const [many, few] = [await server().createKey(), await server().createKey()];
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) ids.push(await server().submit(many.key));
    const first = await server().submit(few.key);
    const second = await server().submit(few.key);
    await release();
    const order = await startOrder([...ids, first, second]);
    expect(order.indexOf(first)).toBeLessThanOrEqual(1);
    expect(order.indexOf(second)).toBeLessThanOrEqual(3);
    expect(order.filter((id) => ids.includes(id))).toEqual(ids);
  });

  it('of one user start by priority, and by age within one', async () => {
    verifies('job.execute.priority');
    const release = await holdSlot();
    const { key } = await server().createKey();
    const submit = (priority: number) => server().submit(key, { priority });
    const plain = [await submit(0), await submit(0), await submit(0)];
    const low = [await submit(-5), await submit(-10)];
    const high = [await submit(5), await submit(10)];
    await release();
    const order = await startOrder([...plain, ...low, ...high]);
    expect(order.slice(-2)).toEqual(low);
    expect(order.filter((id) => plain.includes(id))).toEqual(plain);
    // At most one that had come to the head of the line goes before an urgent one.
    for (const id of high) expect(order.indexOf(id)).toBeLessThan(order.indexOf(plain[1]!));
  });
});

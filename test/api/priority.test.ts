import { expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

it('of the jobs above the cap the most urgent is let in first, then the oldest', async () => {
  verifies('job.execute.priority', 'limits.concurrency.waits');
  const { key } = await server().createKey({ tier: 'pro' });
  const hanging = { prompt: '[[sim:hang]]' };
  const blockers: string[] = [];
  for (let i = 0; i < 10; i++) blockers.push(await server().submit(key, hanging));
  const waiting: Record<string, string> = {};
  for (const [name, priority] of [
    ['low', -1],
    ['plain', 0],
    ['later', 0],
    ['urgent', 7],
  ] as const) {
    waiting[name] = await server().submit(key, { ...hanging, priority });
  }
  const runningNow = async () => {
    const { rows } = await server().db.query<{ id: string }>(
      `select id from jobs where id = any($1) and status = 'running'`,
      [Object.values(waiting)],
    );
    return rows.map((row) => row.id);
  };
  const order: string[] = [];
  for (const blocker of blockers.slice(0, 4)) {
    await server().call('POST', `/api/v1/job/${blocker}/cancel`, { key });
    const now = await waitUntil(async () => {
      const ids = await runningNow();
      return ids.length > order.length ? ids : undefined;
    });
    order.push(...now.filter((id) => !order.includes(id)));
  }
  const names = order.map((id) => Object.keys(waiting).find((name) => waiting[name] === id));
  expect(names).toEqual(['urgent', 'plain', 'later', 'low']);
});

// A node whose clock is two days ahead, beside one whose clock is right.
import { expect, it } from 'vitest';
import { timeOfId } from '../../src/platform/ids.ts';
import { adjustedSkewMs } from '../../src/store/postgres/database-clock.ts';
import { launchServer } from '../support/chaos/server-process.ts';
import { TEST_MASTER_KEY } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const server = useServer({ role: 'api' });

it('ids carry the time of the database, whichever node made them', async () => {
  const { key } = await server().createKey();
  const ahead = `data:text/javascript,const%20real=Date.now;Date.now=()=>real()+${2 * DAY_MS}`;
  const other = launchServer({
    role: 'api',
    databaseUrl: server().databaseUrl,
    settings: { NODE_OPTIONS: `--import ${ahead}`, MILLRACE_MASTER_KEY: TEST_MASTER_KEY },
  });
  try {
    for (const url of [await other.ready(), server().url]) {
      const before = Date.now();
      const response = await fetch(`${url}/api/v1/execute`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ streamId: 's', prompt: 'x', model: 'sim-fast', maxTokens: 10 }),
      });
      const { jobId } = (await response.json()) as { jobId: string };
      const madeAt = timeOfId(jobId)!.getTime();
      expect(madeAt).toBeGreaterThan(before - MINUTE_MS);
      expect(madeAt).toBeLessThan(Date.now() + MINUTE_MS);
    }
  } finally {
    await other.kill('SIGKILL');
  }
});

it('the difference of two clocks is found', async () => {
  const skew = await adjustedSkewMs(server().db, 0, () => Date.now() + DAY_MS);
  expect(skew).toBeGreaterThan(-DAY_MS - MINUTE_MS);
  expect(skew).toBeLessThan(-DAY_MS + MINUTE_MS);
});

it('a difference that the answer allows stays as it is', async () => {
  const { db } = server();
  // The machine of the database, with an answer that was long under way in either direction.
  let calls = 0;
  expect(await adjustedSkewMs(db, 0, () => Date.now() + (calls++ === 0 ? -5000 : 0))).toBe(0);
  calls = 0;
  expect(await adjustedSkewMs(db, 0, () => Date.now() + (calls++ === 0 ? 0 : 5000))).toBe(0);
  expect(await adjustedSkewMs(db, 0)).toBe(0);
});

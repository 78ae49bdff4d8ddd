// A node whose clock is two days ahead, beside one whose clock is right.
import { expect, it } from 'vitest';
import { findSkewMs } from '../../src/store/postgres/database-clock.ts';
import { launchServer } from '../support/chaos/server-process.ts';
import { TEST_MASTER_KEY } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

const DAY_MS = 86_400_000;
const server = useServer({ role: 'api' });

it('the jobs of a team are listed in the order in which they came, whichever node took them', async () => {
  const { key } = await server().createKey();
  const ahead = `data:text/javascript,const%20real=Date.now;Date.now=()=>real()+${2 * DAY_MS}`;
  const other = launchServer({
    role: 'api',
    databaseUrl: server().databaseUrl,
    settings: { NODE_OPTIONS: `--import ${ahead}`, MILLRACE_MASTER_KEY: TEST_MASTER_KEY },
  });
  try {
    const urls = [await other.ready(), server().url, await other.ready(), server().url];
    const sent: string[] = [];
    for (const url of urls) {
      const response = await fetch(`${url}/api/v1/execute`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ streamId: 's', prompt: 'x', model: 'sim-fast', maxTokens: 10 }),
      });
      sent.push(((await response.json()) as { jobId: string }).jobId);
    }
    const { body } = await server().call('GET', '/api/v1/jobs', { key });
    const listed = (body['items'] as { jobId: string }[]).map(({ jobId }) => jobId);
    expect(listed).toEqual(sent.toReversed());
  } finally {
    await other.kill('SIGKILL');
  }
});

it('the difference of two clocks is found, unless the answer took too long to say', async () => {
  const { db } = server();
  const skew = await findSkewMs(db, () => Date.now() + DAY_MS);
  expect(skew).toBeGreaterThan(-DAY_MS - 1000);
  expect(skew).toBeLessThan(-DAY_MS + 1000);
  let calls = 0;
  expect(await findSkewMs(db, () => 5000 * calls++)).toBeUndefined();
});

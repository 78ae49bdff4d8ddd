import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ processingSeconds: 1 });

it('the processing of a job is cut at the limit of the server, although an hour was asked for', async () => {
  verifies('job.timeout.server');
  const { key } = await server().createKey();
  const jobId = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 3_600_000 });
  const job = await server().finished(key, jobId);
  expect(job).toMatchObject({
    status: 'failed',
    error: 'The model ran longer than 1000 ms',
    errorCode: 'TIMEOUT',
  });
});

it("a job's own shorter timeout comes first", async () => {
  verifies('job.timeout.server');
  const { key } = await server().createKey();
  const jobId = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 1000 });
  const job = await server().finished(key, jobId);
  expect(job).toMatchObject({ status: 'failed', error: 'Job timed out after 1000 ms' });
});

it('the limit is ten minutes unless the operator says otherwise', () => {
  verifies('job.timeout.server');
  expect(loadConfig({}).processingSeconds).toBe(600);
});

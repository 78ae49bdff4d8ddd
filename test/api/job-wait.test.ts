import { expect, it } from 'vitest';
import { expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const nodes = useNodes(2);

it('wait answers when the job ends, on the node that runs it and on another', async () => {
  verifies('job.wait');
  const [one, two] = nodes();
  const { key } = await one!.createKey();
  const jobId = await one!.submit(key, { prompt: '[[sim:hang]]' });
  const answers: unknown[] = [];
  const waits = [one!, two!].map(async (node) => {
    const { body } = await node.call('GET', `/api/v1/job/${jobId}?wait=60`, { key });
    answers.push(body);
    return body;
  });
  await waitUntil(async () => {
    const { body } = await one!.call('GET', `/api/v1/job/${jobId}`, { key });
    return body['status'] === 'running';
  });
  expect(answers).toEqual([]);
  await one!.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
  for (const body of await Promise.all(waits)) {
    expect(body).toMatchObject({ status: 'failed', error: 'Job cancelled' });
  }
});

it('wait answers with the state of the moment when the time is over', async () => {
  verifies('job.wait');
  const [node] = nodes();
  const { key } = await node!.createKey();
  const jobId = await node!.submit(key, { prompt: '[[sim:hang]]' });
  for (const wait of ['0', '0.05', '1']) {
    const { status, body } = await node!.call('GET', `/api/v1/job/${jobId}?wait=${wait}`, { key });
    expect(status).toBe(200);
    expect(['pending', 'running']).toContain(body['status']);
  }
});

it('wait on an ended job answers at once', async () => {
  verifies('job.wait');
  const [one, two] = nodes();
  const { key } = await one!.createKey();
  const jobId = await one!.submit(key);
  await one!.finished(key, jobId);
  // The bound of a test is far below 60 seconds times ten.
  for (let i = 0; i < 10; i++) {
    const { body } = await two!.call('GET', `/api/v1/job/${jobId}?wait=60`, { key });
    expect(body['status']).toBe('completed');
  }
});

it('wait outside 0 to 60 seconds is refused', async () => {
  verifies('job.wait.range');
  const [node] = nodes();
  const { key } = await node!.createKey();
  const jobId = await node!.submit(key);
  for (const wait of ['-1', '61', '60.1', 'abc', '1e9', 'Infinity', 'NaN']) {
    const answer = await node!.call('GET', `/api/v1/job/${jobId}?wait=${wait}`, { key });
    expectInvalid(answer, 'wait');
  }
});

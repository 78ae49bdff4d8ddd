import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

/** Every sample of a metric, by its labels. */
async function samples(name: string): Promise<Map<string, number>> {
  const response = await fetch(`${server().url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n');
  return new Map(
    lines
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => {
        const space = line.lastIndexOf(' ');
        return [line.slice(name.length, space), Number(line.slice(space + 1))] as const;
      }),
  );
}

it('healthz says that the process lives, and which version', async () => {
  verifies('http.healthz', 'http.success.ok');
  const { status, body } = await server().call('GET', '/healthz');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

it('readyz says that requests can be served', async () => {
  verifies('http.readyz');
  const { status, body } = await server().call('GET', '/readyz');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'ready' });
});

it('metrics count requests, submits and ended jobs', async () => {
  verifies('http.metrics');
  const { key } = await server().createKey();
  const before = await samples('millrace_jobs_submitted_total');
  const jobs = [await server().submit(key), await server().submit(key, { prompt: '[[sim:auth]]' })];
  for (const id of jobs) await server().finished(key, id);
  await server().call('GET', '/api/v1/job/none', { key });
  const accepted = '{outcome="accepted"}';
  const after = await samples('millrace_jobs_submitted_total');
  expect((after.get(accepted) ?? 0) - (before.get(accepted) ?? 0)).toBe(2);
  const ended = await samples('millrace_jobs_ended_total');
  expect(ended.get('{outcome="completed"}')).toBe(1);
  expect(ended.get('{outcome="failed"}')).toBe(1);
  const requests = await samples('millrace_http_requests_total');
  expect(requests.get('{method="POST",route="/api/v1/execute",status="202"}')).toBe(2);
  // By route, not by path: ids would make a series each.
  expect(requests.get('{method="GET",route="/api/v1/job/:id",status="404"}')).toBe(1);
  expect([...requests.keys()].join('')).not.toContain(jobs[0]);
  expect((await samples('millrace_jobs_running')).get('')).toBe(0);
  expect((await samples('process_resident_memory_bytes')).size).toBe(1);
});

it('none of them asks for a key', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
    expect((await fetch(server().url + path)).status, path).toBe(200);
  }
});

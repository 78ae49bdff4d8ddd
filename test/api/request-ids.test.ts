import { expect, it } from 'vitest';
import { openEvents } from '../support/sse.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

interface LogLine {
  requestId?: string;
  method?: string;
  path?: string;
  status?: number;
}

function lineOf(requestId: string): LogLine | undefined {
  return server()
    .logs()
    .split('\n')
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line) as LogLine)
    .find((line) => line.requestId === requestId && line.status !== undefined);
}

it('every answer has an id of its own, which its log line has too', async () => {
  verifies('http.request-id', 'http.request-id.logged');
  const { key } = await server().createKey();
  const jobId = await server().submit(key);
  await server().finished(key, jobId);
  const events = await openEvents(`${server().url}/api/v1/job/${jobId}/events`, {
    'x-api-key': key,
  });
  await events.rest();
  const seen = new Set<string>();
  const requests: [string, string, number][] = [
    ['GET', '/healthz', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/nowhere', 404],
    ['DELETE', '/api/v1/execute', 405],
    ['GET', '/api/v1/history', 200],
    ['GET', '/api/v1/job/none', 404],
    ['POST', '/api/v1/execute', 400],
  ];
  const answers = [];
  for (const [method, path, status] of requests) {
    const body = method === 'POST' ? { body: {} } : {};
    const answer = await server().call(method, path, { key, ...body });
    expect(answer.status).toBe(status);
    answers.push({ method, path, status, headers: answer.headers });
  }
  const path = `/api/v1/job/${jobId}/events`;
  answers.push({ method: 'GET', path, status: 200, headers: events.response.headers });
  for (const { headers, ...expected } of answers) {
    const id = headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^req_[0-9a-z]{26}$/);
    expect(seen.has(id)).toBe(false);
    seen.add(id);
    // Written after the answer was sent.
    expect(await waitUntil(() => lineOf(id), `the log line of ${expected.path}`)).toMatchObject(
      expected,
    );
  }
});

it('an answer to an address that cannot be read has an id as well', async () => {
  verifies('http.request-id');
  const response = await fetch(`${server().url}/api/v1/job/%zz`);
  expect(response.status).toBe(400);
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
});

it('an id that the caller sends is not taken over', async () => {
  const headers = { 'x-request-id': 'mine', 'request-id': 'mine' };
  const answer = await server().call('GET', '/healthz', { headers });
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
});

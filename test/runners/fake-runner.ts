// A runner as the server sees it: what it announces, asks and says, without anything behind it.
import type { PolledRunner, TakenRequest } from '../../src/contract/runner-api.ts';
import type { Answer, TestServer } from '../support/server.ts';

export interface FakeRunner {
  id: string;
  session: number;
  running: { id: string; fence: number }[];
  poll(more?: Record<string, unknown>): Promise<Answer>;
  /** Fails the test unless it was taken; what it gives is under way from then on. */
  take(more?: Record<string, unknown>): Promise<TakenRequest[]>;
  say(request: TakenRequest, what: string, body: Record<string, unknown>): Promise<Answer>;
  end(request: TakenRequest, status?: string): Promise<Answer>;
}

export const runnerBody = (more: Record<string, unknown> = {}) => ({
  name: 'build',
  version: '0.1.0',
  platform: 'linux x64',
  concurrency: 4,
  cores: 2,
  sandbox: true,
  projects: [{ name: 'shop', branch: 'main', manifests: ['millrace.yaml'] }],
  ...more,
});

export async function announce(
  server: TestServer,
  key: string,
  more: Record<string, unknown> = {},
): Promise<FakeRunner> {
  const { status, body } = await server.call('POST', '/v1/runners', {
    key,
    body: runnerBody(more),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const runner: FakeRunner = {
    id: body['id'] as string,
    session: body['session'] as number,
    running: [],
    poll: (asked = {}) =>
      server.call('POST', `/v1/runners/${runner.id}/poll`, {
        key,
        body: { session: runner.session, free: 1, running: runner.running, ...asked },
      }),
    async take(asked) {
      const answer = await runner.poll(asked);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      const { start } = answer.body as unknown as PolledRunner;
      runner.running.push(...start.map(({ id, fence }) => ({ id, fence })));
      return start;
    },
    say: ({ id, fence }, what, said) =>
      server.call('PUT', `/v1/run-requests/${id}/${what}`, { key, body: { fence, ...said } }),
    async end(request, ended = 'completed') {
      const answer = await runner.say(request, 'end', { status: ended, outcome: {} });
      runner.running = runner.running.filter(({ id }) => id !== request.id);
      return answer;
    },
  };
  return runner;
}

export async function requestRun(
  server: TestServer,
  key: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const work = { project: 'shop', manifest: { path: 'millrace.yaml' }, ...more };
  const { status, body } = await server.call('POST', '/v1/run-requests', { key, body: work });
  if (status !== 202) throw new Error(JSON.stringify(body));
  return body['id'] as string;
}

export const findRequest = async (server: TestServer, key: string, id: string, query = '') =>
  (await server.call('GET', `/v1/run-requests/${id}${query}`, { key })).body;

// The command that a runner keeps loaded: it costs nothing but its memory, and nothing depends on it.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { RunRequest } from '../../src/contract/run-request-api.ts';
import { isAlive } from '../../src/store/embedded/process-state.ts';
import { feature, reply } from '../orchestrator/project.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { verifies } from '../support/verifies.ts';
import { findRequest, requestRun } from './fake-runner.ts';
import { makeRunnerWorld } from './runner-world.ts';
import type { RunnerProcess, RunnerWorld } from './runner-world.ts';

const server = useServer();
let world: RunnerWorld;
let key: string;

beforeEach(async () => {
  world = makeRunnerWorld();
  ({ key } = await server().createKey({ scopes: [...SCOPES] }));
});
afterEach(() => world.remove());

/** Waits for words: its command line says so. */
const spareOf = ({ pid }: RunnerProcess): Promise<number> =>
  waitUntil(() => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return children.map(Number).find((child) => {
      try {
        return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('--wait-for-words');
      } catch {
        return false;
      }
    });
  }, 'the runner to have a spare command');

const ended = async (id: string): Promise<RunRequest> =>
  waitUntil(async () => {
    const found = await findRequest(server(), key, id, '?wait=20');
    return found['endedAt'] === null ? undefined : (found as unknown as RunRequest);
  }, 'the request to end');

it.skipIf(NO_SANDBOX !== undefined || process.platform !== 'linux')(
  'is used for a run, knows nothing before, and may be gone',
  async () => {
    verifies('runners.spare', 'runners.secrets');
    const stream = { name: 'a', owns: ['a.txt'], plan: reply({ 'a.txt': 'a\n' }) };
    const manifest = feature({ a: stream }, { model: 'sim-instant' });
    const { folder } = world.repository('shop', { 'millrace.yaml': manifest });
    const runner = await world.start(server(), key, { name: 'one', args: ['--project', folder] });
    const first = await spareOf(runner);
    expect(readFileSync(`/proc/${first}/environ`, 'utf8')).not.toContain(key);
    expect(await ended(await requestRun(server(), key))).toMatchObject({ status: 'completed' });
    // It was the process of the run, and ended with it.
    await waitUntil(() => !isAlive(first), 'the end of the first one');

    const second = await spareOf(runner);
    process.kill(second, 'SIGKILL');
    expect(await ended(await requestRun(server(), key))).toMatchObject({ status: 'completed' });

    const last = await spareOf(runner);
    await runner.kill('SIGKILL');
    await waitUntil(() => !isAlive(last), 'the last one to end with its runner');
  },
);

it.skipIf(NO_SANDBOX !== undefined || process.platform !== 'linux')(
  'plans with it and ends, and a plan under way ends with its runner',
  async () => {
    verifies('runners.spare');
    const { folder } = world.repository('shop', { 'a.txt': 'a\n' });
    const runner = await world.start(server(), key, { name: 'one', args: ['--project', folder] });
    const first = await spareOf(runner);
    const wanted = { manifest: undefined, task: 'Change a.txt', model: 'sim-instant' };
    const planned = await ended(await requestRun(server(), key, { ...wanted, planOnly: true }));
    expect(planned, planned.outcome?.message).toMatchObject({ status: 'completed' });
    await waitUntil(() => !isAlive(first), 'the end of the first plan');

    const second = await spareOf(runner);
    const task = 'Change a.txt [[sim:delay 600000]]';
    const id = await requestRun(server(), key, { ...wanted, task });
    await waitUntil(async () => {
      const { body } = await server().call('GET', '/api/v1/jobs?limit=1', { key });
      const [job] = body['items'] as { status: string }[];
      return job?.status === 'running';
    }, 'the model to be asked for a plan');
    await runner.kill('SIGKILL');
    await waitUntil(() => !isAlive(second), 'the plan to end with its runner');
    await server().call('POST', `/v1/run-requests/${id}/cancel`, { key });
  },
);

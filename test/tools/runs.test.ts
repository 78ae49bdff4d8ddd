// Runs on other machines in the hands of an assistant: it sees the projects, asks for a run, follows and stops it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { RunRequest } from '../../src/contract/run-request-api.ts';
import type { TakenRequest } from '../../src/contract/runner-api.ts';
import type { RunOutput } from '../../src/tools/runs/run-schemas.ts';
import { ask } from '../approvals/ask.ts';
import { announce, findRequest } from '../runners/fake-runner.ts';
import type { FakeRunner } from '../runners/fake-runner.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { assistantOf, callTool, toolDeps } from './assistant.ts';
import type { Assistant, Called, Place } from './assistant.ts';

const server = useServer();
const DASHBOARD = 'https://millrace.example.com/';
/** As a runner reports a run of its own. */
const RUN = `run_${'0'.repeat(26)}`;
let key: string;
let email: string;
const open: Assistant[] = [];

beforeEach(async () => {
  ({ key, email } = await server().createKey({ scopes: [...SCOPES] }));
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function assistant(settings: Place['settings'] = {}, as = key) {
  const deps = toolDeps({ url: server().url, key: as, settings });
  const made = await assistantOf({ ...deps, dashboardUrl: async () => DASHBOARD });
  open.push(made);
  return {
    ...made,
    run: (input: object, options?: Parameters<typeof callTool>[3]): Promise<Called<RunOutput>> =>
      callTool<RunOutput>(made.client, 'run', input, options),
  };
}

/** Answers at once with what is known. */
const HASTY = { softDeadlineMs: 1 };

const end = (runner: FakeRunner, taken: TakenRequest, status: string, outcome: object) =>
  runner.say(taken, 'end', { status, outcome });

const openRequests = async () =>
  (await server().call('GET', '/v1/run-requests?status=open', { key })).body[
    'items'
  ] as RunRequest[];

it('lists the projects, has one run, and says where its result is', async () => {
  verifies('runners.assistants');
  const { run } = await assistant();
  expect((await run({})).output).toMatchObject({
    message: 'Nothing was started. 0 projects on runners.',
    next: 'Ask the user to start a runner, in a project: millrace runner --project .',
  });
  const missing = await run({ task: 'Fix the login' });
  expect(missing.isError).toBe(true);
  expect(missing.text).toContain('millrace runner --project .');

  const runner = await announce(server(), key);
  expect((await run({})).output.projects).toEqual([
    { name: 'shop', connected: ['build'], branch: 'main', manifests: ['millrace.yaml'] },
  ]);
  // The only project needs no name.
  const running = run({ task: ' Fix the login ', maxCostUsd: 2, openRequest: true });
  const [taken] = await runner.take({ wait: 30 });
  expect(taken!.work).toMatchObject({
    project: 'shop',
    task: 'Fix the login',
    maxCostUsd: 2,
    openRequest: true,
  });
  expect(taken!.requestedBy.email).toBe(email);
  await runner.say(taken!, 'progress', { runId: RUN });
  await end(runner, taken!, 'completed', {
    message: 'Done.',
    branch: 'millrace/fix-login',
    requestUrl: 'https://forge.example.com/pull/1',
  });
  const { output, isError } = await running;
  expect(isError).toBe(false);
  expect(output).toMatchObject({
    message: 'Completed on build. Pull request: https://forge.example.com/pull/1',
    next: 'The workspace here has not changed. Report to the user where the result is.',
    status: 'completed',
    requestId: taken!.id,
    runId: RUN,
    branch: 'millrace/fix-login',
    page: `https://millrace.example.com/requests/${taken!.id}`,
    printed: 'Done.',
  });
});

it('answers while it runs, finds it by the same call, waits on, and stops it', async () => {
  verifies('runners.assistants');
  const runner = await announce(server(), key);
  const { run } = await assistant(HASTY);
  const call = { project: 'shop', manifest: 'millrace.yaml' };
  const { output: first } = await run(call);
  expect(first).toMatchObject({ status: 'queued' });
  expect(first.next).toBe(
    `Call millrace_run with requestId "${first.requestId}" and poll 2. It waits for the end.`,
  );
  // The host gave up, and its model calls again.
  const { output: again } = await run(call);
  expect(again).toMatchObject({ requestId: first.requestId, joined: true });
  expect(await openRequests()).toHaveLength(1);
  // What differs is another request.
  const { output: other } = await run({ ...call, maxCostUsd: 1 });
  expect(other.requestId).not.toBe(first.requestId);
  expect((await run({ requestId: other.requestId, cancel: true })).output.status).toBe('cancelled');

  const [taken] = await runner.take();
  expect(taken!.id).toBe(first.requestId);
  const patient = await assistant();
  const waiting = patient.run({ requestId: first.requestId, poll: 2 });
  const { output: stopping } = await run({ requestId: first.requestId, cancel: true, poll: 7 });
  expect(stopping.message).toBe('Being stopped on build.');
  expect(stopping.next).toContain('poll 8');
  // One that is being stopped is not joined.
  const { output: anew } = await run(call);
  expect(anew.requestId).not.toBe(first.requestId);
  await end(runner, taken!, 'cancelled', { message: 'Stopped.' });
  expect((await waiting).output).toMatchObject({ status: 'cancelled', printed: 'Stopped.' });
});

it('a call that is given up leaves the run as it is', async () => {
  const runner = await announce(server(), key);
  const { run } = await assistant();
  const stop = new AbortController();
  const failed = run({ task: 'Fix the login' }, { signal: stop.signal }).catch(() => 'given up');
  const [taken] = await runner.take({ wait: 30 });
  stop.abort('The user stopped it');
  expect(await failed).toBe('given up');
  expect(await findRequest(server(), key, taken!.id)).toMatchObject({
    status: 'running',
    cancelRequested: false,
  });
});

it('a run that asks the user ends the wait, and the next call waits on', async () => {
  const runner = await announce(server(), key);
  const { run } = await assistant({ heartbeatMs: 50 });
  const running = run({ task: 'Fix the login' });
  const [taken] = await runner.take({ wait: 30 });
  const asked = await ask(server(), key, {});
  await runner.say(taken!, 'progress', { runId: asked.runId });
  const { output } = await running;
  expect(output.message).toBe('Running on build. 1 of its questions is open.');
  expect(output.next).toContain('call millrace_answer');
  const waiting = run({ requestId: taken!.id, poll: 2 });
  await end(runner, taken!, 'failed', {
    failure: 'refused',
    message: 'It may not run its commands.',
    remedy: 'millrace runner allow shop --commands host',
  });
  const refused = await waiting;
  expect(refused.isError).toBe(true);
  expect(refused.output).toMatchObject({
    message: 'Failed on build.',
    next: 'Ask the user to run this on the machine of the runner: millrace runner allow shop --commands host',
  });
});

it('what cannot be done is said before anything starts', async () => {
  await announce(server(), key);
  await announce(server(), key, { name: 'other', projects: [{ name: 'api' }] });
  const { run } = await assistant(HASTY);
  const refusals: [object, string][] = [
    [{ task: 'x' }, 'NOT_FOUND: Say in which project. Projects: api, shop.'],
    [{ task: 'x', project: 'depot' }, 'NOT_FOUND: No runner has a project "depot". Projects: api'],
    [{ task: 'x', project: '../shop' }, 'NOT_FOUND: No runner has a project "../shop"'],
    [{ task: 'x', manifest: 'y', project: 'shop' }, 'VALIDATION_ERROR: Give a task or a manifest'],
    [{ manifest: '../../etc/passwd', project: 'shop' }, 'VALIDATION_ERROR: '],
    [{ cancel: true, task: 'x', project: 'shop' }, 'VALIDATION_ERROR: Say which requestId'],
    [{ requestId: 'latest' }, 'NOT_FOUND: There is no run request "latest".'],
    [{ requestId: 'rreq_01jcq8z5e0e5v8r3m6k1t2w9xh' }, 'NOT_FOUND: '],
  ];
  for (const [input, said] of refusals) {
    const { isError, text } = await run(input);
    expect({ isError, text }, JSON.stringify(input)).toEqual({
      isError: true,
      text: expect.stringContaining(said) as string,
    });
  }
  expect(await openRequests()).toEqual([]);
});

it('a key without the right to start runs is refused, and runs of another team are not there', async () => {
  const runner = await announce(server(), key);
  const { run } = await assistant(HASTY);
  const { output } = await run({ task: 'Fix the login' });
  const { key: reader } = await server().createKey({ email, scopes: ['history'] });
  const reading = await assistant(HASTY, reader);
  const refused = await reading.run({ project: 'shop', task: 'x' });
  expect(refused.text).toMatch(/^FORBIDDEN: /);
  const { key: stranger } = await server().createKey({ scopes: [...SCOPES] });
  const elsewhere = await assistant(HASTY, stranger);
  expect((await elsewhere.run({ requestId: output.requestId })).text).toMatch(/^FORBIDDEN: /);
  expect((await elsewhere.run({})).output.projects).toEqual([]);
  expect(await runner.take()).toHaveLength(1);
});

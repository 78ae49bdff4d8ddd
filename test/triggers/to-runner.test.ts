// From an event or a time to a runner that takes the request, and back to what is shown of it.
import { expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { announce } from '../runners/fake-runner.ts';
import { create, createOwner, find, fire } from '../schedules/schedules.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { REPOSITORY, githubLabelled, issue } from './payloads.ts';
import { GITHUB, createTrigger, deliveriesOf, findTrigger, sendGithub } from './triggers.ts';

const server = useServer();

it('a label becomes a request that a runner takes, and its failures pause the trigger', async () => {
  verifies('triggers.writer', 'triggers.rules');
  const owner = await createOwner(server(), { scopes: [...SCOPES] });
  const runner = await announce(server(), owner.key);
  const trigger = await createTrigger(owner, { ...GITHUB, pauseAfterFailures: 2 });
  const label = (number: number) =>
    sendGithub(server(), trigger, 'issues', githubLabelled({ issue: { ...issue, number } }));
  for (const number of [1, 2]) {
    const { body } = await label(number);
    const [taken] = await runner.take();
    expect(taken).toMatchObject({
      id: body.requestId,
      writer: { forge: 'github', repository: REPOSITORY, login: 'octocat' },
    });
    expect(taken!.work.task).toContain('\n> The search finds nothing\n');
    const said = { runId: `run_${number}`, base: 'a'.repeat(40) };
    expect((await runner.say(taken!, 'progress', said)).status).toBe(200);
    expect((await runner.end(taken!, 'failed')).status).toBe(200);
  }
  const [last] = await deliveriesOf(owner, trigger.id);
  expect(last!.request).toMatchObject({ status: 'failed', runId: 'run_2' });
  expect((await label(3)).body).toMatchObject({ result: 'paused', reason: 'failures' });
  expect((await findTrigger(owner, trigger.id)).pausedReason).toBe('failures');
  expect(await runner.take()).toEqual([]);
});

it('a time becomes a request that a runner takes, and a newer one stops it', async () => {
  verifies('schedules.firing', 'schedules.overlap');
  const owner = await createOwner(server(), { scopes: [...SCOPES] });
  const runner = await announce(server(), owner.key);
  const { id } = await create(owner, { overlap: 'cancel_older' });
  const first = await fire(owner, id);
  const [taken] = await runner.take();
  expect(taken).toMatchObject({ id: first.request!.id, writer: null });
  expect(await fire(owner, id)).toMatchObject({ result: 'started', cancelled: 1 });
  // Its runner is the one that stops it.
  const { body } = await runner.poll({ free: 0 });
  expect(JSON.stringify(body)).toContain(taken!.id);
  expect((await runner.end(taken!, 'cancelled')).status).toBe(200);
  const [next] = await runner.take();
  expect((await runner.end(next!)).status).toBe(200);
  expect((await find(owner, id)).lastFiring!.request).toMatchObject({
    id: next!.id,
    status: 'completed',
  });
});

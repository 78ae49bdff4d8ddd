// What arrives is what the API's description says.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { ask, resolve } from '../approvals/ask.ts';
import { addProject, create as createSchedule, endRequests, fire } from '../schedules/schedules.ts';
import { URL_, call, createTrigger } from '../triggers/triggers.ts';
import { verifies } from '../support/verifies.ts';
import { useHookServer } from './hook-server.ts';

const context = useHookServer();

interface Described {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: object } } } } }
  >;
}

it('every event of an execution, a budget, an approval and a schedule fits its description', async () => {
  verifies('http.openapi.webhooks', 'webhooks.budget-events', 'approvals.events');
  const { server, receiver, key, create, teamId } = context();
  const { webhooks } = (await (await fetch(`${server.url}/openapi.json`)).json()) as Described;
  await create('/described');
  const run = async (task: string) => {
    const answer = await server.call('POST', '/v1/executions', {
      key,
      body: { task, model: 'sim-instant' },
    });
    expect(answer.status).toBe(202);
    return answer.body['id'] as string;
  };
  const ends = () =>
    receiver
      .on('/described')
      .filter(({ body }) => /completed$|failed$|cancelled$/.test(body.event));
  await run('Add a page');
  await run('Add a page [[sim:auth]]');
  const hanging = await run('Add a page [[sim:hang]]');
  await server.call('POST', `/v1/executions/${hanging}/cancel`, { key });
  const wanted = ['execution.completed', 'execution.failed', 'execution.cancelled'];
  await expect
    .poll(() => new Set(ends().map(({ body }) => body.event)))
    .toEqual(new Set([...wanted, 'execution.step_completed']));

  // Simulated executions spend nothing; a recorded run does.
  const recorded = { feature: 'f', status: 'complete', startedAt: new Date().toISOString() };
  const streams = [{ streamId: 'a', status: 'complete', costUsd: 1 }];
  await server.call('PUT', '/api/v1/history/spent', { key, body: { run: recorded, streams } });
  // Less than what was spent already: both events are due.
  const settings = { budgetUsd: 0.000001 };
  await server.call('PATCH', `/v1/teams/${teamId}`, { key, body: { settings } });
  const ofBudget = () =>
    receiver.on('/described').filter(({ body }) => body.event.startsWith('usage.'));
  await expect.poll(() => ofBudget().length).toBe(2);

  const asked = await ask(server, key);
  await resolve(server, key, asked);
  const ofApproval = () =>
    receiver.on('/described').filter(({ body }) => body.event.startsWith('approval.'));
  await expect.poll(() => ofApproval().length).toBe(2);
  const [requested, resolved] = ['requested', 'resolved'].map(
    (name) => ofApproval().find(({ body }) => body.event === `approval.${name}`)!.body.data,
  );
  expect(requested).toMatchObject({ status: 'open', path: `/approvals/${asked.id}` });
  expect(requested).not.toHaveProperty('detail');
  expect(resolved).toMatchObject({ status: 'approved', expired: false });

  const owner = { server, key, teamId, userId: context().userId, email: '' };
  await addProject(owner);
  const schedule = await createSchedule(owner, { pauseAfterFailures: 1 });
  await fire(owner, schedule.id);
  await endRequests(owner, schedule.id, 'failed');
  await fire(owner, schedule.id);
  const ofSchedule = () =>
    receiver.on('/described').filter(({ body }) => body.event === 'schedule.paused');
  await expect.poll(() => ofSchedule().length).toBe(1);
  const trigger = await createTrigger(owner, { ...URL_, pauseAfterFailures: 1 });
  const headers = { authorization: `Bearer ${trigger.secret}` };
  await call(server, trigger.id, undefined, headers);
  await endRequests(owner, trigger.id, 'failed');
  await call(server, trigger.id, undefined, headers);
  const ofTrigger = () =>
    receiver.on('/described').filter(({ body }) => body.event === 'trigger.paused');
  await expect.poll(() => ofTrigger().length).toBe(1);

  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const seen = new Set<string>();
  for (const { body } of receiver.on('/described')) {
    const { schema } = webhooks[body.event]!.post.requestBody.content['application/json'];
    const fits = ajv.validate(schema, body);
    expect(fits, `${body.event}: ${ajv.errorsText()}\n${JSON.stringify(body)}`).toBe(true);
    seen.add(body.event);
  }
  expect([...seen].sort()).toEqual(Object.keys(webhooks).sort());
});

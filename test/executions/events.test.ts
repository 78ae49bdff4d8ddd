import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { openEvents } from '../support/sse.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { startReceiver, verifyIndependently } from '../webhooks/receiver.ts';
import type { Received, Receiver } from '../webhooks/receiver.ts';
import { clientOf, planOf } from './execution.ts';

const server = useServer({ allowPrivateTargets: true });
let receiver: Receiver;
let hook: string;

beforeAll(async () => {
  receiver = await startReceiver();
  hook = `${receiver.url}/hook`;
});
afterAll(() => receiver.close());

async function newClient() {
  const { key } = await server().createKey();
  return { key, client: clientOf(server(), key) };
}

/** What arrived of one execution, in the order of the sequence. */
async function heardOf(id: string, count: number): Promise<Received[]> {
  const heard = () => {
    const found = new Map(
      receiver
        .on('/hook')
        .filter(({ body }) => body.data['executionId'] === id)
        .map((each) => [each.headers['webhook-id'], each]),
    );
    return found.size >= count ? [...found.values()] : undefined;
  };
  const all = await waitUntil(heard, `${count} events`);
  return all.sort((a, b) => Number(a.body.data['sequence']) - Number(b.body.data['sequence']));
}

describe('the events of an execution', () => {
  it('come as they happen, and end with the execution', async () => {
    verifies('execution.events');
    const { key, client } = await newClient();
    const id = await client.start('x [[sim:plan 3 steps 3 waves]] [[sim:delay 50]]');
    const url = `${server().url}/v1/executions/${id}/events`;
    const events = await (await openEvents(url, { 'x-api-key': key })).rest();
    expect(events[0]).toMatchObject({ id: '1', event: 'status', data: { status: 'running' } });
    const steps = events.filter(({ event }) => event === 'step');
    expect(steps.map((event) => [event.id, event.data['streamId'], event.data['status']])).toEqual([
      ['2', 'step-1', 'complete'],
      ['3', 'step-2', 'complete'],
      ['4', 'step-3', 'complete'],
    ]);
    const last = events.at(-1)!;
    expect([last.id, last.event]).toEqual(['5', 'done']);
    expect(last.data).toEqual(await client.get(id));
    const told = events.filter(({ event }) => event === 'status').map(({ data }) => data);
    expect(told).toContainEqual(
      expect.objectContaining({ currentStep: 0, progress: { current: 0, total: 3 } }),
    );
  });

  it('are told from the start to a late reader, and go on after the last that was seen', async () => {
    verifies('execution.events');
    const { key, client } = await newClient();
    const id = await client.start('x [[sim:plan 4 steps 2 waves]]');
    await client.ended(id);
    const url = `${server().url}/v1/executions/${id}/events`;
    const all = await (await openEvents(url, { 'x-api-key': key })).rest();
    expect(all.map(({ id: number, event }) => `${number} ${event}`)).toEqual([
      '1 status',
      '2 step',
      '3 step',
      '4 step',
      '5 step',
      '6 done',
    ]);
    const headers = { 'x-api-key': key, 'last-event-id': '3' };
    const rest = await (await openEvents(url, headers)).rest();
    expect(rest).toEqual(all.slice(3));
  });

  it('reach a reader on another state: cancelled', async () => {
    const { key, client } = await newClient();
    const id = await client.start('x [[sim:hang]]');
    const url = `${server().url}/v1/executions/${id}/events`;
    const reader = await openEvents(url, { 'x-api-key': key });
    await reader.until(({ event }) => event === 'status');
    await client.cancel(id);
    const rest = await reader.rest();
    expect(rest.at(-1)).toMatchObject({ event: 'done', data: { status: 'cancelled' } });
  });
});

describe('webhooks', () => {
  it('hear of every event once it is true, in the order of its sequence', async () => {
    verifies('webhooks.events', 'webhooks.payload', 'webhooks.data', 'webhooks.sequence');
    const { key, client } = await newClient();
    const made = await server().call('POST', '/v1/webhooks', {
      key,
      body: { url: hook, events: ['*'] },
    });
    const { secret } = made.body as { secret: string };
    const id = await client.start({ task: 'x', options: { maxSteps: 2 } });
    const done = await client.ended(id);
    const heard = await heardOf(id, 4);
    for (const each of heard) verifyIndependently(secret, each);
    expect(heard.map(({ body }) => [body.event, body.data['sequence']])).toEqual([
      ['execution.started', 1],
      ['execution.step_completed', 2],
      ['execution.step_completed', 3],
      ['execution.completed', 4],
    ]);
    expect(heard[0]!.body.data).toEqual({
      executionId: id,
      status: 'running',
      result: { task: 'x', maxSteps: 2, dryRun: false },
      sequence: 1,
    });
    expect(heard[1]!.body.data).toMatchObject({
      status: 'running',
      result: { step: { index: 0, streamId: 'step-1', status: 'complete' } },
    });
    expect(heard[3]!.body.data).toEqual({
      executionId: id,
      status: 'completed',
      result: done.result,
      sequence: 4,
    });
  });

  it('hear why it failed, and where it was cancelled', async () => {
    verifies('webhooks.data');
    const { key, client } = await newClient();
    const events = ['execution.failed', 'execution.cancelled'];
    await server().call('POST', '/v1/webhooks', { key, body: { url: hook, events } });
    const failing = await client.start(`x ${planOf({ a: 'plan: "[[sim:auth]]"' })}`);
    const [failed] = await heardOf(failing, 1);
    expect(failed!.body).toMatchObject({
      event: 'execution.failed',
      data: {
        status: 'failed',
        result: { success: false },
        error: { code: 'PROVIDER_AUTH', message: expect.any(String) },
      },
    });
    const hanging = await client.start('x [[sim:hang]]');
    await client.cancel(hanging);
    const [cancelled] = await heardOf(hanging, 1);
    expect(cancelled!.body).toMatchObject({
      event: 'execution.cancelled',
      data: { status: 'cancelled', finalState: { progress: { current: 0, total: 0 } } },
    });
  });

  it('can be given for one execution alone, with a secret in the reply', async () => {
    verifies('execution.create.extras');
    const { client } = await newClient();
    const body = {
      task: 'x',
      model: 'sim-instant',
      options: { dryRun: true, webhookUrl: hook },
    };
    const headers = { 'idempotency-key': 'hook' };
    const answer = await client.create(body, headers);
    const { id, webhookSecret } = answer.body as { id: string; webhookSecret: string };
    expect((await client.create(body, headers)).body).toEqual(answer.body);
    await client.ended(await client.start({ task: 'other', options: { dryRun: true } }));
    const heard = await heardOf(id, 2);
    for (const each of heard) verifyIndependently(webhookSecret, each);
    expect(heard.map(({ body: { event } }) => event)).toEqual([
      'execution.started',
      'execution.completed',
    ]);
  });
});

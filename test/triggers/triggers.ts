// Triggers for tests, and calls as their senders make them.
import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { CreatedTrigger, HookAnswer, Trigger } from '../../src/contract/trigger-api.ts';
import type { TriggerDelivery } from '../../src/contract/trigger-api.ts';
import type { Answer, TestServer } from '../support/server.ts';
import type { Owner } from '../schedules/schedules.ts';
import { REPOSITORY } from './payloads.ts';

export const GITHUB = {
  name: 'Fix on label',
  kind: 'github',
  repository: REPOSITORY,
  events: ['issue_labeled', 'comment', 'push', 'check_failed', 'review'],
  work: { project: 'shop', task: 'Fix {{issue.title}}' },
};
export const URL_ = {
  name: 'From CI',
  kind: 'url',
  work: { project: 'shop', task: 'Deploy {{values.env}}' },
};

export async function createTrigger(owner: Owner, body: object = GITHUB): Promise<CreatedTrigger> {
  const answer = await owner.server.call('POST', '/v1/triggers', { key: owner.key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body as unknown as CreatedTrigger;
}

export async function findTrigger({ server, key }: Owner, id: string): Promise<Trigger> {
  const { status, body } = await server.call('GET', `/v1/triggers/${id}`, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as unknown as Trigger;
}

export async function deliveriesOf({ server, key }: Owner, id: string): Promise<TriggerDelivery[]> {
  const path = `/v1/triggers/${id}/deliveries?limit=100`;
  const { body } = await server.call('GET', path, { key });
  return body['items'] as TriggerDelivery[];
}

export async function call(
  server: TestServer,
  path: string,
  body: string | Buffer | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/hooks/${path}`, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

export function signed(secret: string, text: string | Buffer, event: string) {
  return {
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
  };
}

/** As GitHub sends it. */
export async function sendGithub(
  server: TestServer,
  { id, secret }: { id: string; secret: string },
  event: string,
  payload: unknown,
): Promise<{ status: number; body: HookAnswer }> {
  const text = JSON.stringify(payload);
  const { status, body } = await call(server, id, text, signed(secret, text, event));
  return { status, body: body as unknown as HookAnswer };
}

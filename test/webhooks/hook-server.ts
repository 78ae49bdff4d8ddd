// A server that may call loopback, with a receiver for it to call.
import { afterAll, beforeAll } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { WEBHOOK_TIMES } from '../../src/domain/webhook/webhook-retry.ts';
import type { ExecutionEventName } from '../../src/domain/webhook/webhook-events.ts';
import { emitEvent } from '../../src/store/webhooks/webhook-outbox.ts';
import { newId } from '../../src/platform/ids.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

/** The real tries, without the real waits. */
export const QUICK = { ...WEBHOOK_TIMES, retryDelaysMs: WEBHOOK_TIMES.retryDelaysMs.map(() => 1) };

export interface ShownAttempt {
  at: string;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  error: string | null;
}

export interface ShownDelivery {
  id: string;
  event: string;
  eventId: string;
  executionId: string | null;
  status: string;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: ShownAttempt[];
}

export interface Hook {
  id: string;
  secret: string;
  path: string;
}

export interface HookServer {
  server: TestServer;
  receiver: Receiver;
  key: string;
  userId: string;
  teamId: string;
  /** Creates a webhook for the path at the receiver, or for a whole URL. */
  create(target: string, more?: Record<string, unknown>): Promise<Hook>;
  emit(event?: Partial<EmitOptions>): Promise<string>;
  deliveries(hookId: string): Promise<ShownDelivery[]>;
  /** The only delivery of a webhook once it looks as asked. */
  delivery(hookId: string, done: (one: ShownDelivery) => boolean): Promise<ShownDelivery>;
  status(hookId: string): Promise<string>;
}

interface EmitOptions {
  executionId: string;
  event: ExecutionEventName;
  sequence: number;
  data: Record<string, unknown>;
}

export async function createHookServer(
  server: TestServer,
  receiver: Receiver,
): Promise<HookServer> {
  const { key, email } = await server.createKey();
  const userId = await server.userId(email);
  const teamId = await server.teamId(email);
  const deliveries = async (hookId: string) => {
    const { body } = await server.call('GET', `/v1/webhooks/${hookId}/deliveries`, { key });
    return body['items'] as ShownDelivery[];
  };
  return {
    server,
    receiver,
    key,
    userId,
    teamId,
    deliveries,
    async create(target, more = {}) {
      const url = target.startsWith('/') ? receiver.url + target : target;
      const { status, body } = await server.call('POST', '/v1/webhooks', {
        key,
        body: { url, events: ['*'], ...more },
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return { id: body['id'] as string, secret: body['secret'] as string, path: target };
    },
    async emit(event = {}) {
      const executionId = event.executionId ?? newId('exec');
      await server.db.tx((tx) =>
        emitEvent(tx, {
          userId,
          teamId,
          executionId,
          event: event.event ?? 'execution.completed',
          sequence: event.sequence ?? 1,
          timestamp: new Date(),
          data: event.data ?? { status: 'completed', result: { success: true } },
        }),
      );
      return executionId;
    },
    delivery: (hookId, done) =>
      waitUntil(async () => (await deliveries(hookId)).find(done), `a delivery of ${hookId}`),
    async status(hookId) {
      const { body } = await server.call('GET', `/v1/webhooks/${hookId}`, { key });
      return body['status'] as string;
    },
  };
}

export function useHookServer(overrides: Partial<Config> = {}): () => HookServer {
  let context: HookServer | undefined;
  beforeAll(async () => {
    const receiver = await startReceiver();
    const server = await startTestServer({ allowPrivateTargets: true, ...overrides });
    context = await createHookServer(server, receiver);
  });
  afterAll(async () => {
    await context?.server.close();
    await context?.receiver.close();
  });
  return () => {
    if (context === undefined) throw new Error('the server is not up yet');
    return context;
  };
}

import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import type { TestServer } from '../support/server.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const nodes = useNodes(2, { role: 'api' });
const server = () => nodes()[0]!;

const BODY = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };

interface Send {
  key: string;
  idempotencyKey: string;
  body?: object;
  node?: TestServer;
}

const execute = ({ key, idempotencyKey, body = BODY, node = server() }: Send) =>
  node.call('POST', '/api/v1/execute', {
    key,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  });

async function jobCount(email: string): Promise<number> {
  const { rows } = await server().db.query<{ count: number }>(
    'select count(*)::int as count from jobs where user_id = $1',
    [await server().userId(email)],
  );
  return rows[0]!.count;
}

describe('an Idempotency-Key', () => {
  it('makes a repeated request answer like the first, on any node', async () => {
    verifies('http.idempotency.replay', 'job.execute.idempotent');
    const { key, email } = await server().createKey();
    const first = await execute({ key, idempotencyKey: 'k1' });
    expect(first.status).toBe(202);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    for (const node of nodes()) {
      const again = await execute({ key, idempotencyKey: 'k1', node });
      expect(again.status).toBe(202);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
    }
    expect(await jobCount(email)).toBe(1);
  });

  it('makes one job of many requests that come at once to two nodes', async () => {
    verifies('http.idempotency.concurrent', 'job.execute.idempotent');
    const { key, email } = await server().createKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        execute({ key, idempotencyKey: 'k2', node: nodes()[i % 2]! }),
      ),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.body['jobId'])).size).toBe(1);
    const fresh = answers.filter((answer) => !answer.headers.has('idempotency-replayed'));
    expect(fresh).toHaveLength(1);
    expect(await jobCount(email)).toBe(1);
  });

  it('does not care how the same body is written', async () => {
    verifies('http.idempotency.replay');
    const { key } = await server().createKey();
    const first = await execute({ key, idempotencyKey: 'k3' });
    const body = { maxTokens: 10, unknown: 1, model: 'sim-instant', prompt: 'x', streamId: 'a' };
    const again = await execute({ key, idempotencyKey: 'k3', body });
    expect(again.body).toEqual(first.body);
  });

  it('with another body is refused', async () => {
    verifies('http.idempotency.reused');
    const { key, email } = await server().createKey();
    await execute({ key, idempotencyKey: 'k4' });
    const body = { ...BODY, prompt: 'y' };
    const answer = await execute({ key, idempotencyKey: 'k4', body });
    expectError(answer, 'IDEMPOTENCY_KEY_REUSED');
    expect(await jobCount(email)).toBe(1);
  });

  it('of one caller means nothing for another', async () => {
    verifies('http.idempotency.per-caller');
    const [one, two] = [await server().createKey(), await server().createKey()];
    const answers = [
      await execute({ key: one.key, idempotencyKey: 'shared' }),
      await execute({ key: two.key, idempotencyKey: 'shared', body: { ...BODY, prompt: 'other' } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([202, 202]);
    expect(answers[0]!.body['jobId']).not.toBe(answers[1]!.body['jobId']);
  });

  it('has 1 to 255 printable characters', async () => {
    verifies('http.idempotency.length');
    const { key } = await server().createKey();
    for (const idempotencyKey of ['', 'x'.repeat(256), 'ü']) {
      expectInvalid(await execute({ key, idempotencyKey }), 'idempotency-key');
    }
    for (const idempotencyKey of ['x', 'y'.repeat(255), 'with space']) {
      expect((await execute({ key, idempotencyKey })).status).toBe(202);
    }
  });

  it('is remembered for 24 hours and then free again', async () => {
    verifies('http.idempotency.kept');
    const { key, email } = await server().createKey();
    const first = await execute({ key, idempotencyKey: 'aging' });
    const userId = await server().userId(email);
    const age = (interval: string) =>
      server().db.query(
        'update idempotency_keys set created_at = now() - $2::interval where user_id = $1',
        [userId, interval],
      );
    await age('23 hours 59 minutes');
    expect((await execute({ key, idempotencyKey: 'aging' })).body).toEqual(first.body);
    await age('24 hours 1 second');
    const later = await execute({ key, idempotencyKey: 'aging', body: { ...BODY, prompt: 'new' } });
    expect(later.status).toBe(202);
    expect(later.body).not.toEqual(first.body);
    const again = await execute({ key, idempotencyKey: 'aging', body: { ...BODY, prompt: 'new' } });
    expect(again.body).toEqual(later.body);
  });

  it('is not used up by a request that was refused', async () => {
    const { key } = await server().createKey();
    const bad = await execute({ key, idempotencyKey: 'k5', body: { ...BODY, maxTokens: 0 } });
    expect(bad.status).toBe(400);
    expect((await execute({ key, idempotencyKey: 'k5' })).status).toBe(202);
  });
});

import { describe, expect, it } from 'vitest';
import { withOwnFigures } from '../../src/domain/job/tiers.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLimitService } from '../../src/services/limits.ts';
import { newPerson } from '../accounts/people.ts';
import { expectError } from '../support/expect-error.ts';
import { openEvents } from '../support/sse.ts';
import type { Answer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ tiers: withOwnFigures({ enterprise: { requestsPerMinute: 7 } }) });

const look = (key: string) => server().call('GET', '/api/v1/history', { key });

/** Sends requests one after another until one is refused. */
async function untilRefused(key: string): Promise<{ accepted: Answer[]; refused: Answer }> {
  const accepted: Answer[] = [];
  for (;;) {
    const answer = await look(key);
    if (answer.status === 429) return { accepted, refused: answer };
    accepted.push(answer);
  }
}

/** A slow machine refills while it asks; a fast one gets exactly `limit`. */
function expectCount(count: number, limit: number, startedAt: number): void {
  const refilled = Math.floor(((Date.now() - startedAt) * limit) / 60_000);
  expect(count).toBeGreaterThanOrEqual(limit);
  expect(count).toBeLessThanOrEqual(limit + refilled);
}

describe('the rate limit', () => {
  it('is 10, 60 or 120 a minute by tier, all of them at once if one likes', async () => {
    verifies('limits.rate.tiers', 'limits.rate.burst', 'limits.rate.code');
    for (const [tier, limit] of [
      ['trial', 10],
      ['pro', 60],
      ['team', 120],
    ] as const) {
      const { key } = await server().createKey({ tier });
      const startedAt = Date.now();
      const { accepted, refused } = await untilRefused(key);
      expectCount(accepted.length, limit, startedAt);
      expectError(refused, 'RATE_LIMITED');
      expect(refused.headers.get('ratelimit-limit')).toBe(String(limit));
    }
  });

  it('of an enterprise account is what the operator says of the tier, or its own', async () => {
    verifies('limits.rate.enterprise');
    const plain = await server().createKey({ tier: 'enterprise' });
    expect((await look(plain.key)).headers.get('ratelimit-limit')).toBe('7');
    const agreed = await server().createKey({ tier: 'enterprise' });
    await server().db.query('update users set requests_per_minute = 3 where email = $1', [
      agreed.email,
    ]);
    const startedAt = Date.now();
    const { accepted } = await untilRefused(agreed.key);
    expectCount(accepted.length, 3, startedAt);
  });

  it('shows limit, remaining and reset on every answer, refusals included', async () => {
    verifies('limits.rate.headers');
    const { key } = await server().createKey({ tier: 'trial' });
    const answers = [
      await look(key),
      await server().call('GET', '/api/v1/job/none', { key }),
      await server().call('POST', '/api/v1/execute', { key, body: {} }),
      await server().call('POST', '/api/v1/execute', { key, headers: { 'content-type': 'x/y' } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 404, 400, 415]);
    const { accepted, refused } = await untilRefused(key);
    const numbers = [...answers, ...accepted, refused].map(({ headers }) => {
      expect(headers.get('ratelimit-limit')).toBe('10');
      expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
      expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/);
      return Number(headers.get('ratelimit-remaining'));
    });
    expect(numbers[0]).toBe(9);
    expect(numbers.at(-1)).toBe(0);
    const reset = Number(refused.headers.get('ratelimit-reset'));
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(60);
  });

  it('refuses with a whole number of seconds to wait, at least one', async () => {
    verifies('limits.rate.retry-after', 'limits.rate.retry-after-integer');
    for (const tier of ['trial', 'team'] as const) {
      const { key } = await server().createKey({ tier });
      const { refused } = await untilRefused(key);
      const again = await look(key);
      for (const answer of [refused, ...(again.status === 429 ? [again] : [])]) {
        const wait = answer.headers.get('retry-after') ?? '';
        expect(wait).toMatch(/^[1-9]\d*$/);
        expect(Number(wait)).toBeLessThanOrEqual(tier === 'trial' ? 6 : 1);
      }
    }
  });

  it('is the same for a browser that calls the API, and its pages have one of their own', async () => {
    verifies('limits.rate.per-user');
    const person = await newPerson(server());
    await server().db.query(`update teams set tier = 'trial' where id = $1`, [person.teamId]);
    const read = (path: string) => person.call('GET', path);
    for (const path of ['/api/v1/history', '/v1/executions']) {
      const startedAt = Date.now();
      let accepted = 0;
      let answer = await read(path);
      for (; answer.status === 200; answer = await read(path)) accepted += 1;
      expectCount(accepted, 10, startedAt);
      expectError(answer, 'RATE_LIMITED');
      const page = await read(`/pages${path}`);
      expect(page.status).toBe(200);
      expect(page.headers.get('ratelimit-limit')).toBe('600');
    }
    expect((await person.call('POST', '/pages/api/v1/execute', {})).status).toBe(404);
    expect((await read('/pages/runs')).status).toBe(404);
    const { key } = await server().createKey();
    expectError(await server().call('GET', '/pages/api/v1/history', { key }), 'FORBIDDEN');
    expectError(await server().call('GET', '/pages/api/v1/history'), 'UNAUTHORIZED');
  });

  it('is counted for the user, whichever key is used', async () => {
    verifies('limits.rate.per-user');
    const email = 'many-keys@example.com';
    const one = await server().createKey({ tier: 'trial', email });
    const two = await server().createKey({ email });
    const startedAt = Date.now();
    let accepted = 0;
    for (let i = 0; ; i++) {
      const answer = await look(i % 2 === 0 ? one.key : two.key);
      if (answer.status === 429) break;
      accepted += 1;
    }
    expectCount(accepted, 10, startedAt);
    const stranger = await server().createKey({ tier: 'trial' });
    expect((await look(stranger.key)).status).toBe(200);
  });

  it('counts polls like any request, and a long poll or a stream once', async () => {
    verifies('limits.rate.long-requests');
    const { key } = await server().createKey({ tier: 'trial' });
    const remaining = (headers: Headers) => Number(headers.get('ratelimit-remaining'));
    const jobId = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 2000 });
    const stream = await openEvents(`${server().url}/api/v1/job/${jobId}/events`, {
      'x-api-key': key,
    });
    expect(remaining(stream.response.headers)).toBe(8);
    const poll = await server().call('GET', `/api/v1/job/${jobId}?wait=60`, { key });
    expect(poll.body).toMatchObject({ status: 'failed' });
    const events = await stream.rest();
    expect(events.at(-1)?.event).toBe('done');
    // Four requests so far, however long they took and however much they sent.
    const { accepted } = await untilRefused(key);
    expect(accepted.length).toBeGreaterThanOrEqual(7);
    expect(remaining(poll.headers)).toBeGreaterThanOrEqual(7);
  });

  it('does not apply to those who are not known', async () => {
    for (let i = 0; i < 15; i++)
      expectError(await server().call('GET', '/api/v1/history'), 'UNAUTHORIZED');
  });
});

describe('a large limit', () => {
  it('leaves room for every one of many requests at once', async () => {
    verifies('limits.rate.burst');
    const limits = createLimitService({ db: server().db, clock: systemClock });
    const taken = await Promise.allSettled(
      Array.from({ length: 900 }, () => limits.take('jobs many-at-once', 600_000)),
    );
    expect(taken.filter((one) => one.status === 'rejected')).toEqual([]);
  });

  it('is not passed by two nodes that each take ahead', async () => {
    verifies('limits.rate.across-nodes');
    const startedAt = Date.now();
    const nodes = [1, 2].map(() => createLimitService({ db: server().db, clock: systemClock }));
    const tries = Array.from({ length: 3000 }, (_, i) => nodes[i % 2]!.take('jobs blocks', 1200));
    const taken = await Promise.allSettled(tries);
    const accepted = taken.filter((one) => one.status === 'fulfilled').length;
    const refilled = Math.floor(((Date.now() - startedAt) * 1200) / 60_000);
    expect(accepted).toBeGreaterThanOrEqual(1198);
    expect(accepted).toBeLessThanOrEqual(1200 + refilled);
  });
});

import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { createOwner, endRequests, requestsOf } from '../schedules/schedules.ts';
import type { Owner } from '../schedules/schedules.ts';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import {
  REPOSITORY,
  githubComment,
  githubLabelled,
  githubPush,
  gitlabLabelled,
  issue,
} from './payloads.ts';
import {
  GITHUB,
  URL_,
  call,
  createTrigger,
  deliveriesOf,
  findTrigger,
  sendGithub,
  signed,
} from './triggers.ts';

const server = useServer({ role: 'api' });
const newOwner = () => createOwner(server());

const rowsOf = async (id: string) => {
  const { rows } = await server().db.query<{ count: number }>(
    'select count(*)::int as count from trigger_deliveries where trigger_id = $1',
    [id],
  );
  return rows[0]!.count;
};

describe('a call of a URL', () => {
  it.each([
    [
      'its token in a header',
      (id: string, secret: string) => [id, { authorization: `Bearer ${secret}` }] as const,
    ],
    ['its token in the path', (id: string, secret: string) => [`${id}/${secret}`, {}] as const],
  ])('with %s asks for a run with the values as data', async (_name, at) => {
    verifies('triggers.signatures', 'triggers.data');
    const owner = await newOwner();
    const { id, secret, url } = await createTrigger(owner, URL_);
    expect(url).toBe(`${server().url}/v1/hooks/${id}`);
    const [path, headers] = at(id, secret);
    const env = 'prod\u001b[2J\n$(rm -rf /) \ud83d\ude00';
    const answer = await call(server(), path, JSON.stringify({ values: { env } }), headers);
    expect(answer).toMatchObject({ status: 202, body: { result: 'started', repeated: false } });
    const [request] = await requestsOf(owner, id);
    expect(request!.userId).toBe(owner.userId);
    const task = request!.work['task'] as string;
    expect(task.split('\n')[0]).toBe('Deploy [values.env]');
    expect(task).toContain('\n> prod\n> $(rm -rf /) \ud83d\ude00\n');
    expect(server().logs()).not.toContain(secret);
  });

  it('without a body is a call of its own each time, and with an Idempotency-Key once', async () => {
    verifies('triggers.once');
    const owner = await newOwner();
    const { id, secret } = await createTrigger(owner, URL_);
    const headers = { authorization: `Bearer ${secret}` };
    const plain = [
      await call(server(), id, undefined, headers),
      await call(server(), id, undefined, headers),
    ];
    expect(plain.map(({ status }) => status)).toEqual([202, 202]);
    const once = { ...headers, 'idempotency-key': 'build-1' };
    const keyed = [
      await call(server(), id, undefined, once),
      await call(server(), id, undefined, once),
    ];
    expect(keyed.map(({ status }) => status)).toEqual([202, 200]);
    expect(keyed[1]!.body).toEqual({ ...keyed[0]!.body, repeated: true });
  });

  it.each([
    ['an unknown shape', '{"values":{"A B":"x"}}'],
    ['values that are lists', '{"values":{"env":["x"]}}'],
    ['a value that is too long', JSON.stringify({ values: { env: 'x'.repeat(20_001) } })],
    ['a list', '[]'],
  ])('with %s is 400', async (_name, body) => {
    const { id, secret } = await createTrigger(await newOwner(), URL_);
    const headers = { authorization: `Bearer ${secret}` };
    expectError(await call(server(), id, body, headers), 'VALIDATION_ERROR');
    expect(await rowsOf(id)).toBe(0);
  });
});

describe('an event of a forge', () => {
  it('asks for a run, with who did it for the runner to ask about', async () => {
    verifies('triggers.writer', 'triggers.events');
    const owner = await newOwner();
    const trigger = await createTrigger(owner, {
      ...GITHUB,
      work: {
        project: 'shop',
        task: 'Fix {{issue.title}}',
        branch: 'millrace/{{issue.number}}-{{issue.title}}',
        openRequest: true,
      },
    });
    const { status, body } = await sendGithub(server(), trigger, 'issues', githubLabelled());
    expect({ status, result: body.result }).toEqual({ status: 202, result: 'started' });
    const { rows } = await server().db.query<Record<string, unknown>>(
      'select writer, work, origin_kind from run_requests where id = $1',
      [body.requestId],
    );
    expect(rows[0]).toMatchObject({
      writer: { forge: 'github', repository: REPOSITORY, login: 'octocat' },
      work: { branch: 'millrace/12-the-search-finds-nothing', openRequest: true },
      origin_kind: 'trigger',
    });
    const [delivery] = await deliveriesOf(owner, trigger.id);
    expect(delivery).toMatchObject({
      id: body.deliveryId,
      event: 'issues',
      actor: 'octocat',
      result: 'started',
      reason: null,
      canReplay: true,
      request: { id: body.requestId, status: 'queued' },
    });
    expect((await findTrigger(owner, trigger.id)).lastDelivery).toEqual(delivery);
  });

  it('of GitLab is taken with its token, and with its signature', async () => {
    verifies('triggers.signatures', 'triggers.stale');
    const owner = await newOwner();
    const trigger = await createTrigger(owner, {
      ...GITHUB,
      kind: 'gitlab',
      events: ['issue_labeled'],
    });
    expect(trigger.secret).toMatch(/^whsec_/);
    const text = JSON.stringify(gitlabLabelled());
    const event = { 'x-gitlab-event': 'Issue Hook' };
    const token = { ...event, 'x-gitlab-token': trigger.secret };
    expect((await call(server(), trigger.id, text, token)).status).toBe(202);
    const now = new Date();
    const sign = (at: Date, of: string) => ({
      ...event,
      'webhook-id': 'e-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(trigger.secret).sign('e-1', at, of),
    });
    const other = JSON.stringify(gitlabLabelled({ event_type: 'other' }));
    expect((await call(server(), trigger.id, other, sign(now, other))).status).toBe(202);
    const late = new Date(now.getTime() - 10 * 60_000);
    const stale = await call(server(), trigger.id, other, sign(late, other));
    expect(expectError(stale, 'UNAUTHORIZED').message).toContain('five minutes');
  });

  it('that is not for the trigger is in the log, and starts nothing', async () => {
    verifies('triggers.filters', 'triggers.loops');
    const owner = await newOwner();
    const trigger = await createTrigger(owner, { ...GITHUB, filters: { labels: ['millrace'] } });
    const send = (event: string, payload: unknown) => sendGithub(server(), trigger, event, payload);
    expect((await send('ping', { zen: 'x' })).body).toMatchObject({
      result: 'ignored',
      reason: 'ping',
    });
    expect((await send('issues', githubLabelled())).body).toMatchObject({ reason: 'label' });
    expect((await send('push', githubPush('millrace/12'))).body).toMatchObject({ reason: 'own' });
    expect((await send('issues', {})).body).toMatchObject({ reason: 'unreadable' });
    const reasons = (await deliveriesOf(owner, trigger.id)).map(({ reason }) => reason);
    expect(reasons).toEqual(['unreadable', 'own', 'label', 'ping']);
    expect(await requestsOf(owner, trigger.id)).toEqual([]);
  });
});

describe('a call that is refused', () => {
  it.each([
    ['forged', (text: string) => signed('another', text, 'issues')],
    ['not signed', () => ({ 'x-github-event': 'issues' })],
    ['signed for another body', (text: string) => signed('x', `${text} `, 'issues')],
  ])('because it is %s is counted, and not kept', async (_name, headersOf) => {
    verifies('triggers.signatures', 'triggers.limits');
    const owner = await newOwner();
    const trigger = await createTrigger(owner);
    const text = JSON.stringify(githubLabelled());
    for (let n = 0; n < 3; n++) {
      expectError(await call(server(), trigger.id, text, headersOf(text)), 'UNAUTHORIZED');
    }
    expect((await findTrigger(owner, trigger.id)).refused).toEqual({
      count: 3,
      lastAt: expect.any(String),
    });
    expect(await rowsOf(trigger.id)).toBe(0);
    expect(server().logs()).not.toContain(trigger.secret);
    // Whatever came before: who has the secret gets in.
    expect((await sendGithub(server(), trigger, 'issues', githubLabelled())).status).toBe(202);
  });

  it('keeps nobody else from calling, however often it comes', async () => {
    verifies('triggers.limits');
    const owner = await newOwner();
    const trigger = await createTrigger(owner);
    const statuses = await Promise.all(
      Array.from({ length: 150 }, () => call(server(), trigger.id, '{}').then((one) => one.status)),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await findTrigger(owner, trigger.id)).refused.count).toBeLessThan(100);
    expect((await sendGithub(server(), trigger, 'issues', githubLabelled())).status).toBe(202);
  });

  it('is limited for those who have the secret', async () => {
    verifies('triggers.limits');
    const trigger = await createTrigger(await newOwner());
    // As if so many calls had just come that the next one fits in a minute only.
    await server().db.query(
      `insert into rate_limits (bucket, arrival_at) values ($1, now() + interval '2 minutes')`,
      [`hook ${trigger.id}`],
    );
    const { status } = await sendGithub(server(), trigger, 'issues', githubLabelled());
    expect(status).toBe(429);
    const forged = signed('another', '{}', 'issues');
    expect((await call(server(), trigger.id, '{}', forged)).status).toBe(401);
  });

  it.each([
    ['not JSON', Buffer.from('{"a":'), 'VALIDATION_ERROR'],
    ['empty', Buffer.alloc(0), 'VALIDATION_ERROR'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'VALIDATION_ERROR'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'VALIDATION_ERROR'],
    [
      '50,000 levels deep',
      Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
      'VALIDATION_ERROR',
    ],
    ['a form', Buffer.from('payload=%7B%7D'), 'VALIDATION_ERROR'],
  ] as const)('because its body is %s', async (_name, bytes, code) => {
    verifies('triggers.limits');
    const { id, secret } = await createTrigger(await newOwner());
    expectError(await call(server(), id, bytes, signed(secret, bytes, 'issues')), code);
    expect(await rowsOf(id)).toBe(0);
  });

  it('because of its size, its type, its encoding or its address', async () => {
    verifies('triggers.limits');
    const { id, secret } = await createTrigger(await newOwner());
    const large = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
    expectError(
      await call(server(), id, large, signed(secret, large, 'push')),
      'PAYLOAD_TOO_LARGE',
    );
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const headers = { ...signed(secret, '{}', 'push'), ...type };
    expectError(await call(server(), id, '{}', headers), 'UNSUPPORTED_MEDIA_TYPE');
    const packed = { ...signed(secret, '{}', 'push'), 'content-encoding': 'gzip' };
    expectError(await call(server(), id, '{}', packed), 'UNSUPPORTED_MEDIA_TYPE');
    for (const at of ['trg_01jcq8z5e0e5v8r3m6k1t2w9xh', 'x', '%00', '..%2f..%2fx']) {
      expectError(await call(server(), at, '{}'), 'NOT_FOUND');
    }
  });
});

describe('a delivery', () => {
  it('that comes again is 200 with the first result, also when both come at once', async () => {
    verifies('triggers.once');
    const owner = await newOwner();
    const trigger = await createTrigger(owner);
    const send = () => sendGithub(server(), trigger, 'issues', githubLabelled());
    const both = await Promise.all([send(), send(), send()]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 202]);
    expect(new Set(both.map(({ body }) => body.requestId)).size).toBe(1);
    expect(await requestsOf(owner, trigger.id)).toHaveLength(1);
    expect(await deliveriesOf(owner, trigger.id)).toHaveLength(1);
  });

  it('can be replayed by the rules of today', async () => {
    verifies('triggers.replay');
    const owner = await newOwner();
    const trigger = await createTrigger(owner, { ...GITHUB, filters: { labels: ['millrace'] } });
    const first = await sendGithub(server(), trigger, 'issues', githubLabelled());
    const at = `/v1/triggers/${trigger.id}`;
    const replay = (id = first.body.deliveryId) =>
      server().call('POST', `${at}/deliveries/${id}/replay`, { key: owner.key });
    expect(await replay()).toMatchObject({
      status: 202,
      body: { result: 'ignored', reason: 'label' },
    });
    await server().call('PATCH', at, { key: owner.key, body: { filters: {} } });
    expect(await replay()).toMatchObject({ status: 202, body: { result: 'started' } });
    const { rows } = await server().db.query<{ writer: object }>(
      'select writer from run_requests where origin_id = $1',
      [trigger.id],
    );
    expect(rows).toEqual([{ writer: expect.objectContaining({ login: 'octocat' }) }]);
    expect((await deliveriesOf(owner, trigger.id))[0]).toMatchObject({
      replayOf: first.body.deliveryId,
    });
    expectError(await replay('tdel_01jcq8z5e0e5v8r3m6k1t2w9xh'), 'NOT_FOUND');
    const odd = await sendGithub(server(), trigger, 'issues', {});
    expectError(await replay(odd.body.deliveryId), 'CONFLICT');
  });

  it('is kept for a while: the last two hundred, and a month', async () => {
    verifies('triggers.limits');
    const owner = await newOwner();
    const trigger = await createTrigger(owner);
    await server().db.query(
      `insert into trigger_deliveries (id, trigger_id, event, result, reason, created_at)
       select 'tdel_0' || lpad(n::text, 25, '0'), $1, 'x', 'ignored', 'event',
         now() - case when n > 240 then interval '31 days' else interval '1 day' end
       from generate_series(1, 250) n`,
      [trigger.id],
    );
    await sendGithub(server(), trigger, 'ping', {});
    // Of the 200 newest, ten were too old.
    expect(await rowsOf(trigger.id)).toBe(190);
  });
});

describe('the rules of a trigger', () => {
  const labelled = (nth: number) => githubLabelled({ issue: { ...issue, number: nth } });
  const fire = (trigger: { id: string; secret: string }, nth: number) =>
    sendGithub(server(), trigger, 'issues', labelled(nth)).then(({ body }) => body);

  it('hold for overlap, failures and a pause by a person', async () => {
    verifies('triggers.rules');
    const owner = await newOwner();
    const trigger = await createTrigger(owner, {
      ...GITHUB,
      overlap: 'skip',
      pauseAfterFailures: 1,
    });
    const at = `/v1/triggers/${trigger.id}`;
    expect(await fire(trigger, 1)).toMatchObject({ result: 'started' });
    expect(await fire(trigger, 2)).toMatchObject({ result: 'skipped', reason: 'overlap' });
    await endRequests(owner, trigger.id, 'failed');
    expect(await fire(trigger, 3)).toMatchObject({ result: 'paused', reason: 'failures' });
    expect(await findTrigger(owner, trigger.id)).toMatchObject({
      status: 'paused',
      pausedReason: 'failures',
    });
    expect(await fire(trigger, 4)).toMatchObject({ result: 'skipped', reason: 'inactive' });
    await server().call('PATCH', at, { key: owner.key, body: { status: 'active' } });
    expect(await fire(trigger, 5)).toMatchObject({ result: 'started' });
  });

  it('hold for an owner who may not have runs made any more', async () => {
    verifies('triggers.rules');
    const owner: Owner = await newOwner();
    const other = await newOwner();
    await server().db.query(
      `insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')`,
      [owner.teamId, other.userId],
    );
    const trigger = await createTrigger(owner);
    await server().db.query(
      'update team_members set role = $3 where team_id = $1 and user_id = $2',
      [owner.teamId, owner.userId, 'viewer'],
    );
    expect(await fire(trigger, 1)).toMatchObject({ result: 'paused', reason: 'owner_role' });
    expect(await requestsOf(owner, trigger.id)).toEqual([]);
  });

  it('of a comment take its command alone', async () => {
    const owner = await newOwner();
    const trigger = await createTrigger(owner, {
      ...GITHUB,
      filters: { commands: ['fix'] },
      work: { project: 'shop', task: 'Fix what {{comment.arguments}} says' },
    });
    const body = githubComment('Thanks!\r\n/millrace fix the `search`; rm -rf ~\r\n');
    expect((await sendGithub(server(), trigger, 'issue_comment', body)).status).toBe(202);
    const [request] = await requestsOf(owner, trigger.id);
    expect(request!.work['task']).toContain('\n> the `search`; rm -rf ~\n');
  });
});

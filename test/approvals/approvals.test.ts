// Approvals over HTTP, on two nodes.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { newPerson, joinTeam } from '../accounts/people.ts';
import type { Person } from '../accounts/people.ts';
import type { Role } from '../../src/contract/permissions.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { ask, askBody, find, hashOf, resolve } from './ask.ts';

const nodes = useNodes(2, { trustedProxies: ['127.0.0.1'] });
const one = () => nodes()[0]!;
const two = () => nodes()[1]!;

let team: string;
const people = {} as Record<Role, Person & { key: string }>;

beforeAll(async () => {
  for (const role of ['owner', 'admin', 'member', 'viewer'] as const) {
    const person = await newPerson(one());
    if (role === 'owner') {
      team = (await person.call('POST', '/v1/teams', { name: 'asks' })).body['id'] as string;
    } else {
      await joinTeam(one(), { teamId: team, userId: person.userId, role });
    }
    const body = { name: 'x', teamId: team, scopes: SCOPES };
    const made = await person.call('POST', '/api/v1/api-keys', body);
    people[role] = Object.assign(person, { key: made.body['key'] as string });
  }
});

const keyOf = (role: Role) => people[role].key;

describe('what a run asks', () => {
  it('is listed, shown and answered', async () => {
    verifies('approvals.routes');
    const { member, owner } = people;
    const asked = await ask(one(), member.key);
    const { body: list } = await two().call('GET', '/v1/approvals?status=open', { key: owner.key });
    const items = list['items'] as Record<string, unknown>[];
    expect(items.find(({ id }) => id === asked.id)).toMatchObject({
      kind: 'changes',
      status: 'open',
      streamId: 'api',
      requestedBy: { email: member.email },
      role: 'member',
      byOther: null,
      mayAnswer: true,
      resolution: null,
      path: `/approvals/${asked.id}`,
    });
    expect(items[0]).not.toHaveProperty('detail');
    expect(await find(two(), owner.key, asked.id)).toMatchObject({
      detail: expect.stringContaining('+x'),
      format: 'diff',
    });
    const answered = await resolve(two(), owner.key, asked, { comment: 'Fine.' });
    expect(answered.status).toBe(200);
    expect(answered.body).toMatchObject({
      status: 'approved',
      mayAnswer: false,
      resolution: { by: { email: owner.email }, comment: 'Fine.', answer: null, expired: false },
    });
    const open = await one().call('GET', `/v1/approvals?status=open&runId=${asked.runId}`, {
      key: owner.key,
    });
    expect(open.body['items']).toEqual([]);
    const { body: log } = await one().call('GET', '/v1/audit?action=approval.resolved', {
      key: owner.key,
    });
    expect((log['items'] as { target: string }[]).map(({ target }) => target)).toContain(asked.id);
  });

  it('is answered once: of fifty at once on two nodes one counts, and the others learn whose it was', async () => {
    verifies('approvals.once');
    const asked = await ask(one(), keyOf('member'));
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const role = (['owner', 'admin'] as const)[i % 2]!;
        const decision = i % 3 === 0 ? 'deny' : 'approve';
        const node = i % 4 < 2 ? one() : two();
        const { status, body } = await resolve(node, keyOf(role), asked, { decision });
        return { status, body, email: people[role].email, decision };
      }),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const { email, decision } = won[0]!;
    const status = decision === 'approve' ? 'approved' : 'denied';
    expect(await find(one(), keyOf('owner'), asked.id)).toMatchObject({
      status,
      resolution: { by: { email } },
    });
    for (const answer of answers.filter((each) => each !== won[0])) {
      const error = expectError(answer, 'CONFLICT');
      expect(error.message).toContain(email);
      expect(error.details).toMatchObject({ by: email, status });
    }
  });

  it('is not answered for something else than was shown', async () => {
    verifies('approvals.hash');
    const asked = await ask(one(), keyOf('member'));
    const other = await resolve(one(), keyOf('owner'), { ...asked, hash: hashOf('y') });
    expect(expectError(other, 'CONFLICT').details).toEqual({ hash: asked.hash });
    expect(await find(one(), keyOf('owner'), asked.id)).toMatchObject({ status: 'open' });
  });

  it('is the same question when the run asks it again, until it is denied', async () => {
    const body = askBody();
    const again = async () =>
      (await one().call('POST', '/v1/approvals', { key: keyOf('member'), body })).body;
    const [first, second] = await Promise.all([again(), again()]);
    expect(first['id']).toBe(second['id']);
    const asked = first as unknown as { id: string; hash: string };
    await resolve(one(), keyOf('owner'), asked);
    expect(await again()).toMatchObject({ id: asked.id, status: 'approved' });
    const changed = await ask(one(), keyOf('member'), { ...body, hash: hashOf('other') });
    expect(changed.id).not.toBe(asked.id);
    await resolve(one(), keyOf('owner'), changed, { decision: 'deny' });
    const next = await ask(one(), keyOf('member'), { ...body, hash: hashOf('other') });
    expect(next.id).not.toBe(changed.id);
  });

  it('is waited for across nodes', async () => {
    const asked = await ask(one(), keyOf('member'));
    const from = performance.now();
    const waiting = find(one(), keyOf('member'), asked.id, '?wait=60');
    // It is right whichever comes first; usually it waits by then.
    await delay(300);
    await resolve(two(), keyOf('owner'), asked);
    expect(await waiting).toMatchObject({ status: 'approved' });
    // Woken, and not at the end of the wait.
    expect(performance.now() - from).toBeLessThan(30_000);
    // Answered before it is waited for.
    expect(await find(two(), keyOf('member'), asked.id, '?wait=60')).toMatchObject({
      status: 'approved',
    });
  });

  it('can be withdrawn by who asks, and by nobody else', async () => {
    const asked = await ask(one(), keyOf('member'));
    const withdraw = (role: Role) =>
      two().call('POST', `/v1/approvals/${asked.id}/withdraw`, { key: keyOf(role) });
    expectError(await withdraw('owner'), 'FORBIDDEN');
    expect((await withdraw('member')).body).toMatchObject({ status: 'withdrawn' });
    const late = await resolve(one(), keyOf('owner'), asked);
    expect(expectError(late, 'CONFLICT').message).toContain(people.member.email);
  });
});

describe('who may answer', () => {
  it('is the role that is named; who may not write sees nothing', async () => {
    verifies('approvals.roles');
    const asked = await ask(one(), keyOf('member'), { role: 'admin' });
    expect(await find(one(), keyOf('member'), asked.id)).toMatchObject({ mayAnswer: false });
    expect(
      expectError(await resolve(one(), keyOf('member'), asked), 'FORBIDDEN').message,
    ).toContain('admin or above');
    for (const path of ['/v1/approvals', `/v1/approvals/${asked.id}`]) {
      expectError(await one().call('GET', path, { key: keyOf('viewer') }), 'FORBIDDEN');
    }
    const stranger = await one().createKey();
    expectError(await one().call('GET', `/v1/approvals/${asked.id}`, stranger), 'FORBIDDEN');
    expectError(await resolve(one(), stranger.key, asked), 'FORBIDDEN');
    const bare = await one().createKey({ scopes: ['jobs'] });
    expectError(await one().call('GET', '/v1/approvals', bare), 'FORBIDDEN');
    expect((await resolve(one(), keyOf('admin'), asked)).status).toBe(200);
  });

  it('is another person than the author where the team wants it; at a terminal that is advice', async () => {
    verifies('approvals.other-person');
    const settings = { approvalByOther: true };
    const set = (value: object) =>
      one().call('PATCH', `/v1/teams/${team}`, { key: keyOf('owner'), body: { settings: value } });
    expect((await set(settings)).status).toBe(200);
    const [required, pushed, advised, plan] = [
      await ask(one(), keyOf('owner'), { origin: 'runner' }),
      await ask(one(), keyOf('owner'), { origin: 'terminal', kind: 'push' }),
      await ask(one(), keyOf('owner'), { origin: 'terminal' }),
      await ask(one(), keyOf('owner'), { origin: 'runner', kind: 'plan' }),
    ];
    expect(await find(one(), keyOf('owner'), required.id)).toMatchObject({
      byOther: 'required',
      mayAnswer: false,
    });
    // A push concerns others, wherever it is asked for.
    expect((await resolve(one(), keyOf('owner'), pushed)).status).toBe(403);
    const own = await resolve(one(), keyOf('owner'), required);
    expect(expectError(own, 'FORBIDDEN').message).toContain('another person');
    expect((await resolve(one(), keyOf('member'), required)).status).toBe(200);
    expect(await find(one(), keyOf('owner'), advised.id)).toMatchObject({ byOther: 'advised' });
    expect((await resolve(one(), keyOf('owner'), advised)).status).toBe(200);
    expect(await find(one(), keyOf('owner'), plan.id)).toMatchObject({ byOther: null });
    await set({ approvalByOther: null });
  });
});

describe('a question', () => {
  it('is approved with a text, and nothing else has one', async () => {
    verifies('approvals.question');
    const asked = await ask(one(), keyOf('member'), { kind: 'question', title: 'Which API?' });
    expectInvalid(await resolve(one(), keyOf('owner'), asked), 'answer');
    const refused = { decision: 'deny', answer: 'x' };
    expectInvalid(await resolve(one(), keyOf('owner'), asked, refused), 'answer');
    const answered = await resolve(one(), keyOf('owner'), asked, { answer: 'The older one.' });
    expect(answered.body).toMatchObject({ resolution: { answer: 'The older one.' } });
    const changes = await ask(one(), keyOf('member'));
    expectInvalid(await resolve(one(), keyOf('owner'), changes, { answer: 'x' }), 'answer');
  });
});

it('a request that makes no sense is refused, and nothing is asked', async () => {
  const key = keyOf('member');
  const bad = async (more: object, path: string) =>
    expectInvalid(
      await one().call('POST', '/v1/approvals', { key, body: { ...askBody(), ...more } }),
      path,
    );
  await bad({ kind: 'anything' }, 'kind');
  await bad({ hash: 'abc' }, 'hash');
  await bad({ title: 'two\nlines' }, 'title');
  await bad({ detail: '\ud800' }, 'detail');
  await bad({ runId: 'a b' }, 'runId');
  await bad({ expiresInSeconds: 0 }, 'expiresInSeconds');
  expectError(await one().call('GET', '/v1/approvals/apr_none', { key }), 'NOT_FOUND');
});

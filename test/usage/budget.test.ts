// A team's budget a month: what accepted jobs may cost is set aside, and settled when their cost is known.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CurrentUsage } from '../../src/contract/usage-api.ts';
import { deleteMember, updateMemberRole } from '../../src/store/accounts/members.ts';
import { deleteTeam } from '../../src/store/accounts/teams.ts';
import { settleAbandoned } from '../../src/store/jobs/settle-abandoned.ts';
import { BELIEVES_TESTS, newPerson, joinTeam } from '../accounts/people.ts';
import { clientOf, planOf, replyOf } from '../executions/execution.ts';
import { baseUrls, freshKey } from '../providers/vendor-jobs.ts';
import { expectError } from '../support/expect-error.ts';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { patiently } from '../support/patient-call.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { startTestServer } from '../support/server.ts';
import type { Answer, TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { PRICED_MODEL, pricedProviders } from '../support/priced-model.ts';
import { toolOf } from '../support/turns.ts';
import { verifies } from '../support/verifies.ts';

let vendors: VendorServer;
let server: TestServer;
let second: TestServer;
beforeAll(async () => {
  vendors = await startVendorServer();
  const settings = { baseUrls: baseUrls(vendors), allowPrivateTargets: true, ...BELIEVES_TESTS };
  const providers = () => pricedProviders(settings.baseUrls);
  server = await startTestServer(settings, undefined, providers());
  second = await startTestServer(settings, server.databaseUrl, providers());
});
afterAll(async () => {
  await second?.close();
  await server?.close();
  await vendors?.close();
});

interface Details {
  budget: { limitUsd: number; spentUsd: number; reservedUsd: number; resetsAt: string };
}

async function setBudget(key: string, teamId: string, budgetUsd: number | null): Promise<void> {
  const body = { settings: { budgetUsd } };
  const answer = await server.call('PATCH', `/v1/teams/${teamId}`, { key, body });
  expect(answer.status).toBe(200);
}

async function teamWith(budgetUsd: number | null) {
  const { key, email } = await server.createKey();
  const teamId = await server.teamId(email);
  await setBudget(key, teamId, budgetUsd);
  return { key, teamId };
}

async function usageOf(key: string): Promise<CurrentUsage> {
  const { body } = await server.call('GET', '/v1/usage/current', { key });
  return body as unknown as CurrentUsage;
}

const budgetOf = async (key: string) => (await usageOf(key)).budget;
const executionsOf = async (key: string) => (await usageOf(key)).executions;

const execute = (key: string, body: object = {}, node = server): Promise<Answer> =>
  node.call('POST', '/api/v1/execute', {
    key,
    body: { streamId: 'a', prompt: 'hello', model: PRICED_MODEL, maxTokens: 1000, ...body },
  });

const submit = (key: string, body: object = {}) =>
  server.submit(key, { model: PRICED_MODEL, ...body });

const costOf = (job: Record<string, unknown>) => (job['costUsd'] as number | null) ?? 0;

/** Once nothing is set aside any more. */
async function settled(key: string): Promise<CurrentUsage['budget']> {
  return waitUntil(async () => {
    const budget = await budgetOf(key);
    return budget.reservedUsd === 0 ? budget : undefined;
  }, 'the settling of every job');
}

async function untilRunning(key: string, jobId: string): Promise<void> {
  await waitUntil(async () => {
    const { body } = await server.call('GET', `/api/v1/job/${jobId}`, { key });
    return body['status'] === 'running';
  }, 'a running job');
}

it('holds for parallel jobs of two nodes that call a vendor at its real prices', async () => {
  verifies('usage.budget', 'usage.budget.refused');
  const { key } = await teamWith(1);
  // Each may cost about 0.05 and costs about 0.04.
  const prompt = 'hello [[vendor:reply output=4000 input=20]]';
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const headers = { 'x-provider-key': freshKey(), 'idempotency-key': `budget-${index}` };
      const body = { streamId: `s${index}`, prompt, model: 'gemini-2.5-pro', maxTokens: 5000 };
      const node = index % 2 === 0 ? server : second;
      return patiently(() => node.call('POST', '/api/v1/execute', { key, headers, body }));
    }),
  );
  const accepted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status === 402);
  expect(accepted.length).toBeGreaterThanOrEqual(15);
  expect(accepted.length).toBeLessThanOrEqual(26);
  expect(refused).toHaveLength(50 - accepted.length);
  for (const answer of refused) {
    const error = expectError(answer, 'QUOTA_EXCEEDED') as unknown as { details: Details };
    const { limitUsd, spentUsd, reservedUsd, resetsAt } = error.details.budget;
    expect(limitUsd).toBe(1);
    expect(spentUsd + reservedUsd).toBeLessThanOrEqual(1 + 1e-6);
    expect(resetsAt).toMatch(/-01T00:00:00\.000Z$/);
  }
  const jobs = await Promise.all(
    accepted.map(({ body }) => server.finished(key, body['jobId'] as string)),
  );
  const spent = jobs.reduce((sum, job) => sum + costOf(job), 0);
  const budget = await settled(key);
  expect(budget.spentUsd).toBeCloseTo(spent, 6);
  expect(spent).toBeGreaterThan(0.5);
  expect(spent).toBeLessThanOrEqual(1);
  const { stdout } = await runHere(['usage'], { MILLRACE_URL: server.url, MILLRACE_API_KEY: key });
  expect(stdout).toMatch(/Budget +\$0\.\d{4} of \$1\.0000 spent {2}\[#+\.*\] \d+%/);
});

describe('what is set aside', () => {
  it('covers all messages and tools of a turn, not its prompt alone', async () => {
    const { key } = await teamWith(1);
    const turnOf = (characters: number) => ({
      prompt: undefined,
      maxTokens: 100,
      messages: [
        { role: 'system', text: 'x'.repeat(characters) },
        { role: 'user', text: '[[sim:hang]]' },
      ],
      tools: [toolOf('y'.repeat(60), { z: { description: 'z'.repeat(characters) } })],
    });
    const running = await submit(key, turnOf(50_000));
    // A character may be a token, at three dollars a million.
    expect((await budgetOf(key)).reservedUsd).toBeGreaterThan(0.3);
    await server.call('POST', `/api/v1/job/${running}/cancel`, { key });
    await settled(key);
    expectError(await execute(key, turnOf(200_000)), 'QUOTA_EXCEEDED');
  });

  it('is settled however a job ends: cancelled, failed, repeated', async () => {
    verifies('usage.budget.settled');
    const { key, teamId } = await teamWith(5);
    const running = await submit(key, { prompt: '[[sim:hang]]', maxTokens: 1000 });
    await untilRunning(key, running);
    expect((await budgetOf(key)).reservedUsd).toBeGreaterThan(0.001);
    const ids = [running];
    for (const prompt of ['[[sim:auth]]', '[[sim:fail 1 overloaded]] x', 'plain']) {
      ids.push(await submit(key, { prompt }));
    }
    await server.call('POST', `/api/v1/job/${running}/cancel`, { key });
    const jobs = await Promise.all(ids.map((id) => server.finished(key, id)));
    const { spentUsd } = await settled(key);
    expect(spentUsd).toBeCloseTo(
      jobs.reduce((sum, job) => sum + costOf(job), 0),
      6,
    );
    // As a worker that died after a cancel, which nobody hears of again.
    await server.db.query(
      `update jobs set settled_at = null, reserved_usd = 0.5, ended_at = now() - interval '2 minutes'
       where id = $1`,
      [running],
    );
    await server.db.query('update usage_months set reserved_usd = 0.5 where team_id = $1', [
      teamId,
    ]);
    expect((await budgetOf(key)).reservedUsd).toBe(0.5);
    await settleAbandoned(server.db, undefined);
    expect((await settled(key)).spentUsd).toBe(spentUsd);
    expect(await findLedgerGaps(server.db)).toEqual([]);
  });

  it('is set aside again before a call that cost something is repeated', async () => {
    verifies('usage.budget');
    // Each call costs about 0.15, may cost 0.32, and then breaks off.
    const prompt = `${replyOf('api', 'word '.repeat(9000))} [[sim:cut 8000 overloaded]]`;
    const spentWith = async (limit: number) => {
      const { key } = await teamWith(limit);
      const answer = await execute(key, { streamId: 'api', prompt, maxTokens: 10_000 });
      expect(answer.status).toBe(202);
      const job = await server.finished(key, answer.body['jobId'] as string);
      expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_OVERLOADED' });
      const { spentUsd } = await settled(key);
      expect(spentUsd).toBeLessThanOrEqual(limit);
      return spentUsd;
    };
    const once = await spentWith(0.4);
    expect(once).toBeGreaterThan(0.1);
    expect(await spentWith(0.8)).toBeGreaterThan(1.5 * once);
  });

  it('counts in the month in which its job ends, and is released where it was reserved', async () => {
    const { key, teamId } = await teamWith(1);
    const jobId = await submit(key, { prompt: '[[sim:hang]]', maxTokens: 1000 });
    await untilRunning(key, jobId);
    const { reservedUsd } = await budgetOf(key);
    const monthAgo = `- interval '1 month'`;
    await server.db.query(`update jobs set queued_at = queued_at ${monthAgo} where id = $1`, [
      jobId,
    ]);
    await server.db.query(
      `update usage_months set month = (month ${monthAgo})::date where team_id = $1`,
      [teamId],
    );
    expect(await budgetOf(key)).toMatchObject({ reservedUsd, spentUsd: 0 });
    const room = Math.floor((1 - reservedUsd - 0.001) / 0.000015);
    expectError(await execute(key, { maxTokens: room + 200 }), 'QUOTA_EXCEEDED');
    await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    await settled(key);
    expect((await execute(key, { maxTokens: room + 200 })).status).toBe(202);
    await settled(key);
  });
});

describe('a budget that is changed', () => {
  it('holds from then on, whether it is set, lowered, raised or removed', async () => {
    const { key, teamId } = await teamWith(null);
    const open = await submit(key, { prompt: '[[sim:hang]]' });
    await untilRunning(key, open);
    await server.finished(key, await submit(key));
    await setBudget(key, teamId, 0);
    expectError(await execute(key), 'QUOTA_EXCEEDED');
    await server.call('POST', `/api/v1/job/${open}/cancel`, { key });
    await setBudget(key, teamId, 1);
    const running = await submit(key, { prompt: '[[sim:hang]]' });
    await untilRunning(key, running);
    await setBudget(key, teamId, 0.000_001);
    expectError(await execute(key), 'QUOTA_EXCEEDED');
    expect(await server.call('GET', `/api/v1/job/${running}`, { key })).toMatchObject({
      body: { status: 'running' },
    });
    await setBudget(key, teamId, null);
    expect((await execute(key)).status).toBe(202);
    expect(await budgetOf(key)).toMatchObject({ limitUsd: null });
    await server.call('POST', `/api/v1/job/${running}/cancel`, { key });
    await settled(key);
    const { body } = await server.call('GET', `/v1/teams/${teamId}`, { key });
    expect(body['settings']).toEqual({});
    for (const budgetUsd of [-1, 'x', 1e12]) {
      const settings = { budgetUsd };
      const answer = await server.call('PATCH', `/v1/teams/${teamId}`, { key, body: { settings } });
      expectError(answer, 'VALIDATION_ERROR');
    }
  });

  it('tells webhooks once for a month and limit, and again when it is raised', async () => {
    verifies('webhooks.budget-events');
    const { key, teamId } = await teamWith(1);
    // Events that no webhook asks for are not kept; whether this one is reached does not matter.
    const hook = { url: 'https://hooks.invalid/', events: ['*'] };
    expect((await server.call('POST', '/v1/webhooks', { key, body: hook })).status).toBe(201);
    const told = async () => {
      const { rows } = await server.db.query<{ body: string }>(
        'select body from webhook_events where team_id = $1 order by id',
        [teamId],
      );
      return rows.map(
        ({ body }) =>
          JSON.parse(body) as { event: string; data: { limitUsd: number; spentUsd: number } },
      );
    };
    const names = async () => (await told()).map(({ event, data }) => [event, data.limitUsd]);
    const spend = async (id: string, costUsd: number) => {
      const run = { feature: 'f', status: 'complete', startedAt: new Date().toISOString() };
      const body = { run, streams: [{ streamId: 'a', status: 'complete', costUsd }] };
      await server.call('PUT', `/api/v1/history/${teamId}-${id}`, { key, body });
    };
    await spend('a', 0.5);
    expect(await told()).toEqual([]);
    await spend('b', 0.31);
    await spend('b', 0.32);
    expect(await names()).toEqual([['usage.budget_warning', 1]]);
    const [warning] = await told();
    expect(warning?.data).toMatchObject({ teamId, limitUsd: 1, spentUsd: 0.81, reservedUsd: 0 });
    for (let i = 0; i < 2; i++) {
      expectError(await execute(key, { maxTokens: 100_000 }), 'QUOTA_EXCEEDED');
    }
    // Refused is not spent.
    expect((await names()).slice(1)).toEqual([]);
    await spend('gone', 0.19);
    expect((await names()).slice(1)).toEqual([['usage.budget_exceeded', 1]]);
    expect((await told())[1]?.data).toMatchObject({ limitUsd: 1, spentUsd: 1.01 });
    await setBudget(key, teamId, 10);
    expect(await told()).toHaveLength(2);
    await spend('c', 7.31);
    expect((await names()).slice(2)).toEqual([['usage.budget_warning', 10]]);
    await setBudget(key, teamId, 1);
    expect(await told()).toHaveLength(3);
    // The end of a job that crosses the line tells it, too: what is spent is just less than 80 % of this.
    await setBudget(key, teamId, 10.4001);
    expect(await told()).toHaveLength(3);
    await server.finished(key, await submit(key));
    expect((await names()).slice(3)).toEqual([['usage.budget_warning', 10.4001]]);
  });
});

it('a model without a known price is refused under a budget, and the command says what to do', async () => {
  verifies('usage.budget.unknown-price');
  const { key, teamId } = await teamWith(1);
  const body = { model: 'openai:model-of-my-own' };
  const error = expectError(await execute(key, body), 'VALIDATION_ERROR');
  expect(JSON.stringify(error)).toContain('PRICE_UNKNOWN');
  await setBudget(key, teamId, 0);
  const env = { MILLRACE_URL: server.url, MILLRACE_API_KEY: key };
  const ran = await runHere(['job', 'run', '--model', PRICED_MODEL, '--prompt', 'x'], env);
  expect(ran.code).toBe(5);
  expect(ran.stderr).toMatch(/The team's budget does not cover this job: .*\n.*millrace usage/);
  await setBudget(key, teamId, null);
  expect((await execute(key, body)).status).toBe(202);
});

it('an execution whose next step does not fit ends and says that it is the team’s budget', async () => {
  verifies('usage.budget.executions');
  // A plan that takes most of what it may have: what is left then is less than the next call may cost.
  const task = planOf({ a: `owns: [a.md]\nplan: ${'word '.repeat(700)}` });
  const model = PRICED_MODEL;
  const options = { maxTokens: 1000 };
  const rich = await teamWith(5);
  const hanging = clientOf(server, rich.key);
  const open = await hanging.start({ task: `${task} [[sim:hang]]`, model, options });
  const { reservedUsd } = await budgetOf(rich.key);
  await hanging.cancel(open);
  await settled(rich.key);
  const none = { completed: 0, failed: 0, cancelled: 0 };
  expect(await executionsOf(rich.key)).toEqual({ ...none, total: 1, cancelled: 1 });

  const { key } = await teamWith(1.2 * reservedUsd);
  const client = clientOf(server, key);
  const refused = await client.create({ task, model, options: { maxTokens: 9000 } });
  expectError(refused, 'QUOTA_EXCEEDED');
  const id = await client.start({ task, model, options });
  const done = await client.ended(id);
  expect(done.status).toBe('failed');
  expect(done.result?.error?.code).toBe('BUDGET_EXCEEDED');
  expect(done.result?.error?.message).toMatch(/^The team's budget is reached: .* step a may cost/);
  await settled(key);
  expect(await executionsOf(key)).toEqual({ ...none, total: 1, failed: 1 });
});

it('nothing is submitted to a team that was deleted, or by somebody who was removed', async () => {
  verifies('teams.gone');
  const owner = await newPerson(server);
  const member = await newPerson(server);
  const teamId = (await owner.call('POST', '/v1/teams', { name: 'gone' })).body['id'] as string;
  await joinTeam(server, { teamId, userId: member.userId, role: 'member' });
  const keyOf = async (person: typeof owner) =>
    (await person.call('POST', '/api/v1/api-keys', { name: 'x', teamId })).body['key'] as string;
  const [ownerKey, memberKey] = [await keyOf(owner), await keyOf(member)];
  for (const key of [ownerKey, memberKey]) {
    await server.finished(key, await server.submit(key));
  }
  const count = async () => {
    const { rows } = await server.db.query('select 1 from jobs where team_id = $1', [teamId]);
    return rows.length;
  };
  // Without a word to the server, which remembers who they are for some seconds.
  await server.db.tx((tx) => updateMemberRole(tx, teamId, member.userId, 'viewer'));
  expect((await execute(memberKey)).status).toBe(403);
  await server.db.tx((tx) => deleteMember(tx, teamId, member.userId));
  expect([401, 403]).toContain((await execute(memberKey)).status);
  expect((await execute(ownerKey)).status).toBe(202);
  await waitUntil(async () => !(await hasOpen(teamId)), 'the end of the job');
  await server.db.tx((tx) => deleteTeam(tx, teamId));
  expect([401, 403]).toContain((await execute(ownerKey)).status);
  expect(await count()).toBe(3);
});

async function hasOpen(teamId: string): Promise<boolean> {
  const { rows } = await server.db.query(
    `select 1 from jobs where team_id = $1 and status in ('pending', 'running')`,
    [teamId],
  );
  return rows.length > 0;
}

describe('what is simulated', () => {
  it('is shown apart, and counts toward no spend, budget or cap', async () => {
    verifies('usage.simulated');
    const { key, teamId } = await teamWith(0.000_001);
    // Of itself it would cost about a dollar.
    const job = { model: 'sim-instant', maxTokens: 64_000 };
    const open = await server.submit(key, { ...job, prompt: '[[sim:hang]]' });
    await untilRunning(key, open);
    expect(await budgetOf(key)).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
    await server.call('POST', `/api/v1/job/${open}/cancel`, { key });
    const done = await server.finished(key, await server.submit(key, job));
    expect(done).toMatchObject({ status: 'completed', simulated: true });
    const client = clientOf(server, key);
    const options = { budgetUsd: 0.000_001, maxTokens: 64_000 };
    const task = planOf({ a: 'owns: [a.md]' });
    const execution = await client.ended(await client.start({ task, options }));
    expect(execution).toMatchObject({ status: 'completed', simulated: true });

    const usage = await usageOf(key);
    expect(usage).toMatchObject({ costUsd: 0, budget: { spentUsd: 0, reservedUsd: 0 } });
    const { costUsd } = execution.metrics;
    const cancelled = await server.finished(key, open);
    expect(usage.simulatedCostUsd).toBeCloseTo(costOf(done) + costOf(cancelled) + costUsd, 6);
    expect(usage.simulatedCostUsd).toBeGreaterThan(0);
    const { body: history } = await server.call('GET', '/v1/usage/history', { key });
    const { simulatedCostUsd } = usage;
    expect(history['totals']).toMatchObject({ costUsd: 0, simulatedCostUsd });
    expect(history['byModel']).toMatchObject([
      { model: 'sim-instant', costUsd: 0, simulatedCostUsd },
    ]);
    const { stdout } = await runHere(['usage'], {
      MILLRACE_URL: server.url,
      MILLRACE_API_KEY: key,
    });
    expect(stdout).toMatch(/Cost +\$0\.0000\n +Simulated +\$0\.\d+, not charged\n/);
    const { rows } = await server.db.query('select 1 from budget_events where team_id = $1', [
      teamId,
    ]);
    expect(rows).toEqual([]);
    expect(await findLedgerGaps(server.db)).toEqual([]);
    // Beside it, what costs something is refused as ever.
    expectError(await execute(key), 'QUOTA_EXCEEDED');
  });
});

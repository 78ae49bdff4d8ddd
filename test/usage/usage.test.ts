// What a team used: exact to the job, whatever became of its jobs, and the same before and after the
// ledger was rolled up.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CurrentUsage, UsageHistory } from '../../src/contract/usage-api.ts';
import { rollUpUsage } from '../../src/store/usage/usage-rollup.ts';
import { newPerson, BELIEVES_TESTS, joinTeam } from '../accounts/people.ts';
import { baseUrls } from '../providers/vendor-jobs.ts';
import { expectError } from '../support/expect-error.ts';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';

let vendors: VendorServer;
let server: TestServer;
beforeAll(async () => {
  vendors = await startVendorServer();
  server = await startTestServer({ baseUrls: baseUrls(vendors), ...BELIEVES_TESTS });
});
afterAll(async () => {
  await server?.close();
  await vendors?.close();
});

const MONTH = new Date().toISOString().slice(0, 7);
const TODAY = new Date().toISOString().slice(0, 10);

async function history(key: string, month?: string): Promise<UsageHistory> {
  const query = month === undefined ? '' : `?month=${month}`;
  const { status, body } = await server.call('GET', `/v1/usage/history${query}`, { key });
  expect(status).toBe(200);
  return body as unknown as UsageHistory;
}

async function current(key: string): Promise<CurrentUsage> {
  const { status, body } = await server.call('GET', '/v1/usage/current', { key });
  expect(status).toBe(200);
  return body as unknown as CurrentUsage;
}

async function csv(key: string, month = MONTH): Promise<string> {
  const response = await fetch(`${server.url}/v1/usage/history?month=${month}`, {
    headers: { 'x-api-key': key, accept: 'text/csv' },
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
  expect(response.headers.get('content-disposition')).toContain(`usage-${month}.csv`);
  return response.text();
}

const EMPTY = {
  jobs: 0,
  tokens: { input: 0, output: 0, cachedInput: 0 },
  costUsd: 0,
  simulatedCostUsd: 0,
  unknownPrice: { jobs: 0, calls: 0 },
  recorded: {
    runs: 0,
    tokens: { input: 0, output: 0 },
    costUsd: 0,
    unknownPrice: { calls: 0 },
  },
};

describe('a team that has used nothing', () => {
  it('gets zeros, for every day of any month', async () => {
    verifies('usage.history', 'usage.history.empty', 'usage.current', 'usage.current.shape');
    const { key } = await server.createKey({ tier: 'pro' });
    expect(await current(key)).toMatchObject({
      period: MONTH,
      periodStart: `${MONTH}-01T00:00:00.000Z`,
      tier: 'pro',
      runs: { used: 0, limit: 1000, remaining: 1000 },
      tokens: EMPTY.tokens,
      costUsd: 0,
      unknownPrice: EMPTY.unknownPrice,
      executions: { total: 0, completed: 0, failed: 0, cancelled: 0 },
      rateLimit: { requestsPerMinute: 60 },
      budget: { limitUsd: null, spentUsd: 0, reservedUsd: 0 },
    });
    for (const [month, days] of [
      ['2024-02', 29],
      ['2999-12', 31],
      ['9999-12', 31],
    ] as const) {
      const used = await history(key, month);
      expect(used).toMatchObject({ month, totals: EMPTY, byModel: [], byMember: [], byKey: [] });
      expect(used.days).toHaveLength(days);
      expect(used.days.at(-1)).toEqual({ date: `${month}-${days}`, ...EMPTY });
    }
    expect((await csv(key, '2024-02')).split('\r\n')).toHaveLength(2);
  });

  it('gets 400 for what is no month', async () => {
    verifies('usage.history.bad-month');
    const { key } = await server.createKey();
    for (const month of ['2026-13', '2026-00', '2026-1', '0000-01', 'x', '']) {
      const answer = await server.call('GET', `/v1/usage/history?month=${month}`, { key });
      expectError(answer, 'VALIDATION_ERROR');
    }
    expectError(
      await server.call('GET', '/v1/usage/history?format=pdf', { key }),
      'VALIDATION_ERROR',
    );
  });
});

/** A team with two members, who submit all kinds of jobs. */
async function busyTeam() {
  const owner = await newPerson(server);
  const member = await newPerson(server);
  const teamId = (await owner.call('POST', '/v1/teams', { name: 'busy' })).body['id'] as string;
  await joinTeam(server, { teamId, userId: member.userId, role: 'member' });
  const keyOf = async (person: typeof owner, name: string) =>
    (await person.call('POST', '/api/v1/api-keys', { name, teamId })).body['key'] as string;
  return {
    teamId,
    owner,
    member,
    ownerKey: await keyOf(owner, '=cmd|calc'),
    memberKey: await keyOf(member, 'ci, "nightly"'),
  };
}

async function cancelWhileRunning(key: string): Promise<string> {
  const id = await server.submit(key, { prompt: '[[sim:hang]]' });
  await waitUntil(async () => {
    const { body } = await server.call('GET', `/api/v1/job/${id}`, { key });
    return body['status'] === 'running';
  });
  await server.call('POST', `/api/v1/job/${id}/cancel`, { key });
  return id;
}

describe('usage', () => {
  it('adds up to the jobs of a team by day, model, member and key, before and after the roll-up', async () => {
    verifies('usage.history.shape', 'usage.unknown-price', 'usage.history.csv');
    const { ownerKey, memberKey, member, owner, teamId } = await busyTeam();
    const ids = [
      await server.submit(ownerKey),
      await server.submit(ownerKey, { prompt: '[[sim:fail 1 overloaded]] again' }),
      await server.submit(ownerKey, { prompt: '[[sim:auth]]' }),
      await cancelWhileRunning(ownerKey),
      await server.submit(memberKey, { model: 'openai:model-of-my-own' }),
      await server.submit(memberKey, { model: 'sim-fast' }),
    ];
    const jobs = await Promise.all(ids.map((id) => server.finished(ownerKey, id)));
    await waitUntil(async () => {
      const { rows } = await server.db.query<{ open: number }>(
        'select count(*)::int as open from jobs where team_id = $1 and settled_at is null',
        [teamId],
      );
      return rows[0]!.open === 0;
    });
    const sum = (pick: (job: Record<string, unknown>) => unknown) =>
      jobs.reduce((total, job) => total + ((pick(job) as number | null) ?? 0), 0);
    const tokens = (name: 'input' | 'output') =>
      sum((job) => (job['tokensUsed'] as Record<string, number>)[name]);

    const before = await history(ownerKey);
    expect(before.totals.tokens).toMatchObject({
      input: tokens('input'),
      output: tokens('output'),
    });
    // One call has no known price, and all others are simulated.
    expect(before.totals.costUsd).toBeNull();
    expect(before.totals.simulatedCostUsd).toBeCloseTo(
      sum((job) => job['costUsd']),
      9,
    );
    expect(before.totals.unknownPrice).toEqual({ jobs: 1, calls: 1 });
    expect(before.totals.jobs).toBe(6);
    expect(before.days.find(({ date }) => date === TODAY)).toMatchObject({ jobs: 6 });
    expect(before.byMember.map(({ email, jobs: count }) => [email, count])).toEqual(
      expect.arrayContaining([
        [owner.email, 4],
        [member.email, 2],
      ]),
    );
    expect(before.byModel.find(({ model }) => model === 'model-of-my-own')).toMatchObject({
      jobs: 1,
      costUsd: null,
      unknownPrice: { jobs: 1, calls: 1 },
    });
    const keyNames = before.byKey.map(({ name }) => name);
    expect(new Set(keyNames)).toEqual(new Set(['=cmd|calc', 'ci, "nightly"']));
    for (const list of [before.days, before.byModel, before.byMember, before.byKey]) {
      expect(list.reduce((total, entry) => total + entry.jobs, 0)).toBe(6);
    }

    const table = await csv(ownerKey);
    // A reader that runs what looks like a formula shows it instead.
    expect(table).toContain(`,'=cmd|calc,`);
    expect(table).toContain(',"ci, ""nightly""",');
    expect(table).toMatch(/^[^\n]*model-of-my-own[^\n]*,,1,1,0\r$/m);

    const cli = (...args: string[]) =>
      runHere(['usage', ...args], { MILLRACE_URL: server.url, MILLRACE_API_KEY: ownerKey });
    const shown = await cli('--by', 'member');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(`Usage in ${MONTH}`);
    expect(shown.stdout).toMatch(
      /Cost +unknown: 1 call at an unknown price \(1 job\)\n +Simulated +\$0\.\d+, not charged\n/,
    );
    expect(shown.stdout).toMatch(/Runs +6 \(no limit\)/);
    expect(shown.stdout).toMatch(new RegExp(`^${member.email} +2 .* unknown +\\$0\\.\\d+$`, 'm'));
    expect(shown.stdout).toMatch(/^total +6 /m);
    expect((await cli('--by', 'model')).stdout).toMatch(/^openai:model-of-my-own +1 .*unknown *$/m);
    expect((await cli()).stdout).toMatch(new RegExp(`^${TODAY} +6 `, 'm'));
    const keyTable = (await cli('--by', 'key', '--csv')).stdout.split('\r\n');
    expect(keyTable[0]).toMatch(/^key,jobs,input_tokens,/);
    expect(keyTable.some((row) => row.startsWith(`'=cmd|calc,4,`))).toBe(true);
    expect(JSON.parse((await cli('--json')).stdout)).toMatchObject({
      ...before,
      current: { period: MONTH },
    });
    const past = JSON.parse((await cli('--json', '--month', '2024-02')).stdout) as object;
    expect(past).not.toHaveProperty('current');
    for (const wrong of [
      ['--month', '2026-13'],
      ['--by', 'week'],
      ['--csv', '--json'],
    ]) {
      expect((await cli(...wrong)).code).toBe(2);
    }

    await rollUpUsage(server.db, 0);
    expect(await history(ownerKey)).toEqual(before);
    expect(await csv(ownerKey)).toBe(table);
    await server.finished(memberKey, await server.submit(memberKey));
    expect((await history(memberKey)).totals.jobs).toBe(7);
    await rollUpUsage(server.db, 0);
    expect((await history(memberKey)).totals.jobs).toBe(7);
    const { tokens: now, costUsd, unknownPrice } = await current(memberKey);
    expect({ tokens: now, costUsd, unknownPrice }).toEqual({
      tokens: (await history(memberKey)).totals.tokens,
      costUsd: (await history(memberKey)).totals.costUsd,
      unknownPrice: { jobs: 1, calls: 1 },
    });
    expect(await findLedgerGaps(server.db)).toEqual([]);
  });

  it('models have prices, and those that nobody knows have none', async () => {
    verifies('usage.prices');
    const { key } = await server.createKey({ scopes: ['jobs'] });
    const models = encodeURIComponent('sim-fast, openai:gpt-4o,openai:no-such,who-knows');
    const { body } = await server.call('GET', `/api/v1/prices?models=${models}`, { key });
    const [simulated, known, unknown, nobodys] = body['items'] as Record<string, unknown>[];
    expect(simulated).toEqual({
      model: 'sim-fast',
      provider: 'simulator',
      inputUsd: 3,
      cachedInputUsd: 0.3,
      outputUsd: 15,
    });
    expect(known).toMatchObject({ model: 'openai:gpt-4o', provider: 'openai' });
    expect(known!['inputUsd']).toBeGreaterThan(known!['cachedInputUsd'] as number);
    const none = { inputUsd: null, cachedInputUsd: null, outputUsd: null };
    expect(unknown).toEqual({ model: 'openai:no-such', provider: 'openai', ...none });
    expect(nobodys).toEqual({ model: 'who-knows', provider: null, ...none });
    expectError(
      await server.call('GET', '/api/v1/prices?models=a,,b', { key }),
      'VALIDATION_ERROR',
    );
    expectError(await server.call('GET', '/api/v1/prices', { key }), 'VALIDATION_ERROR');
  });

  it('is the team’s: members read it with a key for billing, others not at all', async () => {
    verifies('usage.access');
    const { key, email } = await server.createKey({ scopes: ['jobs'] });
    expectError(await server.call('GET', '/v1/usage/current', { key }), 'FORBIDDEN');
    const billing = (await server.createKey({ email, scopes: ['billing'] })).key;
    await server.finished(key, await server.submit(key));
    expect((await history(billing)).totals.jobs).toBe(1);
    const stranger = await server.createKey();
    expect((await history(stranger.key)).totals.jobs).toBe(0);
  });
});

describe('runs that a client recorded', () => {
  const record = (key: string, id: string, startedAt: string, costUsd: number | null) =>
    server.call('PUT', `/api/v1/history/${id}`, {
      key,
      body: {
        run: { feature: 'f', status: 'complete', startedAt },
        streams: [
          { streamId: 'a', status: 'complete', tokensInput: 10, tokensOutput: 5, costUsd },
          { streamId: 'done-here', status: 'complete', tokensInput: 99, costUsd: 9 },
        ],
      },
    });

  it('are a source of their own, counted once however often they are recorded', async () => {
    verifies('usage.recorded');
    const { key } = await server.createKey();
    const now = new Date().toISOString();
    await server.finished(key, await server.submit(key, { runId: 'told', streamId: 'done-here' }));
    const before = await history(key);
    for (const cost of [1, 2, 3]) await record(key, 'told', now, cost);
    const after = await history(key);
    expect(after.totals).toEqual({
      ...before.totals,
      recorded: {
        runs: 1,
        tokens: { input: 10, output: 5 },
        costUsd: 3,
        unknownPrice: { calls: 0 },
      },
    });
    expect(after.days.find(({ date }) => date === TODAY)?.recorded.costUsd).toBe(3);
    expect(after.byMember[0]?.recorded.runs).toBe(1);
    const { budget, costUsd } = await current(key);
    expect(budget.spentUsd).toBeCloseTo(3 + (costUsd ?? 0), 9);
    expect(await csv(key)).toMatch(/^[^\n]*,recorded,,,[^\n]*,,1,10,5,,3,,0,\r$/m);

    await record(key, 'told', '2025-03-31T23:59:59Z', null);
    expect((await history(key)).totals).toEqual(before.totals);
    const moved = await history(key, '2025-03');
    expect(moved.days.at(-1)?.recorded).toMatchObject({
      costUsd: null,
      unknownPrice: { calls: 1 },
    });
    expect((await current(key)).budget.spentUsd).toBeCloseTo(costUsd ?? 0, 9);
  });
});

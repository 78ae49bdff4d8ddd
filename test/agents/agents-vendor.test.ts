// Command-line agents with a vendor behind the endpoint: what the ledger has is what the vendor counted, whether an agent
// finishes its task or is stopped in the middle of an answer.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { openEvents } from '../support/sse.ts';
import { AGENTS, areInstalled, settle, startAgent } from './installed-agents.ts';
import type { RunningAgent } from './installed-agents.ts';
import { startScriptedVendor } from './scripted-vendor.ts';
import type { ScriptedVendor } from './scripted-vendor.ts';

const SAID = 'So far and no further.';

interface Job {
  jobId: string;
  kind: string;
  status: string;
  errorCode?: string;
  usageEstimated: boolean;
  cachedInputTokens: number;
  tokensUsed: { input: number; output: number };
}

describe.skipIf(!areInstalled).each(Object.entries(AGENTS))('%s', (name, agent) => {
  let folder: string;
  let vendor: ScriptedVendor;
  let server: TestServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-agents-'));
    vendor = await startScriptedVendor();
    server = await startTestServer(vendor.settings);
  });
  afterAll(async () => {
    await server?.close();
    await vendor?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  /** A team whose budget every call reserves from. */
  async function begin(home: string) {
    const { key, email } = await server.createKey();
    const teamId = await server.teamId(email);
    const body = { settings: { budgetUsd: 50 } };
    const { status } = await server.call('PATCH', `/v1/teams/${teamId}`, { key, body });
    expect(status).toBe(200);
    const { model } = agent;
    const where = settle(name, join(folder, home), { endpoint: `${server.url}/model`, key, model });
    return { key, where };
  }

  async function settledBudget(key: string) {
    return waitUntil(async () => {
      const { body } = await server.call('GET', '/v1/usage/current', { key });
      const { budget } = body as { budget: { spentUsd: number; reservedUsd: number } };
      return budget.reservedUsd === 0 ? budget : undefined;
    }, 'the settling of every call');
  }

  /** Until the live view of the running call has this text. */
  async function untilShown(key: string, text: string): Promise<void> {
    const jobId = await waitUntil(async () => {
      const { body } = await server.call('GET', '/api/v1/jobs?status=running', { key });
      return (body['items'] as { jobId: string }[])[0]?.jobId;
    }, 'the running call');
    const url = `${server.url}/api/v1/job/${jobId}/events`;
    const events = await openEvents(url, { 'x-api-key': key });
    let shown = '';
    await events.until(({ data }) => (shown += JSON.stringify(data)).includes(text));
    events.close();
  }

  async function jobsOf(key: string): Promise<Job[]> {
    const { body } = await server.call('GET', '/api/v1/jobs?limit=100', { key });
    const items = body['items'] as { jobId: string }[];
    return Promise.all(items.map(({ jobId }) => server.finished(key, jobId))) as Promise<
      unknown[]
    > as Promise<Job[]>;
  }

  const sums = (all: readonly { input: number; cached: number; output: number }[]) => {
    const sum = (pick: (one: (typeof all)[number]) => number) =>
      all.reduce((total, one) => total + pick(one), 0);
    return {
      calls: all.length,
      input: sum(({ input }) => input),
      cached: sum(({ cached }) => cached),
      output: sum(({ output }) => output),
    };
  };
  const counted = (jobs: readonly Job[]) =>
    sums(jobs.map((job) => ({ ...job.tokensUsed, cached: job.cachedInputTokens })));

  test('writes two files in three turns, and the ledger has what the vendor counted', async () => {
    const { key, where } = await begin('whole');
    const paths = ['a.txt', 'b.txt'].map((file) => join(where.cwd, file));
    const calls = paths.map((path, index) => agent.writes(path, `file ${index}`));
    vendor.play({
      tool: calls[0]!.name,
      turns: [
        ...calls.map((call) => ({ text: 'I write a file.', call })),
        { text: 'Both are there.' },
      ],
    });
    const run = startAgent(agent, 'Write two files.', where);
    await run.ended;
    expect(
      paths.map((path) => existsSync(path) && readFileSync(path, 'utf8')),
      `${name} said:\n${run.output()}`,
    ).toEqual(['file 0', 'file 1']);
    expect(run.output()).toContain('Both are there.');
    const budget = await settledBudget(key);
    const jobs = await jobsOf(key);
    expect(vendor.calls.length).toBeGreaterThanOrEqual(3);
    expect(counted(jobs)).toEqual(sums(vendor.calls.map(({ used }) => used)));
    expect(new Set(jobs.map((job) => `${job.kind} ${job.status} ${job.usageEstimated}`))).toEqual(
      new Set(['call completed false']),
    );
    expect(budget.spentUsd).toBeGreaterThan(0);
    expect(await findLedgerGaps(server.db)).toEqual([]);
  });

  test('is stopped by ctrl-c in the middle of an answer, and what it used is counted', async () => {
    const { key, where } = await begin('stopped');
    const call = agent.writes(join(where.cwd, 'a.txt'), 'file');
    vendor.play({
      tool: call.name,
      turns: [{ text: 'I write a file.', call }, { text: SAID }],
      holdsLast: true,
    });
    const run = startAgent(agent, 'Write a file, then talk.', where);
    const held = await waitUntil(
      () => vendor.calls.find(({ isHeld }) => isHeld),
      'the answer that does not end',
    );
    await untilShown(key, SAID);
    interrupt(run.child.pid!);
    await waitUntil(() => held.raw.isAborted || undefined, 'the end of the connection');
    await stopSurely(run);
    const budget = await settledBudget(key);
    const jobs = await jobsOf(key);
    const [stopped, ...more] = jobs.filter(({ errorCode }) => errorCode === 'CANCELLED');
    expect(more).toEqual([]);
    expect(stopped).toMatchObject({ kind: 'call', usageEstimated: true });
    expect(stopped!.tokensUsed.output).toBeGreaterThan(0);
    // Anthropic alone says at the beginning what it has read; Google says it with every piece.
    if (agent.provider === 'openai') expect(stopped!.tokensUsed.input).toBeGreaterThan(0);
    else {
      expect(stopped!.tokensUsed.input).toBe(held.used.input);
      expect(stopped!.cachedInputTokens).toBe(held.used.cached);
    }
    // All others are exact, and none is missing.
    expect(jobs.length).toBe(vendor.calls.length);
    expect(counted(jobs.filter((job) => job !== stopped))).toEqual(
      sums(vendor.calls.filter((one) => one !== held).map(({ used }) => used)),
    );
    expect(budget.spentUsd).toBeGreaterThan(0);
    expect(await findLedgerGaps(server.db)).toEqual([]);
  });
});

/** Ctrl-c reaches the whole process group. */
const interrupt = (pid: number) => process.kill(-pid, 'SIGINT');

/** Some ask to be interrupted once more. */
async function stopSurely({ child, ended }: RunningAgent): Promise<void> {
  const again = setInterval(() => {
    try {
      interrupt(child.pid!);
    } catch {
      // It has ended.
    }
  }, 1000);
  await ended;
  clearInterval(again);
}

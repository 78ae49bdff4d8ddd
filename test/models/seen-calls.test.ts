// What people see of calls through the model endpoint: in the list of jobs, one by one, and by key and day.
import { expect, it } from 'vitest';
import type { JobPage } from '../../src/contract/job-list-api.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { UsageHistory } from '../../src/contract/usage-api.ts';
import { LIST_CALLS } from '../../src/store/usage/usage-cells.ts';
import { rollUpUsage } from '../../src/store/usage/usage-rollup.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

const TODAY = () => new Date().toISOString().slice(0, 10);

async function ask(credential: string, content = 'Say hello.'): Promise<Response> {
  const response = await fetch(`${server().url}/model/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': credential },
    body: JSON.stringify({
      model: 'sim-fast',
      max_tokens: 300,
      messages: [{ role: 'user', content }],
    }),
  });
  await response.text();
  return response;
}

async function jobs(key: string, query = ''): Promise<JobPage['items']> {
  const { status, body } = await server().call('GET', `/api/v1/jobs${query}`, { key });
  expect(status).toBe(200);
  return (body as unknown as JobPage).items;
}

async function history(key: string): Promise<UsageHistory> {
  return (await server().call('GET', '/v1/usage/history', { key })).body as unknown as UsageHistory;
}

/** A person with two keys, a job, two calls of no run and one of a stream. */
async function person() {
  const { key, id, email } = await server().createKey();
  const agent = await server().createKey({ email, scopes: ['models'] });
  await server().db.query(`update api_keys set name = 'agent' where id = $1`, [agent.id]);
  await server().finished(key, await server().submit(key));
  for (const credential of [key, agent.key, agent.key]) {
    expect((await ask(credential)).status).toBe(200);
  }
  const stream = { runId: `run-${id}`, streamId: 'docs', attempt: 1, fence: 1 };
  const token = await server().call('POST', '/v1/stream-tokens', {
    key,
    body: { ...stream, models: ['sim-fast'] },
  });
  expect((await ask(token.body['token'] as string)).status).toBe(200);
  // A client has its answer a moment before the call is in the books.
  await waitUntil(async () => (await jobs(key, '?status=running')).length === 0);
  return { key, agent, email, runId: stream.runId };
}

it('jobs are listed by kind, and each names its key', async () => {
  const { key, agent, runId } = await person();
  const all = await jobs(key);
  expect(all.map(({ kind }) => kind)).toEqual(['call', 'call', 'call', 'call', 'job']);
  expect((await jobs(key, '?kind=job')).map(({ jobId }) => jobId)).toEqual([all[4]!.jobId]);
  const calls = await jobs(key, '?kind=call&status=completed&model=sim-fast');
  expect(calls).toEqual(all.slice(0, 4));
  expect(calls.map((each) => each.apiKey?.name)).toEqual([
    calls[3]!.apiKey!.name,
    'agent',
    'agent',
    calls[3]!.apiKey!.name,
  ]);
  expect(calls.map((each) => each.runId)).toEqual([runId, null, null, null]);
  expect(await jobs(key, `?kind=call&runId=${runId}`)).toEqual([calls[0]]);
  const wrong = await server().call('GET', '/api/v1/jobs?kind=calls', { key });
  expect(wrong.status).toBe(400);

  const { body } = await server().call('GET', `/api/v1/job/${calls[1]!.jobId}?view=full`, { key });
  expect(body).toMatchObject({
    kind: 'call',
    runId: null,
    apiKey: { id: agent.id, name: 'agent' },
  });
  // It says who called when the key is gone, too.
  await server().db.query('delete from api_keys where id = $1', [agent.id]);
  expect((await jobs(key, '?kind=call'))[1]!.apiKey).toEqual({ id: agent.id, name: null });
});

it('calls of no run are added up by key and day, before and after a roll-up', async () => {
  const { key, agent } = await person();
  const before = await history(key);
  expect(before.totals.jobs).toBe(5);
  const { callsByKeyAndDay: lines } = before;
  expect(lines.map(({ date, name, jobs: count }) => [date, name, count])).toEqual([
    [TODAY(), 'agent', 2],
    [TODAY(), expect.any(String), 1],
  ]);
  expect(lines[0]!.keyId).toBe(agent.id);
  const own = (await jobs(key, '?kind=call')).slice(1, 3);
  const tokens = own.reduce((sum, { tokensUsed }) => sum + tokensUsed.output, 0);
  expect(lines[0]!.tokens.output).toBe(tokens);
  await rollUpUsage(server().db, 0);
  expect(await history(key)).toEqual(before);
  await ask(agent.key);
  await waitUntil(async () => (await history(key)).callsByKeyAndDay[0]!.jobs === 3);
});

it('the command line lists calls, shows one with its facts, and adds them up', async () => {
  const { key, runId } = await person();
  const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  const cli = async (...args: string[]) => {
    const ran = await runHere(args, env);
    expect(ran.code, ran.stderr).toBe(0);
    return ran;
  };
  const { stdout } = await cli('job', 'list', '--kind', 'call');
  const [head, ofRun, ofAgent, ...others] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +KIND +STATUS +MODEL +INPUT +OUTPUT +COST +SUBMITTED +STREAM$/);
  expect(ofRun).toMatch(/^job_\S+ +call +completed +sim-fast .* docs$/);
  expect(ofAgent).toMatch(/ key agent$/);
  expect(others).toHaveLength(2);
  expect((await cli('job', 'list', '--kind', 'job')).stdout.trimEnd().split('\n')).toHaveLength(2);
  const page = await cli('job', 'list', '--kind', 'call', '--limit', '1');
  expect(page.stderr).toMatch(/job list --kind call --before job_/);
  const json = await cli('job', 'list', '--run', runId, '--json');
  expect((JSON.parse(json.stdout) as JobPage).items).toHaveLength(1);

  const [id = ''] = ofRun!.split(' ');
  const shown = await cli('job', 'get', id);
  expect(shown.stdout).not.toBe('');
  for (const line of [
    /^Model {2}sim-fast \(simulated\)$/m,
    /^Key {4}.+ \(key_\w+\)$/m,
    new RegExp(`^Run {4}${runId}, stream docs$`, 'm'),
    /^Tokens \d+ in.*, \d+ out/m,
    /^Cost {3}\$0\.\d{4}$/m,
  ]) {
    expect(shown.stderr).toMatch(line);
  }
  await server().db.query(
    `update jobs set tokens_cached = 1, tokens_reasoning = 2, usage_estimated = true where run_id = $1`,
    [runId],
  );
  const marked = await cli('job', 'get', id);
  expect(marked.stderr).toMatch(
    /^Tokens \d+ in \(1 cached\), \d+ out \(2 reasoning\), estimated$/m,
  );
  const ofJob = (await jobs(key, '?kind=job'))[0]!.jobId;
  expect((await cli('job', 'get', ofJob)).stderr).not.toMatch(/^Key/m);

  const usage = await cli('usage', '--by', 'calls');
  expect(usage.stdout).toMatch(/^DAY +KEY +CALLS /m);
  expect(usage.stdout).toMatch(new RegExp(`^${TODAY()} +agent +2 `, 'm'));
  expect(usage.stdout).toMatch(/^ +total +3 /m);
  const csv = await cli('usage', '--by', 'calls', '--csv');
  expect(csv.stdout).toMatch(new RegExp(`^${TODAY()},agent,2,`, 'm'));
});

it('the rules for models are set on the command line, and what is wrong with one is said', async () => {
  const { key } = await server().createKey({ scopes: [...SCOPES] });
  const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  const update = (...args: string[]) => runHere(['team', 'update', ...args], env);
  const changed = await update(
    '--allowed-models',
    'claude-*, gpt-*',
    '--max-call-cost',
    '$2.50',
    '--store-model-calls',
    'on',
  );
  expect(changed.code, changed.stderr).toBe(0);
  expect(changed.stdout).toMatch(/allowedModels {2}claude-\*, gpt-\*$/m);
  expect(changed.stdout).toMatch(/maxCallCostUsd {2}2\.5$/m);
  expect(changed.stdout).toMatch(/storeModelCalls {2}true$/m);
  const refused = await ask(key);
  expect(refused.status).toBe(403);
  for (const [args, says] of [
    [['--allowed-models', 'claude-*,,'], 'must be model ids, separated by commas'],
    [['--max-call-cost', '0'], 'must be dollars, such as 2.50'],
    [['--store-model-calls', 'maybe'], 'Allowed choices are on, off'],
  ] as const) {
    const { code, stderr } = await update(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  }
  const freed = await update('--allowed-models', 'none', '--max-call-cost', 'none');
  expect(freed.stdout).not.toMatch(/allowedModels|maxCallCostUsd/);
  expect((await ask(key)).status).toBe(200);
  const { body } = await server().call('GET', '/v1/audit?action=team.updated', { key });
  expect((body['items'] as object[])[1]).toMatchObject({
    after: { settings: { allowedModels: ['claude-*', 'gpt-*'], maxCallCostUsd: 2.5 } },
  });
});

it('calls of one team are found without reading those of others', async () => {
  const rollBack = new Error('roll back');
  const tried = server().db.tx(async (tx) => {
    await tx.query(
      `insert into usage_ledger (job_id, attempt, team_id, user_id, provider, model, tokens_input,
         tokens_output, tokens_cached, tokens_cache_write, estimated, outcome, is_single_call)
       select 'job_' || i, 1, case when i % 50 = 0 then 'team_own' else 'team_other' end, 'u', 'simulator',
         'm', 1, 1, 0, 0, false, 'completed', true from generate_series(1, 20000) i`,
    );
    await tx.query('analyze usage_ledger');
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off) ${LIST_CALLS.text}`,
      ['team_own', '2020-01-01', '2099-01-01'],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('usage_ledger_by_team');
    expect(plan).not.toMatch(/Seq Scan on usage_(ledger|call_days)|Rows Removed by Filter: \d{4}/);
    throw rollBack;
  });
  await expect(tried).rejects.toBe(rollBack);
});

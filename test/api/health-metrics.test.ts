import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { fromRoot } from '../pins/tree.ts';
import { useServer } from '../support/use-server.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

async function samplesText(): Promise<string> {
  const response = await fetch(`${server().url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}

/** Every sample of a metric, by its labels. */
async function samples(name: string): Promise<Map<string, number>> {
  const lines = (await samplesText()).split('\n');
  return new Map(
    lines
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => {
        const space = line.lastIndexOf(' ');
        return [line.slice(name.length, space), Number(line.slice(space + 1))] as const;
      }),
  );
}

it('healthz says that the process lives, and which version', async () => {
  verifies('http.healthz', 'http.success.ok');
  const { status, body } = await server().call('GET', '/healthz');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

it('readyz says that requests can be served', async () => {
  verifies('http.readyz');
  const { status, body } = await server().call('GET', '/readyz');
  expect(status).toBe(200);
  expect(body).toEqual({ status: 'ready' });
});

it('readyz says no where a submit would be refused, although the database answers', async () => {
  verifies('http.readyz');
  const { db, call, createKey, databaseUrl } = server();
  const { key } = await createKey();
  const name = new URL(databaseUrl).pathname.slice(1);
  const setReadOnly = async (value: string) => {
    // Sessions keep what they began with.
    await db.tx(async (tx) => {
      await tx.query('set local transaction_read_only = off');
      await tx.query(`alter database "${name}" ${value}`);
    });
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  };
  await setReadOnly('set default_transaction_read_only = on');
  try {
    const refused = await waitUntil(async () => {
      const answer = await call('GET', '/readyz');
      // Until the sessions of before have ended, the database may also be out of reach.
      return JSON.stringify(answer.body).includes('read-only') ? answer : undefined;
    }, 'not ready');
    expect(refused.status).toBe(503);
    const body = { streamId: 's', prompt: 'x', model: 'sim-instant', maxTokens: 9 };
    expect((await call('POST', '/api/v1/execute', { key, body })).status).toBe(503);
  } finally {
    await setReadOnly('reset default_transaction_read_only');
  }
  await waitUntil(async () => (await call('GET', '/readyz')).status === 200, 'ready again');
});

it('metrics count requests, submits and ended jobs', async () => {
  verifies('http.metrics');
  const { key } = await server().createKey();
  const before = await samples('millrace_jobs_submitted_total');
  const jobs = [await server().submit(key), await server().submit(key, { prompt: '[[sim:auth]]' })];
  for (const id of jobs) await server().finished(key, id);
  await server().call('GET', '/api/v1/job/none', { key });
  const accepted = '{outcome="accepted"}';
  const after = await samples('millrace_jobs_submitted_total');
  expect((after.get(accepted) ?? 0) - (before.get(accepted) ?? 0)).toBe(2);
  const ended = await samples('millrace_jobs_ended_total');
  expect(ended.get('{outcome="completed"}')).toBe(1);
  expect(ended.get('{outcome="failed"}')).toBe(1);
  const requests = await samples('millrace_http_requests_total');
  expect(requests.get('{method="POST",route="/api/v1/execute",status="202"}')).toBe(2);
  // By route, not by path: ids would make a series each.
  expect(requests.get('{method="GET",route="/api/v1/job/:id",status="404"}')).toBe(1);
  expect([...requests.keys()].join('')).not.toContain(jobs[0]);
  expect((await samples('millrace_jobs_running')).get('')).toBe(0);
  expect((await samples('process_resident_memory_bytes')).size).toBe(1);
});

it('metrics count tokens and cost by model, what is simulated apart', async () => {
  verifies('http.metrics');
  const { key } = await server().createKey();
  const labels = 'provider="simulator",model="sim-instant",simulated="true"';
  const tokens = async () => {
    const all = await samples('millrace_tokens_total');
    const of = (direction: string) => all.get(`{${labels},direction="${direction}"}`) ?? 0;
    return { input: of('input'), output: of('output') };
  };
  const costs = async () => (await samples('millrace_cost_usd_total')).get(`{${labels}}`) ?? 0;
  const before = { ...(await tokens()), cost: await costs() };
  const job = await server().finished(key, await server().submit(key));
  const after = { ...(await tokens()), cost: await costs() };
  const used = job['tokensUsed'] as { input: number; output: number };
  expect(used.output).toBeGreaterThan(0);
  expect({
    input: after.input - before.input,
    output: after.output - before.output,
  }).toMatchObject(used);
  expect(after.cost - before.cost).toBeCloseTo(job['costUsd'] as number, 12);
});

it('metrics show the use and the speed of the database, and whether the server is ready', async () => {
  const { db, createKey, submit } = server();
  const { key } = await createKey();
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holding = db.tx(async (tx) => {
    await tx.query('select 1 from teams for update');
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const submitting = submit(key);
  const connections = await waitUntil(async () => {
    const found = await samples('millrace_database_connections');
    return found.get('{state="used"}')! >= 1 ? found : undefined;
  }, 'a transaction that waits for the lock').catch((error: unknown) => {
    held.resolve();
    throw error;
  });
  expect(connections.get('{state="idle"}')).toBeGreaterThanOrEqual(0);
  const limit = (await samples('millrace_database_connections_limit')).get('');
  expect(limit).toBeGreaterThanOrEqual(connections.get('{state="used"}')!);
  expect((await samples('millrace_database_waiting')).get('')).toBe(0);
  const transactions = async () =>
    (await samples('millrace_database_seconds_count')).get('{kind="transaction"}') ?? 0;
  const before = await transactions();
  held.resolve();
  await Promise.all([holding, submitting]);
  expect(await transactions()).toBeGreaterThan(before);
  const statements = (await samples('millrace_database_seconds_count')).get('{kind="statement"}');
  expect(statements).toBeGreaterThan(0);
  expect((await samples('millrace_ready')).get('')).toBe(1);
});

it('none of them asks for a key', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
    expect((await fetch(server().url + path)).status, path).toBe(200);
  }
});

it('dashboards, alerts and docs name only metrics that there are, and the docs name all of ours', async () => {
  const types = [...(await samplesText()).matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const known = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [name, `${name}_bucket`] : [name],
  );
  const textOf = (path: string) => readFileSync(fromRoot(path), 'utf8');
  const namesIn = (text: string): string[] =>
    text.match(/\b(?:millrace|process|nodejs)_[a-z0-9_]+/g) ?? [];
  const alerts = parse(textOf('examples/grafana/alerts.yml')) as {
    groups: { rules: { expr: string }[] }[];
  };
  const rules = alerts.groups.flatMap((group) => group.rules);
  for (const { expr } of rules) expect(namesIn(expr)).not.toEqual([]);
  const dashboard = JSON.parse(textOf('examples/grafana/dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const shown = dashboard.panels.flatMap(({ targets }) => targets);
  const docs = namesIn(textOf('docs/observability.md'));
  const used = [...rules, ...shown].flatMap(({ expr }) => namesIn(expr));
  expect([...used, ...docs].filter((name) => !known.includes(name))).toEqual([]);
  const ours = types.map(([, name = '']) => name).filter((name) => name.startsWith('millrace_'));
  expect(ours.filter((name) => !docs.includes(name))).toEqual([]);
});

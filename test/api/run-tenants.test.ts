// Runs of two teams under one id, in every state that a run can be in: neither reads, changes or blocks the other's.
import { afterEach, expect, it } from 'vitest';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { applyRetention } from '../../src/engine/retention.ts';
import { jobsOf, runsOf, streamsOf } from '../../src/store/export/team-rows.ts';
import { ageRun, daysAgo, moveOld } from '../support/old-jobs.ts';
import { openEvents } from '../support/sse.ts';
import type { EventReader } from '../support/sse.ts';
import { useServer } from '../support/use-server.ts';
import { bearer, useRemoteClients } from '../tools/remote-client.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();
const clients = useRemoteClients();
const readers: EventReader[] = [];
afterEach(() => readers.splice(0).forEach((reader) => reader.close()));

const SECRET = 'only-for-the-owner';
const SUMMARY = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
const STREAM = { streamId: 'api', status: 'complete', filesChanged: [`src/${SECRET}.ts`] };

function record(text: string) {
  const startedAt = new Date().toISOString();
  const run = { feature: text, status: 'complete', startedAt, durationMs: 1 };
  return { run, streams: [STREAM] };
}

function reportOf(text: string, seq: number) {
  const ts = '2026-01-01T00:00:00.000Z';
  const file = { path: 'a.ts', kind: 'edit', additions: 1, deletions: 0, patch: `+${text}` };
  return {
    name: text,
    events: [{ v: 1, seq, ts, type: 'run.note', code: 'X', message: text }],
    summary: { ...SUMMARY, problem: text, models: [text] },
    manifest: { text },
    changes: [{ streamId: 'api', files: [file] }],
  };
}

class Tenant {
  readonly key: string;
  readonly email: string;
  constructor({ key, email }: { key: string; email: string }) {
    this.key = key;
    this.email = email;
  }
  async call(method: string, path: string, body?: unknown) {
    return server().call(method, path, { key: this.key, ...(body === undefined ? {} : { body }) });
  }
  report = (id: string, text: string, seq = 1) =>
    this.call('POST', `/api/v1/runs/${id}/events`, reportOf(text, seq));
  job = (id: string, text: string, more: object = {}) =>
    this.call('POST', '/api/v1/execute', {
      streamId: 'api',
      prompt: text,
      model: 'sim-instant',
      maxTokens: 50,
      feature: text,
      runId: id,
      ...more,
    });
  put = (id: string, text: string) => this.call('PUT', `/api/v1/history/${id}`, record(text));
  async finishedJob(id: string, text: string) {
    const { body } = await this.job(id, text);
    await server().finished(this.key, body['jobId'] as string);
    return body['jobId'] as string;
  }
  /** Everything that can be read of a run by its id. */
  async view(id: string) {
    const paths = [
      `/api/v1/history/${id}`,
      `/api/v1/runs/${id}/changes`,
      `/api/v1/runs/${id}/manifest`,
      `/api/v1/runs/${id}/shares`,
      `/api/v1/jobs?runId=${id}`,
    ];
    const answers = await Promise.all(paths.map((path) => this.call('GET', path)));
    return answers.map(({ status, body }) => ({ status, body }));
  }
  /** The first message about the run. */
  firstOf = (id: string) => this.firstOn(`run:${id}`);
  async firstOn(topic: string) {
    const url = `${server().url}/api/v1/events?topics=${topic}`;
    const reader = await openEvents(url, { 'x-api-key': this.key });
    readers.push(reader);
    return reader.next();
  }
}

const newTenant = async () => new Tenant(await server().createKey());

/** Each makes a run of the owner and returns its id. */
const STATES: Record<string, (owner: Tenant) => Promise<string>> = {
  async 'only reported'(owner) {
    await owner.report('reported', SECRET);
    return 'reported';
  },
  async 'of jobs'(owner) {
    await owner.finishedJob('of-jobs', SECRET);
    return 'of-jobs';
  },
  async recorded(owner) {
    await owner.put('recorded', SECRET);
    return 'recorded';
  },
  async 'reported, of jobs and recorded'(owner) {
    await owner.report('everything', SECRET);
    await owner.finishedJob('everything', SECRET);
    await owner.put('everything', SECRET);
    await owner.call('POST', '/api/v1/runs/everything/shares', { expiresIn: '1h' });
    return 'everything';
  },
  async archived(owner) {
    await owner.finishedJob('archived', SECRET);
    await ageRun(server().db, 'archived', daysAgo(3));
    expect(await moveOld(server().db)).toBe(1);
    return 'archived';
  },
  async 'of an execution'(owner) {
    const body = { task: SECRET, model: 'sim-instant' };
    const made = await owner.call('POST', '/v1/executions', body);
    const path = `/v1/executions/${made.body['id'] as string}`;
    await expect.poll(async () => (await owner.call('GET', path)).body['status']).toBe('completed');
    return (await owner.call('GET', path)).body['runId'] as string;
  },
};

const REFUSED: [method: string, path: string, body?: object][] = [
  ['GET', '/api/v1/history/:id'],
  ['PUT', '/api/v1/history/:id', record('mine')],
  ['GET', '/api/v1/runs/:id/changes'],
  ['GET', '/api/v1/runs/:id/manifest'],
  ['POST', '/api/v1/runs/:id/cancel'],
  ['GET', '/api/v1/runs/:id/shares'],
  ['POST', '/api/v1/runs/:id/shares', { expiresIn: '1h' }],
  ['DELETE', '/api/v1/runs/:id/shares/shr_01jcq8z5e0e5v8r3m6k1t2w9xh'],
];

it.each(Object.keys(STATES))('a run that is %s is refused to others by its id', async (state) => {
  verifies('auth.foreign-resource', 'history.put.foreign');
  const [owner, other] = [await newTenant(), await newTenant()];
  const id = await STATES[state]!(owner);
  const before = await owner.view(id);
  for (const [method, path, body] of REFUSED) {
    const answer = await other.call(method, path.replace(':id', id), body);
    expect(answer.status, `${method} ${path}`).toBe(403);
    expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  }
  expect(await other.firstOf(id)).toMatchObject({
    event: 'refused',
    data: { data: { code: 'FORBIDDEN' } },
  });
  expect((await other.call('GET', `/api/v1/jobs?runId=${id}`)).body['items']).toEqual([]);
  expect(await owner.view(id)).toEqual(before);
});

it.each(Object.keys(STATES))(
  'a run of one’s own under the id of one that is %s is apart from it',
  async (state) => {
    const [owner, other] = [await newTenant(), await newTenant()];
    const id = await STATES[state]!(owner);
    const before = await owner.view(id);
    // Open, so that there would be something to cancel.
    expect((await other.job(id, 'mine', { prompt: '[[sim:hang]]' })).status).toBe(202);
    expect((await other.report(id, 'mine')).body).toEqual({ lastSeq: 1, cancelRequested: false });
    expect((await other.put(id, 'mine')).status).toBe(200);
    const share = await other.call('POST', `/api/v1/runs/${id}/shares`, {
      expiresIn: '1h',
      includeChanges: true,
    });
    expect(share.status).toBe(201);

    const seen = await other.view(id);
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [shareId, token] = [share.body['id'] as string, share.body['token'] as string];
    const look = (path: string) =>
      server().call('GET', `/api/v1/shared/${shareId}${path}`, {
        headers: { 'x-share-token': token },
      });
    const shared = [(await look('')).body, (await look('/changes')).body];
    const live = await other.firstOf(id);
    expect(live).toMatchObject({ event: 'events' });
    const { rows: teams } = await server().db.query<{ id: string }>(
      'select t.id from teams t join users u on u.id = t.personal_user_id where u.email = $1',
      [other.email],
    );
    const exported: unknown[] = [];
    for (const rowsOf of [runsOf, jobsOf, streamsOf]) {
      for await (const row of rowsOf(server().db, teams[0]!.id)) exported.push(row);
    }
    expect(exported).toHaveLength(2);
    const all = JSON.stringify([seen, shared, live, exported]).replaceAll(`src/${SECRET}.ts`, '');
    expect(all).toContain('mine');
    expect(all).not.toContain(SECRET);

    const cancelled = await other.call('POST', `/api/v1/runs/${id}/cancel`);
    expect(cancelled.body).toEqual({ cancelled: true });
    expect(await owner.view(id)).toEqual(before);

    // What is deleted of the one leaves the other alone.
    const gone = 'update teams set deleted_at = now() where id = $1';
    await server().db.query(
      `update jobs set status = 'failed', settled_at = now(), ended_at = now()
      where team_id = $1`,
      [teams[0]!.id],
    );
    await server().db.query('update runs set open_jobs = 0, ended_at = now() where team_id = $1', [
      teams[0]!.id,
    ]);
    await server().db.query(gone, [teams[0]!.id]);
    await applyRetention({ db: server().db, tiers: TIERS, log: { info: () => undefined } });
    expect(await owner.view(id)).toEqual(before);

    const again = await owner.report(id, SECRET, 2);
    expect(again.body).toMatchObject({ cancelRequested: false });
    expect((await owner.put(id, SECRET)).status).toBeLessThan(300);
  },
);

/** Each makes a job of the owner, and the execution that it is part of, if any. */
const WORK: Record<string, (owner: Tenant) => Promise<{ jobId: string; executionId?: string }>> = {
  async 'under way'(owner) {
    const { body } = await owner.job('open', SECRET, { prompt: `${SECRET} [[sim:hang]]` });
    return { jobId: body['jobId'] as string };
  },
  async ended(owner) {
    return { jobId: await owner.finishedJob('ended', SECRET) };
  },
  async archived(owner) {
    await owner.finishedJob('moved', SECRET);
    // Its id says when it was made.
    await ageRun(server().db, 'moved', daysAgo(3));
    expect(await moveOld(server().db)).toBe(1);
    const { items } = (await owner.call('GET', '/api/v1/jobs?runId=moved')).body;
    return { jobId: (items as { jobId: string }[])[0]!.jobId };
  },
  async 'of an execution'(owner) {
    const runId = await STATES['of an execution']!(owner);
    const { items } = (await owner.call('GET', `/api/v1/jobs?runId=${runId}`)).body;
    const [{ jobId, executionId }] = items as [{ jobId: string; executionId: string }];
    return { jobId, executionId };
  },
};

it.each(Object.keys(WORK))(
  'a job that is %s is refused to others, and its execution',
  async (state) => {
    verifies('auth.foreign-resource');
    const [owner, other] = [await newTenant(), await newTenant()];
    const { jobId, executionId } = await WORK[state]!(owner);
    const [jobs, executions] = [`/api/v1/job/${jobId}`, `/v1/executions/${executionId}`];
    const view = async () => (await owner.call('GET', `${jobs}?view=full`)).body;
    const before = await view();
    const refused: [method: string, path: string][] = [
      ['GET', jobs],
      ['GET', `${jobs}?view=full`],
      ['GET', `${jobs}?wait=1`],
      ['GET', `${jobs}/request`],
      ['GET', `${jobs}/events`],
      ['POST', `${jobs}/cancel`],
    ];
    const topics = [`job:${jobId}`];
    if (executionId !== undefined) {
      refused.push(['GET', executions], ['GET', `${executions}/events`]);
      refused.push(['POST', `${executions}/cancel`]);
      topics.push(`execution:${executionId}`);
    }
    for (const [method, path] of refused) {
      const answer = await other.call(method, path);
      expect(answer.status, `${method} ${path}`).toBe(403);
      expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    }
    for (const topic of topics) {
      expect(await owner.firstOn(topic)).not.toMatchObject({ event: 'refused' });
      const data = { data: { code: 'FORBIDDEN' } };
      expect(await other.firstOn(topic), topic).toMatchObject({ event: 'refused', data });
    }
    expect(await view()).toEqual(before);
  },
);

it('the tools of one team know no execution of another', async () => {
  const [owner, other] = [await newTenant(), await newTenant()];
  const { executionId } = await WORK['of an execution']!(owner);
  const clientOf = ({ key }: Tenant) => clients.newest(server().url, bearer(key));
  const [mine, theirs] = [await clientOf(owner), await clientOf(other)];
  for (const name of ['millrace_status', 'millrace_cancel']) {
    const call = { name, arguments: { executionId } };
    expect(JSON.stringify(await mine.callTool(call))).toContain(executionId);
    const refused = await theirs.callTool(call);
    expect(refused.isError, name).toBe(true);
    expect(JSON.stringify(refused)).not.toContain(SECRET);
  }
  expect(JSON.stringify(await theirs.listResources())).not.toContain(executionId);
  for (const { uri } of (await mine.listResources()).resources) {
    const text = await theirs.readResource({ uri }).then(JSON.stringify, String);
    expect(text, uri).not.toContain(SECRET);
  }
});

it('nobody blocks an id for others by using it first', async () => {
  const [first, owner] = [await newTenant(), await newTenant()];
  await first.report('taken', 'first');
  await first.job('taken', 'first', { prompt: '[[sim:hang]]' });
  await first.put('taken', 'first');
  expect((await owner.report('taken', SECRET)).status).toBe(200);
  const job = await owner.job('taken', SECRET, { prompt: '[[sim:hang]]', model: 'sim-fast' });
  expect(job.status).toBe(202);
  expect((await owner.put('taken', SECRET)).status).toBe(200);
  const [history, changes, manifest] = await owner.view('taken');
  expect(history!.body['run']).toMatchObject({ feature: SECRET, live: { problem: SECRET } });
  expect(JSON.stringify([history, changes, manifest])).not.toContain('first');
  // Its command line is asked to stop; once it is silent, its jobs are cancelled.
  await owner.call('POST', '/api/v1/runs/taken/cancel');
  expect((await owner.report('taken', SECRET, 2)).body['cancelRequested']).toBe(true);
  expect((await first.report('taken', 'first', 2)).body['cancelRequested']).toBe(false);
  await server().db.query(`update run_reports set reported_at = now() - interval '2 minutes'`);
  expect((await owner.call('POST', '/api/v1/runs/taken/cancel')).body).toEqual({ cancelled: true });
  const jobOf = async (tenant: Tenant) =>
    ((await tenant.call('GET', '/api/v1/jobs?runId=taken')).body['items'] as object[])[0];
  expect(await jobOf(owner)).toMatchObject({ status: 'failed' });
  expect(await jobOf(first)).toMatchObject({ status: 'running' });
});

it('teams that use one new id at the same moment all get their own run', async () => {
  const tenants = await Promise.all(Array.from({ length: 4 }, newTenant));
  const names = Array.from({ length: 6 }, (_, at) => `at-once-${at}`);
  const sent = await Promise.all(
    names.flatMap((id) =>
      tenants.flatMap((tenant) => [
        tenant.job(id, 'x', { prompt: '[[sim:hang]]' }),
        tenant.put(id, 'x').then(({ status }) => ({ status: status === 403 ? 202 : status })),
        tenant.report(id, 'x'),
      ]),
    ),
  );
  expect(sent.filter(({ status }) => status >= 300)).toEqual([]);
  for (const tenant of tenants) {
    const { body } = await tenant.call('GET', '/api/v1/history?limit=100');
    expect(body['total']).toBe(names.length);
  }
});

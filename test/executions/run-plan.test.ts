// The plan of a dry run, run as it was shown.
import { describe, expect, it } from 'vitest';
import { runEither } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { artifactOf, clientOf, planOf, replyOf } from './execution.ts';

const server = useServer();

async function newCaller(tier: 'trial' | 'enterprise' = 'enterprise') {
  const { key, email } = await server().createKey({ tier });
  const call = (id: string, headers?: Record<string, string>, body?: unknown) =>
    server().call('POST', `/v1/executions/${id}/run`, {
      key,
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    });
  return { key, email, client: clientOf(server(), key), call };
}

const TASK = [
  planOf({
    one: 'owns: [a.txt]',
    two: 'owns: [b.txt]\ndeps: [one]',
    // Waits for the first, whose file it writes, too.
    three: 'owns: ["a.*"]',
  }),
  replyOf('one', artifactOf([{ type: 'create', path: 'a.txt', content: 'a' }])),
  replyOf('two', artifactOf([{ type: 'create', path: 'b.txt', content: 'b' }])),
  replyOf('three', artifactOf([{ type: 'create', path: 'a.md', content: 'c' }])),
].join('\n');

describe('the plan of a dry run', () => {
  it('is run as it was shown, and no model is asked for it again', async () => {
    const { client, call } = await newCaller();
    const options = { dryRun: true, maxSteps: 7, budgetUsd: 5, timeout: 120_000 };
    const dry = await client.ended(
      await client.start({ task: TASK, context: { contents: { 'x.txt': 'x' } }, options }),
    );
    const answer = await call(dry.id);
    expect(answer.status).toBe(202);
    const id = answer.body['id'] as string;
    expect(id).not.toBe(dry.id);
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'completed',
      dryRun: false,
      maxSteps: 7,
      budgetUsd: 5,
      model: dry.model,
      progress: { current: 3, total: 3 },
    });
    expect(done.steps.map(({ streamId, wave }) => ({ streamId, wave }))).toEqual(
      dry.result!.plan!.streams.map(({ streamId, wave }) => ({ streamId, wave })),
    );
    expect(done.result?.artifacts.flatMap(({ filesChanged }) => filesChanged).sort()).toEqual([
      'a.md',
      'a.txt',
      'b.txt',
    ]);
    const { rows } = await server().db.query<{ stream_id: string; tokens: number }>(
      `select stream_id, tokens_input + tokens_output as tokens from jobs
       where execution_id = $1 order by id`,
      [id],
    );
    expect(rows[0]).toEqual({ stream_id: 'plan', tokens: 0 });
    expect(rows.slice(1).every(({ tokens }) => tokens > 0)).toBe(true);
    const { rows: calls } = await server().db.query(
      `select 1 from usage_ledger l join jobs j on j.id = l.job_id
       where j.execution_id = $1 and j.stream_id = 'plan'`,
      [id],
    );
    expect(calls).toEqual([]);
  });

  it('counts as a run, and a full queue of a small account holds nothing up', async () => {
    const { client, call, email } = await newCaller('trial');
    const teamId = await server().teamId(email);
    await server().db.query('update users set requests_per_minute = 10000 where email = $1', [
      email,
    ]);
    const dry = await client.ended(
      await client.start({ task: TASK, model: 'sim-instant', options: { dryRun: true } }),
    );
    const hanging = await client.start({ task: 'x [[sim:hang]]', model: 'sim-fast' });
    const other = await client.start({ task: 'y [[sim:hang]]', model: 'sim-fast' });
    const { body } = await call(dry.id);
    await client.cancel(hanging);
    await client.cancel(other);
    expect((await client.ended(body['id'] as string)).status).toBe('completed');
    const { rows } = await server().db.query<{ in_queue: number }>(
      'select in_queue from team_queue where team_id = $1',
      [teamId],
    );
    expect(rows[0]?.in_queue).toBe(0);
  });

  it('starts once for one idempotency key', async () => {
    const { client, call } = await newCaller();
    const dry = await client.ended(await client.start({ task: TASK, options: { dryRun: true } }));
    const headers = { 'idempotency-key': 'same' };
    const first = await call(dry.id, headers);
    const second = await call(dry.id, headers);
    expect(second.body['id']).toBe(first.body['id']);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const changed = await call(dry.id, headers, { options: { budgetUsd: 1 } });
    expect(changed.status).toBe(422);
  });

  it('is refused where there is none, with what to do', async () => {
    const { client, call } = await newCaller();
    const ran = await client.ended(await client.start('x'));
    expect((await call(ran.id)).body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('no dry run') as string },
    });
    const failed = await client.ended(
      await client.start({ task: 'x [[sim:auth]]', options: { dryRun: true } }),
    );
    expect((await call(failed.id)).body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('no plan') as string },
    });
    expect((await call('exec_nonsense')).status).toBe(404);
    const open = await client.start({
      task: 'x [[sim:hang]]',
      model: 'sim-fast',
      options: { dryRun: true },
    });
    expect((await call(open)).body).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining('still') as string },
    });
    await client.cancel(open);
    const other = await newCaller();
    expect((await other.call(ran.id)).status).toBe(403);
  });

  it('is started from the command line by the command that the dry run suggests', async () => {
    const { key } = await newCaller();
    const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
    const dry = await runEither(['exec', TASK, '--model', 'sim-instant', '--dry-run'], settings);
    expect(dry.code, dry.stderr).toBe(0);
    const [, id] = /Run this plan .*exec start (\S+)/.exec(dry.stderr)!;
    const ran = await runEither(['exec', 'start', id!, '--wait'], settings);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/^3 steps changed 3 files\./);
  });
});

import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf, planOf } from './execution.ts';

const server = useServer();
// Its database has no worker: what is submitted there stays pending.
const idle = useServer({ role: 'api' });

async function newClient(on = server()) {
  return clientOf(on, (await on.createKey()).key);
}

async function jobsOf(id: string, on = server()) {
  const { rows } = await on.db.query<{ stream_id: string; status: string; error_code: string }>(
    'select stream_id, status, error_code from jobs where execution_id = $1 order by id',
    [id],
  );
  return rows.map((row) => [row.stream_id, row.status, row.error_code]);
}

describe('cancelling an execution', () => {
  it('whose planning waits drops it, and the run is not counted', async () => {
    verifies('execution.cancel.route', 'execution.cancel.shape');
    const { key, email } = await idle().createKey({ tier: 'pro' });
    const client = clientOf(idle(), key);
    const id = await client.start('x');
    const answer = await client.cancel(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id,
      cancelled: true,
      status: 'cancelled',
      finalState: {
        progress: { current: 0, total: 0 },
        currentStep: null,
        tokensUsed: 0,
        filesChanged: [],
      },
    });
    expect(await jobsOf(id, idle())).toEqual([['plan', 'failed', 'CANCELLED']]);
    const { rows } = await idle().db.query<{ runs_counted: number; status: string }>(
      `select runs_counted, r.status from usage_months m join runs r on r.team_id = m.team_id
       where m.team_id = $1`,
      [await idle().teamId(email)],
    );
    expect(rows).toEqual([{ runs_counted: 0, status: 'cancelled' }]);
  });

  it('whose planning runs stops the call and keeps its tokens', async () => {
    const client = await newClient();
    const id = await client.start({ task: 'x [[sim:pace 60000]]', model: 'sim-standard' });
    await waitUntil(async () => (await jobsOf(id))[0]?.[1] === 'running', 'planning');
    const { body } = await client.cancel(id);
    expect(body).toMatchObject({ cancelled: true, status: 'cancelled' });
    const shown = await client.get(id);
    expect(shown.metrics.tokensUsed).toBe(
      (body['finalState'] as { tokensUsed: number }).tokensUsed,
    );
    expect(shown.result).toMatchObject({ success: false, summary: 'Cancelled while planning.' });
  });

  it('with steps that run stops them, and nothing more is called', async () => {
    verifies('execution.status.values', 'execution.cancel.shape');
    const client = await newClient();
    const plan = planOf({
      done: 'owns: [done.ts]\nplan: fine',
      slow: 'owns: [slow.ts]\nplan: "[[sim:hang]]"\ndeps: [done]',
      later: 'owns: [later.ts]\nplan: x\ndeps: [slow]',
    });
    const id = await client.start(`Stop ${plan}`);
    const running = await client.until(id, ({ currentStep }) => currentStep === 1);
    expect(running.progress).toEqual({ current: 1, total: 3 });
    const { body } = await client.cancel(id);
    expect(body).toMatchObject({
      cancelled: true,
      finalState: {
        progress: { current: 1, total: 3 },
        currentStep: 1,
        filesChanged: ['done.ts'],
      },
    });
    const shown = await client.get(id);
    expect(shown).toMatchObject({
      status: 'cancelled',
      currentStep: null,
      result: { success: false, artifacts: [{ streamId: 'done' }] },
    });
    expect(shown.result?.error).toBeUndefined();
    expect(shown.steps.map(({ status }) => status)).toEqual(['complete', 'failed', 'skipped']);
    expect(await jobsOf(id)).toEqual([
      ['plan', 'completed', null],
      ['done', 'completed', null],
      ['slow', 'failed', 'CANCELLED'],
    ]);
  });

  it('with steps over the cap drops the ones that wait, too', async () => {
    const { key, email } = await server().createKey({ tier: 'trial' });
    await server().db.query('update users set requests_per_minute = 10000 where email = $1', [
      email,
    ]);
    const client = clientOf(server(), key);
    const hang = (file: string) => `owns: [${file}]\nplan: "[[sim:hang]]"`;
    const plan = planOf({ a: hang('a'), b: hang('b'), c: hang('c'), d: hang('d') });
    const id = await client.start(`Cap ${plan}`);
    const two = await client.until(
      id,
      ({ steps }) => steps.filter(({ status }) => status === 'in_progress').length === 2,
    );
    expect(two.steps.filter(({ status }) => status === 'pending')).toHaveLength(2);
    await client.cancel(id);
    expect((await jobsOf(id)).slice(1).map(([, , code]) => code)).toEqual(
      Array(4).fill('CANCELLED'),
    );
    const { rows } = await server().db.query<{ in_queue: number; parked: number }>(
      `select in_queue, (select count(*)::int from jobs where parked) as parked
       from team_queue where team_id = $1`,
      [await server().teamId(email)],
    );
    expect(rows).toEqual([{ in_queue: 0, parked: 0 }]);
  });

  it('that has ended changes nothing', async () => {
    verifies('execution.cancel.ended');
    const client = await newClient();
    const id = await client.start('x');
    const done = await client.ended(id);
    const { body } = await client.cancel(id);
    expect(body).toMatchObject({
      id,
      cancelled: false,
      status: 'completed',
      finalState: { progress: { current: 3, total: 3 }, currentStep: null },
    });
    expect((body['finalState'] as { filesChanged: string[] }).filesChanged).toHaveLength(3);
    expect(await client.get(id)).toEqual(done);
    const hanging = await client.start('x [[sim:hang]]');
    expect((await client.cancel(hanging)).body['cancelled']).toBe(true);
    expect((await client.cancel(hanging)).body).toMatchObject({
      cancelled: false,
      status: 'cancelled',
    });
  });

  it('at any moment ends it once, with nothing left open', async () => {
    const client = await newClient();
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => client.start('x [[sim:plan 6 steps 3 waves]]')),
    );
    await Promise.all(
      ids.map(async (id, index) => {
        await waitUntil(async () => (await jobsOf(id)).length > index % 7, 'jobs');
        await client.cancel(id);
      }),
    );
    for (const id of ids) {
      const ended = await client.ended(id);
      expect(['cancelled', 'completed']).toContain(ended.status);
      expect((await jobsOf(id)).filter(([, status]) => !/completed|failed/.test(status!))).toEqual(
        [],
      );
    }
    const { rows } = await server().db.query<{ open: number }>(
      `select count(*)::int as open from runs where source = 'execution' and open_jobs <> 0`,
    );
    expect(rows[0]?.open).toBe(0);
  });

  it('of somebody else is 403, and one that does not exist 404', async () => {
    verifies('execution.errors');
    const id = await (await newClient()).start('x');
    const stranger = await newClient();
    expectError(await stranger.cancel(id), 'FORBIDDEN');
    const { key } = await server().createKey();
    expectError(await server().call('GET', `/v1/executions/${id}`, { key }), 'FORBIDDEN');
    for (const unknown of ['exec_01jcq8z5e0e5v8r3m6k1t2w9xh', 'x', 'job_x']) {
      expectError(await stranger.cancel(unknown), 'NOT_FOUND');
      expectError(await server().call('GET', `/v1/executions/${unknown}`, { key }), 'NOT_FOUND');
      const events = await server().call('GET', `/v1/executions/${unknown}/events`, { key });
      expectError(events, 'NOT_FOUND');
    }
  });
});

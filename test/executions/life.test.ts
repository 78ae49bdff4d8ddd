import { describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf, planOf } from './execution.ts';
import type { ShownExecution } from './execution.ts';

const server = useServer();

async function newClient() {
  const { key } = await server().createKey();
  return { key, client: clientOf(server(), key) };
}

describe('an execution', () => {
  it('is accepted with where to look for it, and is running', async () => {
    verifies(
      'execution.create.route',
      'execution.create.accepted',
      'execution.fields.created',
      'execution.status-url',
      'execution.status.initial',
      'execution.result.null',
    );
    const { client } = await newClient();
    const answer = await client.create({ task: 'Hang [[sim:hang]]', model: 'sim-instant' });
    expect(answer.status).toBe(202);
    const { id } = answer.body as { id: string };
    expect(id).toMatch(/^exec_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(answer.body).toEqual({
      id,
      status: 'running',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      statusUrl: `/v1/executions/${id}`,
    });
    expect(answer.headers.get('location')).toBe(`/v1/executions/${id}`);
    const shown = await client.get(id);
    expect(shown).toMatchObject({
      id,
      status: 'running',
      result: null,
      steps: [],
      currentStep: null,
      progress: { current: 0, total: 0 },
    });
    await client.cancel(id);
  });

  it('takes the key as Bearer', async () => {
    verifies('execution.auth');
    const { key } = await newClient();
    const headers = { authorization: `Bearer ${key}` };
    expect((await server().call('GET', '/v1/executions', { headers })).status).toBe(200);
  });

  it('plans with the model, runs the steps in order and yields their artifacts', async () => {
    verifies(
      'execution.get.route',
      'execution.fields.status',
      'execution.plan',
      'execution.order',
      'execution.status.values',
      'execution.result',
      'execution.artifacts',
      'execution.progress',
      'execution.metrics',
      'execution.steps',
    );
    const { client, key } = await newClient();
    const id = await client.start('Build a parser [[sim:plan 7 steps 3 waves]]');
    const done = await client.ended(id);
    expect(done.result?.error).toBeUndefined();
    expect(done).toMatchObject({ status: 'completed', progress: { current: 7, total: 7 } });
    expect(done.steps.map(({ wave }) => wave)).toEqual([1, 1, 1, 2, 2, 3, 3]);
    expect(done.steps.map(({ index, streamId, status }) => [index, streamId, status])).toEqual(
      Array.from({ length: 7 }, (_, i) => [i, `step-${i + 1}`, 'complete']),
    );
    expect(done.result).toMatchObject({ success: true, simulated: true });
    expect(done.result?.summary).toMatch(/^7 steps changed 7 files\./);
    expect(done.result?.artifacts).toHaveLength(7);
    expect(done.result?.artifacts[2]).toEqual({
      streamId: 'step-3',
      status: 'complete',
      operations: [
        {
          type: 'create',
          path: 'millrace-sim/build-a-parser/step-3.md',
          content: expect.any(String),
        },
      ],
      filesChanged: ['millrace-sim/build-a-parser/step-3.md'],
      summary: 'Simulated change of 1 file.',
    });
    expect(done.metrics.duration).toBeGreaterThan(0);
    const history = await server().call('GET', `/api/v1/history/${done.runId}`, { key });
    const { run, streams } = history.body as {
      run: Record<string, unknown>;
      streams: { streamId: string; tokensInput: number; tokensOutput: number }[];
    };
    expect(run).toMatchObject({
      feature: 'Build a parser [[sim:plan 7 steps 3 waves]]',
      status: 'complete',
      waveCount: 3,
      streamCount: 8,
    });
    expect(streams.map(({ streamId }) => streamId)).toEqual([
      'plan',
      ...Array.from({ length: 7 }, (_, i) => `step-${i + 1}`),
    ]);
    const tokens = streams.reduce((sum, each) => sum + each.tokensInput + each.tokensOutput, 0);
    expect(done.metrics.tokensUsed).toBe(tokens);
    expect(done.metrics.costUsd).toBeCloseTo(run['totalCostUsd'] as number, 9);
  });

  it('starts a step only after those it waits for, and shows it the files they made', async () => {
    verifies('execution.order');
    const { client } = await newClient();
    const plan = planOf({
      first: 'owns: [src/a.ts]\nplan: Make it.',
      second: 'owns: [src/b.ts]\ndeps: [first]\nplan: Use it.',
    });
    const id = await client.start(`Two steps ${plan}`);
    const done = await client.ended(id);
    expect(done.status).toBe('completed');
    const { rows } = await server().db.query<Record<string, Date & string>>(
      `select stream_id, prompt, queued_at, ended_at from jobs where execution_id = $1 order by id`,
      [id],
    );
    const [planning, first, second] = rows;
    expect(rows.map((row) => row['stream_id'])).toEqual(['plan', 'first', 'second']);
    expect(first!['queued_at']).toEqual(planning!['ended_at']);
    expect(second!['queued_at']).toEqual(first!['ended_at']);
    const prompt = JSON.parse(second!['prompt'] as string) as string;
    expect(prompt).toContain('File: src/a.ts');
    expect(prompt).toContain('Written by the simulator for first.');
    expect(prompt).toContain('step 2 of 2');
    expect(prompt).toMatch(/owns: src\/b\.ts/);
  });

  it('runs independent steps at the same time', async () => {
    verifies('execution.order');
    const { client } = await newClient();
    const hang = 'plan: "Wait [[sim:hang]]"';
    const plan = planOf({ a: `owns: [a.ts]\n${hang}`, b: `owns: [b.ts]\n${hang}` });
    const id = await client.start(`Parallel ${plan}`);
    const both = await client.until(
      id,
      ({ steps }) => steps.length === 2 && steps.every(({ status }) => status === 'in_progress'),
    );
    expect(both.currentStep).toBe(0);
    expect(both.progress).toEqual({ current: 0, total: 2 });
    await client.cancel(id);
  });

  it('orders steps that own the same file, and the later one builds on the earlier', async () => {
    const { client } = await newClient();
    const plan = planOf({ a: 'owns: [src/x.ts]\nplan: one', b: 'owns: [src/x.ts]\nplan: two' });
    const done = await client.ended(await client.start(`Same file ${plan}`));
    expect(done.steps.map(({ wave }) => wave)).toEqual([1, 2]);
    expect(done.result?.artifacts.map(({ operations }) => operations[0]?.['type'])).toEqual([
      'create',
      'edit',
    ]);
  });

  it('uses the default model of the server, or the simulator and says so', async () => {
    verifies('execution.model.default');
    const { client } = await newClient();
    const { body } = await client.create({ task: 'x', options: { dryRun: true } });
    const done: ShownExecution = await client.ended(body['id'] as string);
    expect(done).toMatchObject({ model: 'sim-standard', simulated: true, budgetUsd: null });
    expect(done.result?.simulated).toBe(true);
  });
});

describe('a dry run', () => {
  it('ends with the plan and without artifacts', async () => {
    verifies('execution.dry-run');
    const { client } = await newClient();
    const task = 'Plan only [[sim:plan 4 steps 2 waves]]';
    const options = { dryRun: true, maxSteps: 7, budgetUsd: 2.5 };
    const done = await client.ended(await client.start({ task, options }));
    expect(done).toMatchObject({
      status: 'completed',
      maxSteps: 7,
      budgetUsd: 2.5,
      progress: { current: 0, total: 4 },
      result: { success: true, artifacts: [] },
    });
    const { plan } = done.result!;
    expect(plan?.waves).toEqual([
      ['step-1', 'step-2'],
      ['step-3', 'step-4'],
    ]);
    expect(plan?.streams.map(({ streamId, wave }) => [streamId, wave])).toEqual([
      ['step-1', 1],
      ['step-2', 1],
      ['step-3', 2],
      ['step-4', 2],
    ]);
    expect(plan?.estimatedTokens).toBeGreaterThan(1000);
    expect(plan?.estimatedCostUsd).toBeGreaterThan(0);
    const { rows } = await server().db.query<{ jobs: number }>(
      'select count(*)::int as jobs from jobs where execution_id = $1',
      [done.id],
    );
    expect(rows[0]?.jobs).toBe(1);
  });

  it('takes nothing of the quota, while an execution takes one run', async () => {
    verifies('execution.dry-run', 'execution.errors');
    const { key, email } = await server().createKey({ tier: 'trial' });
    // Looking again and again is not what this is about.
    await server().db.query('update users set requests_per_minute = 10000 where email = $1', [
      email,
    ]);
    const client = clientOf(server(), key);
    const used = async () => {
      const { rows } = await server().db.query<{ runs_counted: number; runs_recorded: number }>(
        'select runs_counted, runs_recorded from usage_months where team_id = $1',
        [await server().teamId(email)],
      );
      return [rows[0]?.runs_counted, rows[0]?.runs_recorded];
    };
    const options = { dryRun: true };
    await client.ended(await client.start({ task: 'x', options }));
    expect(await used()).toEqual([0, 1]);
    await client.ended(await client.start('x'));
    expect(await used()).toEqual([1, 2]);
    await server().db.query('update usage_months set runs_counted = 50 where team_id = $1', [
      await server().teamId(email),
    ]);
    const refused = await client.create({ task: 'x', model: 'sim-instant' });
    expect(refused.status).toBe(402);
    expect(refused.body).toMatchObject({
      error: { code: 'QUOTA_EXCEEDED', details: { used: 50 } },
    });
    expect((await client.create({ task: 'x', model: 'sim-instant', options })).status).toBe(202);
  });
});

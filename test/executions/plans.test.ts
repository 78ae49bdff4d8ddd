import { describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { artifactOf, clientOf, planOf, replyOf } from './execution.ts';

const server = useServer();

async function newClient() {
  return clientOf(server(), (await server().createKey()).key);
}

const streamsOf = async (id: string) => {
  const { rows } = await server().db.query<{ stream_id: string }>(
    'select stream_id from jobs where execution_id = $1 order by id',
    [id],
  );
  return rows.map((row) => row.stream_id);
};

describe('a plan that cannot be used', () => {
  it('is asked for once more, with what is wrong with it', async () => {
    verifies('execution.plan');
    const client = await newClient();
    const good = '````yaml\nfeature: x\nstreams:\n  one:\n    name: One\n    owns: [a.md]\n````\n';
    const id = await client.start(
      `Do ${replyOf('plan', 'I would rather not.')} ${replyOf('plan-repair-1', good)}`,
    );
    const done = await client.ended(id);
    expect(done.status).toBe('completed');
    expect(await streamsOf(id)).toEqual(['plan', 'plan-repair-1', 'one']);
    const { rows } = await server().db.query<{ prompt: string }>(
      `select prompt from jobs where execution_id = $1 and stream_id = 'plan-repair-1'`,
      [id],
    );
    expect(JSON.parse(rows[0]!.prompt)).toContain('There is no fenced block with a plan');
  });

  it('fails the execution when the second is no better', async () => {
    const client = await newClient();
    const id = await client.start(
      `Do ${replyOf('plan', 'no')} ${replyOf('plan-repair-1', 'no again')}`,
    );
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'failed',
      steps: [],
      result: { success: false, artifacts: [], error: { code: 'PLAN_INVALID' } },
    });
    expect(done.result?.summary).toMatch(
      /^Failed while planning: The model did not return a usable plan/,
    );
    expect(await streamsOf(id)).toEqual(['plan', 'plan-repair-1']);
  });

  it('because it has too many streams fails with their number', async () => {
    verifies('execution.plan');
    const client = await newClient();
    const task = 'Do [[sim:plan 6 steps 2 waves]]';
    const done = await client.ended(await client.start({ task, options: { maxSteps: 5 } }));
    expect(done.result?.error).toMatchObject({
      code: 'PLAN_INVALID',
      message: expect.stringMatching(/6 streams; at most 5 are allowed/),
    });
  });
});

describe('a plan with mistakes', () => {
  it('is repaired without another call, and runs', async () => {
    verifies('execution.plan');
    const client = await newClient();
    const plan = planOf({ a: 'deps: [b, nobody]\nowns: [a.md]', b: 'deps: [a]\nowns: [b.md]' });
    const done = await client.ended(await client.start(`Do ${plan}`));
    expect(done.result?.error).toBeUndefined();
    expect(done.steps.map(({ streamId, wave }) => [streamId, wave])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(await streamsOf(done.id)).toEqual(['plan', 'b', 'a']);
  });

  it('says in the manifest of a dry run what was repaired, and is run as it is shown there', async () => {
    const { key } = await server().createKey();
    const client = clientOf(server(), key);
    const plan = planOf({ a: 'deps: [nobody]\nowns: [a.md]', b: 'owns: [a.md]\nplan: Then this.' });
    const options = { dryRun: true };
    const dry = await client.ended(await client.start({ task: `Do ${plan}`, options }));
    const { manifest, streams } = dry.result!.plan!;
    expect(manifest).toBe(
      [
        'feature: test',
        'streams:',
        '  # ids: dropped the dep nobody: there is no such stream',
        '  a:',
        '    name: a',
        '    owns: [a.md]',
        '    plan: a',
        '',
        '  # overlaps: waits for a: both write the same files',
        '  b:',
        '    name: b',
        '    deps: [a]',
        '    owns: [a.md]',
        '    plan: Then this.',
        '',
      ].join('\n'),
    );
    const { body } = await server().call('POST', `/v1/executions/${dry.id}/run`, { key });
    const done = await client.ended(body['id'] as string);
    expect(done.steps.map(({ streamId, wave }) => ({ streamId, wave }))).toEqual(
      streams.map(({ streamId, wave }) => ({ streamId, wave })),
    );
    const { rows } = await server().db.query<{ id: string; kept: string }>(
      `select stream_id as id, plan as kept from execution_steps
       where execution_id = $1 and position >= 0 order by position`,
      [done.id],
    );
    const run = rows.map(({ id, kept }) => ({ streamId: id, ...(JSON.parse(kept) as object) }));
    expect(run).toMatchObject(
      streams.map(({ streamId, deps, owns, reads, plan: text }) => ({
        streamId,
        deps,
        owns,
        reads,
        plan: text,
      })),
    );
  });
});

describe('an answer that was cut off', () => {
  const LONG = 'and so on '.repeat(9000);

  it('is told as such of a plan, which is asked for once more with twice the length', async () => {
    const client = await newClient();
    const plan = '````yaml\nfeature: x\nstreams:\n  one:\n    name: One\n````\n';
    const id = await client.start(`Do ${replyOf('plan', `${plan}${LONG}`)}`);
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'failed',
      steps: [],
      result: {
        artifacts: [],
        error: {
          code: 'ANSWER_CUT_OFF',
          message:
            'The plan was cut off at 16384 tokens (the limit per call): ask for less at a time, or allow fewer steps (maxSteps).',
        },
      },
    });
    expect(await streamsOf(id)).toEqual(['plan', 'plan']);
  });

  it('is told as such of a step, which is tried once more and yields nothing', async () => {
    const client = await newClient();
    const file = artifactOf([{ type: 'create', path: 'a.ts', content: '1' }]);
    const plan = planOf({ a: 'plan: one', b: 'deps: [a]' });
    const id = await client.start(`${plan} ${replyOf('a', `${file}${LONG}`)}`);
    const done = await client.ended(id);
    expect(done.result?.error).toEqual({
      code: 'ANSWER_CUT_OFF',
      message:
        'Step a failed after 2 attempts: The answer was cut off at 16384 tokens (the limit per call): ask for less at a time, or allow more steps (maxSteps).',
    });
    expect(done.result?.artifacts).toEqual([]);
    expect(done.steps.map(({ status }) => status)).toEqual(['failed', 'blocked']);
    expect(await streamsOf(id)).toEqual(['plan', 'a', 'a']);
  });
});

describe('artifacts of several steps', () => {
  it('that contradict each other fail the execution, and are kept', async () => {
    const client = await newClient();
    const file = (content: string) => artifactOf([{ type: 'create', path: 'a.ts', content }]);
    const id = await client.start(
      `${planOf({ a: 'plan: one', b: 'plan: two' })} ${replyOf('a', file('1'))} ${replyOf('b', file('2'))}`,
    );
    const done = await client.ended(id);
    expect(done).toMatchObject({
      status: 'failed',
      progress: { current: 2, total: 2 },
      result: {
        error: {
          code: 'CONFLICT',
          message: 'Steps a and b both changed a.ts, and neither depends on the other.',
        },
      },
    });
    expect(done.result?.artifacts).toHaveLength(2);
  });

  it('build on what was given and on each other', async () => {
    const client = await newClient();
    const edit = (oldText: string, newText: string) =>
      artifactOf([{ type: 'edit', path: 'a.ts', edits: [{ oldText, newText }] }]);
    // With a new file, so that the two are not one stream: they wait for each other.
    const plan = planOf({ a: 'owns: [a.ts]\nplan: one', b: 'owns: [a.ts, new.ts]\nplan: two' });
    const task = `${plan} ${replyOf('a', edit('one', 'two'))} ${replyOf('b', edit('two', 'three'))}`;
    const context = { contents: { 'a.ts': 'const x = "one";\n' }, files: ['a.ts', 'b.ts'] };
    const done = await client.ended(await client.start({ task, context }));
    expect(done.result?.error).toBeUndefined();
    expect(done.result?.artifacts.map(({ operations }) => operations)).toEqual([
      [{ type: 'edit', path: 'a.ts', edits: [{ oldText: 'one', newText: 'two' }] }],
      [{ type: 'edit', path: 'a.ts', edits: [{ oldText: 'two', newText: 'three' }] }],
    ]);
  });

  it.each([
    ['outside of what the step owns', [{ type: 'create', path: 'b.ts', content: '' }], /outside/],
    [
      'that edit a text which is not there',
      [{ type: 'edit', path: 'a.ts', edits: [{ oldText: 'nowhere', newText: 'x' }] }],
      /The text to replace in edit 1 of a.ts is not in the file/,
    ],
    ['with a path out of the project', [{ type: 'create', path: '../a', content: '' }], /segment/],
  ])('%s are refused and asked for again, three times in all', async (_name, operations, why) => {
    const client = await newClient();
    const task = `${planOf({ a: 'owns: [a.ts]\nplan: x' })} ${replyOf('a', artifactOf(operations))}`;
    const id = await client.start({ task, context: { contents: { 'a.ts': 'text\n' } } });
    const done = await client.ended(id);
    expect(done.result?.error).toMatchObject({
      code: 'ARTIFACT_INVALID',
      message: expect.stringMatching(why),
    });
    expect(await streamsOf(id)).toEqual(['plan', 'a', 'a', 'a']);
    const { rows } = await server().db.query<{ prompt: string }>(
      `select prompt from jobs where execution_id = $1 order by id desc limit 1`,
      [id],
    );
    expect(JSON.parse(rows[0]!.prompt)).toMatch(why);
  });

  it('may hold nothing: the result says so', async () => {
    const client = await newClient();
    const done = await client.ended(
      await client.start(`${planOf({ a: 'plan: x' })} ${replyOf('a', 'All is well. Really.')}`),
    );
    expect(done.result?.artifacts).toEqual([
      {
        streamId: 'a',
        status: 'partial',
        operations: [],
        filesChanged: [],
        summary: 'No file changes. All is well.',
      },
    ]);
  });

  it('that say the step cannot be done end the execution', async () => {
    const client = await newClient();
    const answer = artifactOf([], { status: 'failed', summary: 'The file is missing.' });
    const id = await client.start(
      `${planOf({ a: 'plan: x', b: 'deps: [a]', c: 'deps: [b]', d: 'plan: y\ndeps: [c]' })} ${replyOf('a', answer)}`,
    );
    const done = await client.ended(id);
    expect(done.result?.error).toEqual({
      code: 'STEP_GIVEN_UP',
      message: 'Step a failed: The file is missing.',
    });
    expect(done.steps.map(({ status }) => status)).toEqual([
      'failed',
      'blocked',
      'blocked',
      'blocked',
    ]);
    expect(await streamsOf(id)).toEqual(['plan', 'a']);
  });
});

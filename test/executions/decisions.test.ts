import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/contract/artifact.ts';
import { coversPath, judgeCutOff, judgeFailure } from '../../src/domain/execution/answers.ts';
import { largestCost } from '../../src/domain/usage/largest-cost.ts';
import { createFileTree } from '../../src/domain/execution/file-tree.ts';
import { ancestorsOf, dependentsOf, readySteps } from '../../src/domain/execution/model.ts';
import { planPrompt } from '../../src/domain/execution/prompts.ts';
import { planAskedFor } from '../../src/domain/prompt/planning-prompt.ts';
import { readPlan } from '../../src/domain/execution/read-plan.ts';
import type { ExecutionRow } from '../../src/store/executions/executions.ts';
import type { StepView } from '../../src/store/executions/execution-steps.ts';
import { progressOf } from '../../src/services/executions/execution-view.ts';
import { mergeArtifacts } from '../../src/domain/execution/results.ts';
import { createSimulator } from '../../src/providers/simulator/simulator.ts';
import { fakeClock, runSimulator } from '../unit/simulator-run.ts';
import { plannedTask } from './planned-task.ts';

describe('the simulator', () => {
  const ask = async (task: string, maxSteps: number) => {
    const context = { files: [], contents: {}, environment: 'default' };
    const prompt = planPrompt({ task, context, maxSteps, sha256: () => 'x' });
    expect(planAskedFor(prompt)?.maxStreams).toBe(maxSteps);
    const simulator = createSimulator({ clock: fakeClock() });
    const { text } = await runSimulator({ prompt, simulator, streamId: 'plan', maxTokens: 8192 });
    return readPlan(text, plannedTask({ maxSteps: 200 }));
  };

  it.each([
    ['as many as allowed, at most three', 'x', 2, [1, 2]],
    ['three in two waves', 'x', 10, [1, 1, 2]],
    ['what the directive says', '[[sim:plan 6 steps 3 waves]]', 10, [1, 1, 2, 2, 3, 3]],
    ['more than allowed when it is told to', '[[sim:plan 5 steps 1 waves]]', 3, [1, 1, 1, 1, 1]],
  ])('plans %s', async (_name, task, maxSteps, waves) => {
    const read = await ask(task, maxSteps);
    expect(read.kind === 'plan' && read.steps.map(({ wave }) => wave)).toEqual(waves);
  });

  it('is not asked for a plan by a task that sounds like it', () => {
    expect(planAskedFor('Answer with the plan now: at most 5 streams. And more.')).toBeUndefined();
  });
});

describe('the order of steps', () => {
  const steps = [
    { position: 0, waitsFor: [], status: 'complete' as const },
    { position: 1, waitsFor: [0], status: 'pending' as const },
    { position: 2, waitsFor: [1], status: 'pending' as const },
    { position: 3, waitsFor: [], status: 'queued' as const },
  ];

  it('lets those start that wait for nothing any more', () => {
    expect(readySteps(steps).map(({ position }) => position)).toEqual([1]);
  });

  it('knows what comes before and after', () => {
    expect(ancestorsOf(steps, 2)).toEqual(new Set([0, 1]));
    expect(dependentsOf(steps, 0)).toEqual(new Set([1, 2]));
  });
});

describe('files between steps', () => {
  const create = (path: string, content: string): Operation => ({ type: 'create', path, content });

  it('take changes as they fit what is there', () => {
    const tree = createFileTree({ 'a.ts': 'one two\n' });
    const edit = (oldText: string): Operation => ({
      type: 'edit',
      path: 'a.ts',
      edits: [{ oldText, newText: 'three' }],
    });
    expect(tree.play(edit('two'))).toMatchObject({ kind: 'fits' });
    expect(tree.textOf('a.ts')).toBe('one three\n');
    expect(tree.play(edit('two'))).toMatchObject({ kind: 'misfit', path: 'a.ts' });
    expect(tree.play(create('a.ts', 'new'))).toMatchObject({ operation: { type: 'edit' } });
    expect(tree.play({ type: 'delete', path: 'a.ts' })).toMatchObject({ kind: 'fits' });
    expect(tree.play(edit('x'))).toMatchObject({ kind: 'misfit' });
    expect(tree.play({ type: 'edit', path: 'a.ts', content: 'again' })).toMatchObject({
      operation: { type: 'create', content: 'again' },
    });
    const blind: Operation = { type: 'edit', path: 'b.ts', edits: [{ oldText: 'x', newText: '' }] };
    tree.play(blind);
    expect(tree.changed().get('b.ts')).toEqual([blind]);
  });

  const step = (position: number, waitsFor: number[], operations: Operation[]) => ({
    position,
    waitsFor,
    wave: waitsFor.length + 1,
    streamId: `s${position}`,
    artifact: {
      streamId: `s${position}`,
      status: 'complete' as const,
      operations,
      filesChanged: operations.map(({ path }) => path),
      summary: '',
    },
  });

  const hashOf = (text: string) => `hash of ${text}`;

  it('carry the hash of the file that a whole text or a delete is meant for', () => {
    const whole = (path: string, content: string): Operation => ({ type: 'edit', path, content });
    const merged = mergeArtifacts(
      [
        step(0, [], [whole('a', 'new'), { type: 'delete', path: 'b' }, whole('unknown', 'x')]),
        step(1, [0], [whole('a', 'newer')]),
      ],
      { a: 'old', b: 'gone' },
      hashOf,
    );
    expect(
      merged.kind === 'merged' && merged.artifacts.map(({ operations }) => operations),
    ).toEqual([
      [
        { ...whole('a', 'new'), baseSha256: 'hash of old' },
        { type: 'delete', path: 'b', baseSha256: 'hash of gone' },
        whole('unknown', 'x'),
      ],
      // By then it is what the step before has made of it.
      [whole('a', 'newer')],
    ]);
  });

  it('are merged when their steps have an order', () => {
    const merged = mergeArtifacts(
      [step(1, [0], [create('a', '2')]), step(0, [], [create('a', '1')])],
      {},
      hashOf,
    );
    expect(
      merged.kind === 'merged' && merged.artifacts.map(({ operations }) => operations),
    ).toEqual([[create('a', '1')], [{ type: 'edit', path: 'a', content: '2' }]]);
  });

  it('are a conflict when they have none, whatever the case of the name', () => {
    const merged = mergeArtifacts(
      [step(0, [], [create('A.ts', '1')]), step(1, [], [create('a.ts', '2')])],
      {},
      hashOf,
    );
    expect(merged).toMatchObject({ kind: 'conflict', path: 'a.ts', streams: ['s0', 's1'] });
    const same = [step(0, [], [create('a', '1')]), step(1, [], [create('a', '1')])];
    expect(mergeArtifacts(same, {}, hashOf).kind).toBe('merged');
  });
});

describe('the progress of an execution that runs', () => {
  it('is that of its steps, although the row was read before them', () => {
    const step = (status: string) => ({ status }) as StepView;
    const row = { status: 'running', stepsDone: 0, stepsTotal: 2 } as ExecutionRow;
    const steps = [step('complete'), step('in_progress')];
    expect(progressOf(row, steps)).toEqual({ current: 1, total: 2 });
  });
});

describe('small decisions', () => {
  it('refuses a file with more edits than a server looks for', () => {
    const text = Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join('');
    const edits = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ oldText: `line ${i}\n`, newText: '' }));
    const play = (count: number) =>
      createFileTree({ a: text }).play({ type: 'edit', path: 'a', edits: edits(count) });
    expect(play(200)).toMatchObject({ kind: 'fits' });
    expect(play(201)).toMatchObject({ kind: 'misfit', message: expect.stringContaining('200') });
  });

  it('knows which paths an entry covers', () => {
    expect(coversPath(['src/'], 'src/a/b.ts')).toBe(true);
    expect(coversPath(['src/*.ts'], 'src/a.ts')).toBe(true);
    expect(coversPath(['app/[id]/page.tsx'], 'app/[id]/page.tsx')).toBe(true);
    expect(coversPath(['src/a.ts'], 'src/b.ts')).toBe(false);
  });

  it('tries again what passes, up to three times', () => {
    const failure = { code: 'PROVIDER_OVERLOADED' as const, message: 'busy' };
    expect(judgeFailure({ streamId: 'a', tries: 2 }, failure).kind).toBe('again');
    expect(judgeFailure({ streamId: 'a', tries: 3 }, failure).kind).toBe('failed');
    // A server that had a fault may be well again, and what is down needs time.
    const broken = { code: 'INTERNAL_ERROR' as const, message: 'a fault' };
    const first = judgeFailure({ streamId: 'a', tries: 1 }, broken);
    const second = judgeFailure({ streamId: 'a', tries: 2 }, failure);
    expect(first).toMatchObject({ kind: 'again', delayMs: 3_000 });
    expect(second).toMatchObject({ kind: 'again', delayMs: 15_000 });
    const cut = { code: 'PROVIDER_INTERRUPTED' as const, message: 'cut' };
    expect(judgeFailure({ streamId: 'a', tries: 1 }, cut)).toEqual({ kind: 'again', note: null });
    const lasting = { code: 'PROVIDER_AUTH' as const, message: 'no' };
    expect(judgeFailure({ streamId: 'a', tries: 1 }, lasting).kind).toBe('failed');
  });

  it('gives up on an answer that the model has no more room for', () => {
    const cut = { maxTokens: 8192, outputTokens: 900 };
    const told = {
      kind: 'failed',
      code: 'ANSWER_CUT_OFF',
      message: expect.stringMatching(/was cut off at 900 tokens: the model has no room left/),
    };
    for (const position of [0, -2]) {
      const step = { streamId: 'a', tries: 1, position, maxTokens: null };
      expect(judgeCutOff(step, cut, 'llama-of-my-own')).toEqual(told);
    }
  });

  it('asks once more with twice the length, as far as the model is known to give it', () => {
    const step = { streamId: 'a', tries: 1, position: 0, maxTokens: null };
    const judged = (model: string, maxTokens: number, longer: number | null = null) =>
      judgeCutOff({ ...step, maxTokens: longer }, { maxTokens, outputTokens: maxTokens }, model);
    expect(judged('llama-of-my-own', 8192)).toMatchObject({ kind: 'again', maxTokens: 16_384 });
    expect(judged('gpt-4o', 10_000)).toMatchObject({ kind: 'again', maxTokens: 16_384 });
    expect(judged('gpt-4o', 16_384).kind).toBe('failed');
    expect(judged('llama-of-my-own', 200_000).kind).toBe('failed');
    expect(judged('llama-of-my-own', 16_384, 16_384).kind).toBe('failed');
  });

  it('takes the dearest way a call can go', () => {
    const call = { provider: 'p', model: 'm', prompt: 'x'.repeat(300), maxTokens: 10 };
    const price = (_p: string, _m: string, usage: { input: number; cacheWrite: number }) =>
      usage.input + usage.cacheWrite;
    // A token a byte, the frame around them, and all of it written to the cache.
    expect(largestCost(price, call)).toBe(2 * (300 + 100));
    expect(largestCost(() => null, call)).toBeNull();
  });
});

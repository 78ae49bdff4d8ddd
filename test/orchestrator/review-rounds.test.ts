// A review that asks for changes: the run makes them, and what it made comes back for review.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import { openReview } from '../../src/orchestrator/review/open-review.ts';
import { submitReview } from '../../src/orchestrator/review/submit-review.ts';
import { callFileOf } from '../../src/orchestrator/state/run-folder.ts';
import { PRICED_MODEL } from '../support/priced-model.ts';
import { waitUntil } from '../support/processes.ts';
import type { Project } from './project.ts';
import { findRun, stateOfRun } from '../../src/orchestrator/project/find-run.ts';
import { placeIn } from './apply-project.ts';
import {
  answer,
  ask,
  commentOn,
  numbered,
  openRound,
  opened,
  replyWith,
  submit,
  submitOptions,
} from './review-project.ts';
import { useProjects } from './use-projects.ts';

const { server, project: create } = useProjects();

const OLD = numbered(60);
const lines = (...changes: [number, string][]) =>
  changes.reduce((text, [line, by]) => text.replace(`line ${line}\n`, `${by}\n`), OLD);
const NEW = lines([5, 'five'], [30, 'thirty'], [55, 'last']);

const edit = (path: string, content: string) => ({ type: 'edit', path, content });
const change = (path: string, from: string, to: string) => ({
  type: 'edit',
  path,
  edits: [{ search: `${from}\n`, replace: `${to}\n` }],
});

function project(fixes: string[], verify: string[] = []) {
  const plan = [replyWith([edit('a.txt', NEW)]), ...fixes].join('\n');
  return create(
    {
      a: { name: 'a', owns: ['a.txt'], plan, verify },
      b: {
        name: 'b',
        owns: ['b.md'],
        deps: ['a'],
        plan: replyWith([{ type: 'create', path: 'b.md', content: 'b\n' }]),
        verify: ['! grep -q wrong a.txt || { echo "b cannot use it"; exit 1; }'],
      },
    },
    { 'a.txt': OLD },
  );
}

describe('a review that asks for changes', () => {
  it('takes back, makes what is suggested, and has the stream do the rest', async () => {
    const place = project([replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1')]);
    expect((await place.run(server)).status).toBe('complete');
    const comments = [
      await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Another word, please.' }),
      await commentOn(place.root, { path: 'a.txt', line: 5, text: '', suggestion: 'FIVE' }),
    ];
    await ask(place.root, comments, ['a.txt 2']);
    const submitted = await submit(place.root, { verdict: 'changes' });
    expect(submitted).toMatchObject({ kind: 'round', rejected: 1, files: ['a.txt'] });
    expect(submitted.round).toMatchObject({
      number: 1,
      fixes: [{ stream: 'a', fix: 'a-fix-1', comments: [comments[0]![0]] }],
      placed: [comments[1]![0]],
      left: [],
    });
    expect(place.read('a.txt')).toBe(lines([5, 'FIVE'], [30, 'thirty']));
    expect(await openRound(place.root)).toMatchObject({ round: 1, state: 'interrupted' });
    await expect(opened(place.root)).rejects.toMatchObject({ code: 'CONFLICT' });
    const run = await place.run(server);
    expect(run).toMatchObject({ status: 'complete', runId: submitted.runId });
    expect(run.of('a-fix-1')).toContain('stream.applied');
    expect(run.of('b').filter((type) => type !== 'stream.status')).toEqual([]);
    expect(place.read('a.txt')).toBe(lines([5, 'FIVE'], [30, 'better']));
    const again = await opened(place.root);
    expect(again).toMatchObject({ round: 2, comments: new Map() });
    expect(again.carried.map(({ outcome, outdated }) => [outcome, outdated])).toEqual([
      ['Done by a-fix-1.', true],
      ['Done as suggested.', true],
    ]);
    const [a] = again.files.filter(({ change: { path } }) => path === 'a.txt');
    expect(a!.hunks.map(({ id }) => again.decisions.get(id)?.kind)).toEqual([undefined, undefined]);
    const at = placeIn(place.root);
    expect(stateOfRun(at.stateDir, await findRun(at.stateDir, undefined))).toBe('complete');
  });

  it('asks again with what went wrong, and with what was asked for', async () => {
    const place = project([
      replyWith([change('a.txt', 'thirty', 'wrong')], 'a-fix-1'),
      replyWith([change('a.txt', 'thirty', 'right')], 'a-fix-2'),
    ]);
    const { runId } = await place.run(server);
    const comment = await commentOn(place.root, {
      path: 'a.txt',
      line: 30,
      text: 'Another word, please.',
    });
    await ask(place.root, [comment]);
    await submit(place.root, { verdict: 'changes' });
    const run = await place.run(server);
    expect(run.status).toBe('complete');
    expect(place.read('a.txt')).toBe(NEW.replace('thirty', 'right'));
    const fixes = run.events.flatMap((event) => (event.type === 'stream.fix' ? [event] : []));
    expect(fixes.map(({ fix, attempt, of }) => [fix, attempt, of])).toEqual([
      ['a-fix-1', 1, 3],
      ['a-fix-2', 2, 3],
    ]);
    const first = question(place, runId, 'a-fix-1');
    expect(first).toContain('Another word, please.');
    expect(first).toContain('a.txt, line 30');
    expect(first).not.toContain('went wrong');
    const second = question(place, runId, 'a-fix-2');
    expect(second).toContain('Another word, please.');
    expect(second).toContain('b cannot use it');
    expect(second).toContain('This is attempt 2 of 3.');
    const { carried, comments } = await opened(place.root);
    expect(carried[0]?.outcome).toBe('Done by a-fix-2.');
    expect(comments.size).toBe(0);
  });

  it('opens again with the comments where the changes fail, and what was taken back stays so', async () => {
    const wrong = [change('a.txt', 'thirty', 'wrong')];
    const place = project([1, 2, 3].map((number) => replyWith(wrong, `a-fix-${number}`)));
    await place.run(server);
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment], ['a.txt 0']);
    await submit(place.root, { verdict: 'changes' });
    const run = await place.run(server);
    expect(run.status).toBe('complete');
    expect(run.of('a-fix-3')).toContain('stream.failed');
    expect(place.read('a.txt')).toBe(lines([30, 'thirty'], [55, 'last']));
    expect(place.streams()['a']).toMatchObject({ status: 'complete' });
    expect(place.streams()['a']?.error).toBeUndefined();
    const again = await opened(place.root);
    expect(again.round).toBe(2);
    expect(again.failed).toMatchObject({ stream: 'a-fix-3' });
    expect(again.failed?.output).toContain('b cannot use it');
    expect([...again.comments]).toEqual([comment]);
    expect(again.carried[0]?.outcome).toMatch(/^Not done: a-fix-3: /);
    // The next round has attempts of its own, and counts on.
    await submit(place.root, { verdict: 'changes' });
    const next = await place.run(server);
    const fix = next.events.find((event) => event.type === 'stream.fix');
    expect(fix).toMatchObject({ fix: 'a-fix-4', attempt: 1, of: 3 });
  });

  it('changes nothing where the checks do not pass without what was rejected', async () => {
    const place = project([], ['grep -q five a.txt || { echo "five is missing"; exit 1; }']);
    await place.run(server);
    const before = place.tree();
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment], ['a.txt 0']);
    const submitted = await submit(place.root, { verdict: 'changes' });
    expect(submitted).toMatchObject({ kind: 'failed', failed: { stream: 'a' } });
    expect(place.tree()).toEqual(before);
    expect(await openRound(place.root)).toBeUndefined();
    const again = await opened(place.root);
    expect(again).toMatchObject({ round: 1, failed: { stream: 'a' } });
    expect([...again.comments]).toEqual([comment]);
    await ask(place.root, [comment]);
    expect(await submit(place.root, { verdict: 'changes' })).toMatchObject({ kind: 'round' });
  });

  it('is submitted once: a second one for the same round is refused, and so is one in its middle', async () => {
    const place = project([replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1')]);
    await place.run(server);
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment]);
    const both = await Promise.allSettled([
      submit(place.root, { verdict: 'changes', round: 1 }),
      submit(place.root, { verdict: 'changes', round: 1 }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(submit(place.root)).rejects.toMatchObject({
      message: expect.stringContaining('was cut off'),
    });
    await place.run(server);
    await expect(submit(place.root, { verdict: 'changes', round: 1 })).rejects.toMatchObject({
      message: expect.stringContaining('Round 1 of the review'),
    });
    expect(place.read('a.txt')).toBe(NEW.replace('thirty', 'better'));
  });

  it('takes everything back at one word', async () => {
    const place = project([]);
    await place.run(server);
    expect(await submit(place.root, { verdict: 'reject' })).toMatchObject({
      kind: 'applied',
      rejected: 4,
    });
    expect(place.read('a.txt')).toBe(OLD);
    expect(place.exists('b.md')).toBe(false);
  });

  it('takes answers that were given elsewhere', async () => {
    const place = project([replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1')]);
    await place.run(server);
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    const { files } = await opened(place.root);
    const [first] = files[0]!.hunks;
    const decisions = new Map([[first!.id, { kind: 'rejected' } as const]]);
    const answers = { decisions, comments: new Map([comment]) };
    const submitted = await submit(place.root, { verdict: 'changes', answers });
    expect(submitted).toMatchObject({ kind: 'round', accepted: 0, rejected: 1 });
    await place.run(server);
    expect(place.read('a.txt')).toBe(lines([30, 'better'], [55, 'last']));
  });
});

const question = (place: Project, runId: string, stream: string) =>
  readFileSync(
    callFileOf(placeIn(place.root).stateDir, runId, { stream, attempt: 1, call: 1 }),
    'utf8',
  );

describe('who makes the changes that a review asks for', () => {
  const bytes = (text: string) => `${text}\u0000\n`;

  it('is the last stream that wrote the file and may write it still', async () => {
    const place = create(
      {
        a: { name: 'a', owns: ['*.txt'], plan: replyWith([edit('a.txt', NEW)]) },
        b: {
          name: 'b',
          owns: ['a.txt'],
          deps: ['a'],
          plan: [
            replyWith([change('a.txt', 'line 2', 'two')]),
            replyWith([change('a.txt', 'thirty', 'better')], 'b-fix-1'),
          ].join('\n'),
        },
      },
      { 'a.txt': OLD },
    );
    await place.run(server);
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment]);
    const { round } = await submit(place.root, { verdict: 'changes' });
    expect(round?.fixes).toMatchObject([{ stream: 'b', fix: 'b-fix-1' }]);
    expect((await place.run(server)).status).toBe('complete');
    expect(place.read('a.txt')).toContain('better\n');
    const yaml = place.read('millrace.yaml');
    place.write('millrace.yaml', yaml.replaceAll('"a.txt"', '"b.txt"'));
    const next = await commentOn(place.root, { path: 'a.txt', line: 55, text: 'Better.' });
    await ask(place.root, [next]);
    const second = await submit(place.root, { verdict: 'changes' });
    expect(second.round?.fixes).toMatchObject([{ stream: 'a', fix: 'a-fix-1' }]);
  });

  it('is nobody where no stream may write the file any more: the comment says so, and waits', async () => {
    const place = project([]);
    await place.run(server);
    const comments = [
      await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' }),
      await commentOn(place.root, { path: 'a.txt', line: 5, suggestion: 'FIVE' }),
    ];
    await ask(place.root, comments);
    place.write('millrace.yaml', place.read('millrace.yaml').replace('"a.txt"', '"c.txt"'));
    const { round, kind } = await submit(place.root, { verdict: 'changes' });
    const why = 'no stream of the manifest may write a.txt any more';
    expect([kind, round?.fixes, round?.placed]).toEqual(['round', [], []]);
    expect(round?.left.map((one) => one.why)).toEqual([why, why]);
    const again = await opened(place.root);
    expect(again.round).toBe(2);
    expect([...again.comments]).toEqual(comments);
    expect(again.carried[0]?.outcome).toBe(`Not done: ${why}.`);
    expect(place.read('a.txt')).toBe(NEW);
  });

  it('brings back a file that was deleted, and says where it cannot change one that is no text', async () => {
    const kept = replyWith([{ type: 'create', path: 'old.txt', content: 'kept\n' }], 'a-fix-1');
    const image = (text: string, stream?: string) =>
      replyWith([{ type: 'create', path: 'image', content: bytes(text) }], stream);
    const fixes = [1, 2, 3].map((number) => image('second', `i-fix-${number}`));
    const place = create(
      {
        a: {
          name: 'a',
          owns: ['old.txt'],
          plan: `${replyWith([{ type: 'delete', path: 'old.txt' }])}\n${kept}`,
        },
        i: { name: 'i', owns: ['image'], plan: [image('first'), ...fixes].join('\n') },
      },
      { 'old.txt': 'old\n' },
    );
    expect((await place.run(server)).status).toBe('complete');
    const comments = [
      await commentOn(place.root, { path: 'image', line: 0, text: 'Another picture.' }),
      await commentOn(place.root, {
        path: 'old.txt',
        side: 'old',
        line: 1,
        text: 'Keep it.',
        quoted: 'old\n',
      }),
    ];
    await ask(place.root, comments);
    const { runId } = await submit(place.root, { verdict: 'changes' });
    const run = await place.run(server);
    expect(question(place, runId, 'i-fix-1')).toContain('image, the file as a whole');
    expect(question(place, runId, 'a-fix-1')).toContain('old.txt, line 1 before the change');
    expect(run.of('a-fix-1')).toContain('stream.completed');
    expect(place.read('old.txt')).toBe('kept\n');
    expect(place.read('image')).toBe(bytes('first'));
    const again = await opened(place.root);
    expect(again.carried.map(({ outcome }) => outcome)).toEqual([
      expect.stringMatching(/^Not done: i-fix-\d: .*exists/),
      'Done by a-fix-1.',
    ]);
    expect([...again.comments.keys()]).toEqual([comments[0]![0]]);
  });

  it('is the stream where a suggestion does not fit: its lines go, or two are for the same ones', async () => {
    const place = project([]);
    await place.run(server);
    const comments = [
      await commentOn(place.root, { path: 'a.txt', line: 5, suggestion: 'FIVE' }),
      await commentOn(place.root, { path: 'a.txt', line: 30, suggestion: 'one' }),
      await commentOn(place.root, { path: 'a.txt', line: 29, endLine: 30, suggestion: 'other' }),
      await commentOn(place.root, { path: 'a.txt', line: 55, suggestion: 'LAST' }),
    ];
    await ask(place.root, comments, ['a.txt 0']);
    const { round } = await submit(place.root, { verdict: 'changes' });
    expect(round?.placed).toEqual([comments[3]![0]]);
    expect(round?.fixes[0]?.comments).toEqual(comments.slice(0, 3).map(([id]) => id));
    expect(place.read('a.txt')).toBe(lines([30, 'thirty'], [55, 'LAST']));
  });

  it('is no run that another one followed', async () => {
    const place = project([]);
    const first = await place.run(server);
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment]);
    place.write('millrace.yaml', place.read('millrace.yaml').replaceAll('b.md', 'c.md'));
    const only = { only: ['b'], from: [], skip: [] };
    await place.run(server, { selection: only });
    const before = place.tree();
    const at = placeIn(place.root);
    const run = await findRun(at.stateDir, first.runId);
    const options = submitOptions({ verdict: 'changes' });
    await expect(submitReview(at, run, options)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('ran the same manifest after it'),
    });
    expect(place.tree()).toEqual(before);
    expect((await openReview(at, run)).comments.size).toBe(1);
  });
});

describe('a run that makes the changes of a review', () => {
  it('pauses when its budget is used up: the review can go on, and the changes are made later', async () => {
    const plan = [
      replyWith([edit('a.txt', NEW)]),
      replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1'),
    ];
    const place = create(
      { a: { name: 'a', owns: ['a.txt'], plan: plan.join('\n') } },
      { 'a.txt': OLD },
    );
    await place.run(server, { model: PRICED_MODEL, maxCostUsd: 20 });
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment]);
    await submit(place.root, { verdict: 'changes' });
    const paused = await place.run(server, { model: PRICED_MODEL, maxCostUsd: 0.0001 });
    expect(paused).toMatchObject({ status: 'paused', halt: { kind: 'budget' } });
    expect(await openRound(place.root)).toMatchObject({ round: 1, state: 'paused' });
    const { round, carried } = await opened(place.root);
    expect([round, carried[0]?.outcome]).toEqual([2, undefined]);
    await answer(place.root, ['a.txt 0']);
    expect(await submit(place.root)).toMatchObject({ kind: 'applied', files: ['a.txt'] });
    const another = await commentOn(place.root, { path: 'a.txt', line: 55, text: 'Better.' });
    await ask(place.root, [another]);
    await expect(submit(place.root, { verdict: 'changes' })).rejects.toMatchObject({
      message: expect.stringContaining('the changes that round 1 asked for are not made yet'),
    });
    const resumed = await place.run(server, { model: PRICED_MODEL, maxCostUsd: 20 });
    expect(resumed).toMatchObject({ status: 'complete', runId: paused.runId });
    expect(place.read('a.txt')).toBe(lines([30, 'better'], [55, 'last']));
    expect((await opened(place.root)).carried[0]?.outcome).toBe('Done by a-fix-1.');
  });

  it('has them approved where the stream has its changes approved', async () => {
    const plan = [
      replyWith([edit('a.txt', NEW)]),
      replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1'),
    ];
    const stream = { name: 'a', owns: ['a.txt'], approve: ['changes'], plan: plan.join('\n') };
    const place = create({ a: stream }, { 'a.txt': OLD });
    const client = new MillraceClient(server.url, server.key);
    const resolveNext = (about: string, decision: 'approve' | 'deny') =>
      waitUntil(async () => {
        const { items } = await client.approvals.list({ status: 'open' });
        const asked = items.find(({ title }) => title.includes(`changes of ${about}:`));
        if (asked === undefined) return undefined;
        return client.approvals.resolve(asked.id, { decision, hash: asked.hash });
      }, `a question about ${about}`);
    const running = place.run(server);
    await resolveNext('a', 'approve');
    await running;
    const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
    await ask(place.root, [comment]);
    await submit(place.root, { verdict: 'changes' });
    const fixing = place.run(server);
    await resolveNext('a-fix-1', 'deny');
    expect((await fixing).status).toBe('complete');
    expect(place.read('a.txt')).toBe(NEW);
    const again = await opened(place.root);
    expect([...again.comments]).toEqual([comment]);
    expect(again.carried[0]?.outcome).toMatch(
      /^Not done: a-fix-1: .* denied the changes of a-fix-1/,
    );
  });
});

it('is made later where its run was stopped: by the run, once', async () => {
  const place = project([replyWith([change('a.txt', 'thirty', 'better')], 'a-fix-1')]);
  const { runId } = await place.run(server);
  const comment = await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Better.' });
  await ask(place.root, [comment], ['a.txt 2']);
  await submit(place.root, { verdict: 'changes' });
  const stop = new AbortController();
  const stopped = await place.run(server, {
    stop: stop.signal,
    onEvent: (event) => {
      if (event.type === 'stream.started' && event.stream === 'a-fix-1') stop.abort();
    },
  });
  expect(stopped).toMatchObject({ status: 'cancelled', runId });
  expect(place.read('a.txt')).toBe(lines([5, 'five'], [30, 'thirty']));
  expect(await openRound(place.root)).toMatchObject({ round: 1, state: 'stopped' });
  // It can be reviewed meanwhile, and nothing else can be asked for.
  expect((await opened(place.root)).carried.map(({ outcome }) => outcome)).toEqual([undefined]);
  await ask(place.root, [comment]);
  await expect(submit(place.root, { verdict: 'changes' })).rejects.toMatchObject({
    message: expect.stringContaining('the changes that round 1 asked for are not made yet'),
  });
  const resumed = await place.run(server);
  expect(resumed).toMatchObject({ status: 'complete', runId });
  expect(place.read('a.txt')).toBe(lines([5, 'five'], [30, 'better']));
  expect(await openRound(place.root)).toBeUndefined();
  expect((await opened(place.root)).carried.map(({ outcome }) => outcome)).toEqual([
    'Done by a-fix-1.',
  ]);
  // Of other streams: the stopped run is closed, and what was asked for waits in the review.
  await ask(place.root, [await commentOn(place.root, { path: 'b.md', line: 1, text: 'More.' })]);
  await submit(place.root, { verdict: 'changes' });
  const again = new AbortController();
  again.abort();
  await place.run(server, { stop: again.signal });
  expect(await openRound(place.root)).toMatchObject({ round: 2, state: 'stopped' });
  const only = { only: ['b'], from: [], skip: [] };
  expect((await place.run(server, { selection: only })).runId).not.toBe(runId);
  const at = placeIn(place.root);
  const first = await openReview(at, await findRun(at.stateDir, runId));
  expect([...first.comments.values()].map(({ text }) => text)).toContain('More.');
});

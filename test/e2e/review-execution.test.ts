// millrace apply exec_... --review-in web: what an execution has made is decided in the browser before it is written; and
// millrace review exec_...: the same about what was applied.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { Review } from '../../src/contract/review-api.ts';
import { artifactOf, clientOf, planOf, replyOf } from '../executions/execution.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { createRunProject } from '../terminal/run-project.ts';
import type { RunProject, StartedRun } from '../terminal/run-project.ts';

const server = useServer();
let project: RunProject;
let client: MillraceClient;
let started: StartedRun[] = [];
beforeEach(async () => {
  project = await createRunProject(server());
  client = new MillraceClient(server().url, project.settings['MILLRACE_API_KEY']!);
});
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  await project.remove();
});

const OLD = 'one\ntwo\n';
const create = (path: string) => ({ type: 'create', path, content: `${path}\nsecond\n` });
const better = { ...create('a.txt'), content: 'a.txt\nbetter\n' };

/** Two steps, and what the simulator answers when the first one is asked again. */
async function execute(fix: object[] = [better]): Promise<string> {
  await project.write('old.txt', OLD);
  const edit = { type: 'edit', path: 'old.txt', edits: [{ oldText: 'two', newText: 'TWO' }] };
  const task = [
    'Write the files.',
    planOf({ first: 'owns: [a.txt, b.txt]', second: 'owns: [c.txt, old.txt]' }),
    replyOf('first', artifactOf(['a.txt', 'b.txt'].map(create))),
    replyOf('second', artifactOf([create('c.txt'), edit])),
    replyOf('first-fix-1', artifactOf(fix)),
  ].join('\n');
  const executions = clientOf(server(), project.settings['MILLRACE_API_KEY']!);
  const contents = { 'old.txt': OLD };
  const id = await executions.start({ task, context: { files: ['old.txt'], contents } });
  const { status, result } = await executions.ended(id);
  expect(status, JSON.stringify(result)).toBe('completed');
  return id;
}

function start(...args: string[]): StartedRun {
  const run = project.start([...args, '--review-in', 'web', '--yes']);
  started.push(run);
  return run;
}

const nextReview = (not: readonly string[] = []): Promise<Review> =>
  waitUntil(async () => {
    const { items } = await client.approvals.list({ status: 'open' });
    const found = items.find(({ id, hasReview }) => hasReview && !not.includes(id));
    const one = found && (await client.reviews.get(found.id));
    return one?.state === 'open' ? one : undefined;
  }, 'a review that is open');

const hunkOf = ({ files }: Review, path: string) =>
  files.find((file) => file.path === path)!.hunks[0]!.id;

interface Said {
  accepted?: string[];
  rejected?: string[];
  comment?: { path: string; text?: string; suggestion?: string };
}

async function submit(
  asked: Review,
  verdict: 'apply' | 'changes',
  { accepted = [], rejected = [], comment }: Said = {},
): Promise<void> {
  const decisions = Object.fromEntries([
    ...accepted.map((path) => [hunkOf(asked, path), 'accepted'] as const),
    ...rejected.map((path) => [hunkOf(asked, path), 'rejected'] as const),
  ]);
  const about = { side: 'new' as const, line: 2, quoted: 'second\n', text: '' };
  const comments = comment && {
    comment01: { ...about, ...comment, hunk: hunkOf(asked, comment.path) },
  };
  const { approvalId, hash } = asked;
  await client.reviews.changeDraft(approvalId, { decisions, ...(comments && { comments }) });
  await client.approvals.resolve(approvalId, { decision: 'approve', hash, verdict });
}

async function jobCount(): Promise<number> {
  const key = project.settings['MILLRACE_API_KEY']!;
  const { body } = await server().call('GET', '/api/v1/jobs', { key });
  return (body['items'] as unknown[]).length;
}

const holds = (path: string) => existsSync(join(project.folder, path));
const NAMES = ['a.txt', 'b.txt', 'c.txt'];

async function expectNothingWritten(): Promise<void> {
  for (const path of NAMES) expect(holds(path), path).toBe(false);
  expect(await project.read('old.txt')).toBe(OLD);
}

describe('an execution that is reviewed in the browser', () => {
  it('writes what is accepted, once, and takes back just that', async () => {
    verifies('reviews.of-executions');
    const id = await execute();
    const run = start('apply', id);
    const asked = await nextReview();
    expect(asked).toMatchObject({ runId: id, isApplied: false, round: 1 });
    expect(asked.command).toMatch(new RegExp(`apply ${id} --review-in web$`));
    expect(asked.files.map(({ path, streams }) => [path, streams])).toEqual([
      ['a.txt', ['first']],
      ['b.txt', ['first']],
      ['c.txt', ['second']],
      ['old.txt', ['second']],
    ]);
    await expectNothingWritten();
    await submit(asked, 'apply', { accepted: ['a.txt', 'old.txt'], rejected: ['b.txt', 'c.txt'] });
    expect(await run.ended, run.stderr()).toBe(0);
    expect(run.stdout()).toContain(`Applied 2 files of ${id}.`);
    expect(NAMES.map(holds)).toEqual([true, false, false]);
    expect(await project.read('old.txt')).toBe('one\nTWO\n');
    expect((await client.reviews.get(asked.approvalId)).outcome).toMatchObject({ kind: 'applied' });
    // What was turned down stays away.
    const again = await project.millrace(['apply', id]);
    expect(again.stdout).toContain('is already applied');
    expect(NAMES.map(holds)).toEqual([true, false, false]);
    expect((await project.millrace(['revert', id])).stdout).toContain('Reverted 2 files');
    await expectNothingWritten();
    // And is asked about again after that.
    const anew = start('apply', id);
    const second = await nextReview([asked.approvalId]);
    expect(second).toMatchObject({ previous: null, round: 1, draft: { decisions: {} } });
    expect(second.files).toHaveLength(4);
    const { approvalId, hash } = second;
    await client.approvals.resolve(approvalId, { decision: 'deny', hash });
    expect(await anew.ended, anew.stderr()).toBe(0);
    expect(anew.stdout()).toContain('nothing was written');
    await expectNothingWritten();
  });

  it('makes what is asked for before it writes anything, wherever it is killed', async () => {
    const id = await execute();
    const first = start('apply', id);
    const asked = await nextReview();
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(130);
    expect(first.stderr()).toMatch(new RegExp(`Carry it out with: .*apply ${id} --review-in web`));
    await submit(asked, 'changes', {
      accepted: ['c.txt', 'old.txt'],
      rejected: ['b.txt'],
      comment: { path: 'a.txt', text: 'Better!' },
    });
    await expectNothingWritten();
    const second = start('apply', id);
    await waitUntil(async () => /Making the changes/.test(second.stderr()), 'the round');
    second.child.kill('SIGKILL');
    await second.ended;
    const third = start('apply', id);
    const round = await nextReview([asked.approvalId]);
    expect(round).toMatchObject({ round: 2, isApplied: false, previous: asked.approvalId });
    expect(round.comments).toMatchObject([{ id: 'comment01', outcome: 'Done by first-fix-1.' }]);
    expect(round.files.map(({ path }) => path)).toEqual(['a.txt', 'c.txt', 'old.txt']);
    expect((await client.reviews.get(asked.approvalId)).outcome).toMatchObject({ kind: 'round' });
    await expectNothingWritten();
    third.child.kill('SIGKILL');
    await third.ended;
    await submit(round, 'apply', { accepted: ['a.txt'] });
    const last = start('apply', id);
    expect(await last.ended, last.stderr()).toBe(0);
    expect(await project.read('a.txt')).toBe('a.txt\nbetter\n');
    expect(NAMES.map(holds)).toEqual([true, false, true]);
    expect(await project.read('old.txt')).toBe('one\nTWO\n');
    expect((await project.millrace(['revert', id])).stdout).toContain('Reverted 3 files');
    await expectNothingWritten();
  });

  it('is written whole and once, wherever the command is killed while it writes', async () => {
    const id = await execute();
    const run = start('apply', id);
    const asked = await nextReview();
    await submit(asked, 'apply', { accepted: ['a.txt', 'c.txt', 'old.txt'], rejected: ['b.txt'] });
    // With the first file, in the middle of all that follows.
    await waitUntil(async () => NAMES.some(holds) || run.child.exitCode !== null, 'a file');
    run.child.kill('SIGKILL');
    await run.ended;
    const again = start('apply', id);
    expect(await again.ended, again.stderr()).toBe(0);
    expect(NAMES.map(holds)).toEqual([true, false, true]);
    expect(await project.read('old.txt')).toBe('one\nTWO\n');
    expect(await client.reviews.get(asked.approvalId)).toMatchObject({
      state: 'closed',
      outcome: { kind: 'applied' },
    });
    expect((await client.approvals.list({ status: 'open' })).items).toEqual([]);
    expect((await project.millrace(['revert', id])).stdout).toContain('Reverted 3 files');
    await expectNothingWritten();
  });

  it('keeps the comment where its fix fails, and the rest as it was left', async () => {
    // Nobody asked for this file, and the fix may not write it.
    const id = await execute([create('other.txt')]);
    const run = start('apply', id);
    const asked = await nextReview();
    const accepted = ['b.txt', 'c.txt', 'old.txt'];
    await submit(asked, 'changes', { accepted, comment: { path: 'a.txt', text: 'Better!' } });
    const round = await nextReview([asked.approvalId]);
    expect(round.round).toBe(2);
    expect(round.comments[0]!.outcome).toBe(
      'Not done: first-fix-1: other.txt is not what the comments are about.',
    );
    expect(round.files.map(({ path }) => path)).toEqual([...NAMES, 'old.txt']);
    await waitUntil(async () => {
      const { draft } = await client.reviews.get(round.approvalId);
      return draft.comments['comment01']?.text === 'Better!';
    }, 'the comment, to be submitted again');
    await expectNothingWritten();
    await submit(round, 'apply', { accepted: ['a.txt'] });
    expect(await run.ended, run.stderr()).toBe(0);
    expect(await project.read('a.txt')).toBe('a.txt\nsecond\n');
    expect(NAMES.map(holds)).toEqual([true, true, true]);
    expect(holds('other.txt')).toBe(false);
  });

  it('makes suggestions without a model', async () => {
    const id = await execute();
    const run = start('apply', id);
    const asked = await nextReview();
    const before = await jobCount();
    const comment = { path: 'a.txt', suggestion: 'suggested\n' };
    await submit(asked, 'changes', { accepted: ['b.txt', 'c.txt', 'old.txt'], comment });
    const round = await nextReview([asked.approvalId]);
    expect(round.comments).toMatchObject([{ outcome: 'Done as suggested.' }]);
    await submit(round, 'apply', { accepted: ['a.txt'] });
    expect(await run.ended, run.stderr()).toBe(0);
    expect(await project.read('a.txt')).toBe('a.txt\nsuggested\n');
    expect(await jobCount()).toBe(before);
  });

  it('writes nothing where a file has changed meanwhile, and asks again', async () => {
    const id = await execute();
    const run = start('apply', id);
    const asked = await nextReview();
    await project.write('old.txt', 'by hand\ntwo\n');
    await submit(asked, 'apply', { accepted: [...NAMES, 'old.txt'] });
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain('Nothing was written: files have changed since the review.');
    expect(await project.read('old.txt')).toBe('by hand\ntwo\n');
    expect(NAMES.map(holds)).toEqual([false, false, false]);
    const again = start('apply', id);
    const second = await nextReview([asked.approvalId]);
    expect(Object.keys(second.draft.decisions).length).toBeGreaterThan(2);
    await submit(second, 'apply', { accepted: ['old.txt'] });
    expect(await again.ended, again.stderr()).toBe(0);
    expect(await project.read('old.txt')).toBe('by hand\nTWO\n');
    expect(NAMES.map(holds)).toEqual([true, true, true]);
  });

  it('looks through what was applied, and makes changes of it', async () => {
    const edit = { type: 'edit', path: 'a.txt', edits: [{ oldText: 'second', newText: 'better' }] };
    const id = await execute([edit]);
    expect((await project.millrace(['apply', id])).code).toBe(0);
    const run = start('review', id);
    const asked = await nextReview();
    expect(asked).toMatchObject({ isApplied: true, runId: id });
    await submit(asked, 'changes', {
      accepted: ['c.txt', 'old.txt'],
      rejected: ['b.txt'],
      comment: { path: 'a.txt', text: 'Better!' },
    });
    const round = await nextReview([asked.approvalId]);
    expect(NAMES.map(holds)).toEqual([true, false, true]);
    expect(await project.read('a.txt')).toBe('a.txt\nbetter\n');
    expect(round.comments).toMatchObject([{ outcome: 'Done by first-fix-1.' }]);
    await submit(round, 'apply', { accepted: ['a.txt'] });
    expect(await run.ended, run.stderr()).toBe(0);
    expect(run.stdout()).toContain('everything is kept');
    expect((await project.millrace(['revert', id])).stdout).toContain('Reverted 3 files');
    await expectNothingWritten();
    start('apply', id);
    const anew = await nextReview([asked.approvalId, round.approvalId]);
    expect(anew).toMatchObject({ round: 1, previous: null, isApplied: false, comments: [] });
    expect(anew.draft.decisions).toEqual({});
    expect(anew.files).toHaveLength(4);
  });
});

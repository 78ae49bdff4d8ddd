// millrace review --review-in web: what a run has written is decided in the browser; the command waits, is killed, and
// carries it out when it comes back.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { Review, ReviewVerdict } from '../../src/contract/review-api.ts';
import { journalOf, runFolderOf } from '../../src/orchestrator/state/run-folder.ts';
import { readJournal } from '../../src/orchestrator/state/journal.ts';
import { replyWith } from '../orchestrator/review-project.ts';
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

const written = (path: string) => ({ type: 'create', path, content: `${path}\nsecond\n` });
const better = {
  type: 'edit',
  path: 'a.txt',
  edits: [{ search: 'second\n', replace: 'better\n' }],
};

/** Its checks wait for as long as there is a file named hold. */
async function prepare(): Promise<string> {
  const streams = {
    a: {
      name: 'A',
      owns: ['a.txt', 'b.txt', 'c.txt'],
      plan: [
        replyWith(['a.txt', 'b.txt', 'c.txt'].map(written)),
        replyWith([better], 'a-fix-1'),
      ].join('\n'),
      verify: [
        'while test -e hold; do touch held; sleep 0.1; done',
        `test ! -e broken # ${'long '.repeat(600)}`,
      ],
    },
  };
  await project.write('m.yaml', JSON.stringify({ feature: 'R', model: 'sim-instant', streams }));
  const ran = await project.millrace(['run', 'm.yaml', '--yes']);
  expect(ran.code, ran.stderr).toBe(0);
  return /run_\w+/.exec(ran.stdout + ran.stderr)![0];
}

function review(...more: string[]): StartedRun {
  const run = project.start(['review', '--review-in', 'web', '--yes', ...more]);
  started.push(run);
  return run;
}

function nextReview(not: readonly string[] = []): Promise<Review> {
  return waitUntil(async () => {
    const { items } = await client.approvals.list({ status: 'open' });
    const found = items.find(({ id, hasReview }) => hasReview && !not.includes(id));
    const one = found && (await client.reviews.get(found.id));
    return one?.state === 'open' ? one : undefined;
  }, 'a review that is open');
}

const hunkOf = ({ files }: Review, path: string) =>
  files.find((file) => file.path === path)!.hunks[0]!.id;

async function submit(
  asked: Review,
  verdict: Exclude<ReviewVerdict, 'reject'>,
  decided: Record<string, 'accepted' | 'rejected'> = {},
  comment?: string,
): Promise<void> {
  const decisions = Object.fromEntries(
    Object.entries(decided).map(([path, kind]) => [hunkOf(asked, path), kind]),
  );
  const about = { path: 'a.txt', side: 'new' as const, line: 2, quoted: 'second\n' };
  const hunk = hunkOf(asked, 'a.txt');
  const comments = comment && { comment01: { ...about, hunk, text: comment } };
  await client.reviews.changeDraft(asked.approvalId, { decisions, ...(comments && { comments }) });
  const { approvalId, hash } = asked;
  await client.approvals.resolve(approvalId, { decision: 'approve', hash, verdict });
}

const holds = (path: string) => existsSync(join(project.folder, path));

async function reviewsOf(runId: string) {
  const { events } = await readJournal(journalOf(await project.stateDir(), runId));
  return events.filter(({ type }) => type === 'run.reviewed');
}

describe('a review in the browser of what a run has written', () => {
  it('makes the changes that were asked for, and asks about them', async () => {
    verifies('reviews.in-browser');
    const runId = await prepare();
    const run = review();
    const first = await nextReview();
    expect(first).toMatchObject({ isApplied: true, round: 1, runId });
    await waitUntil(
      async () => run.stderr().includes(`${server().url}/approvals/${first.approvalId}`),
      'the address',
    );
    await submit(first, 'changes', { 'b.txt': 'accepted', 'c.txt': 'rejected' }, 'Better!');
    const second = await nextReview([first.approvalId]);
    expect(second).toMatchObject({ round: 2, previous: first.approvalId });
    expect(second.comments).toMatchObject([{ id: 'comment01', outdated: true, round: 1 }]);
    expect(second.draft.decisions).toMatchObject({ [hunkOf(second, 'b.txt')]: 'accepted' });
    expect(second.draft.decisions[hunkOf(second, 'a.txt')]).toBeUndefined();
    expect(second.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(await client.reviews.get(first.approvalId)).toMatchObject({
      outcome: { kind: 'round' },
    });
    await submit(second, 'apply', { 'a.txt': 'accepted' });
    expect(await run.ended, run.stderr()).toBe(0);
    expect(run.stdout()).toContain(`Reviewed ${runId}: everything is kept.`);
    expect(await project.read('a.txt')).toBe('a.txt\nbetter\n');
    expect(await project.read('b.txt')).toBe('b.txt\nsecond\n');
    expect(holds('c.txt')).toBe(false);
    expect(await client.reviews.get(second.approvalId)).toMatchObject({
      state: 'closed',
      outcome: { kind: 'applied' },
    });
    expect(await reviewsOf(runId)).toHaveLength(2);
  });

  it('is carried out once, however often the command is killed', async () => {
    const runId = await prepare();
    const killed = review();
    const first = await nextReview();
    killed.child.kill('SIGKILL');
    await killed.ended;
    // It had not come to write down what it asked.
    const folder = runFolderOf(await project.stateDir(), runId);
    await rm(join(folder, 'review-on-server.json'), { force: true });
    // Nobody waits for it now.
    await submit(first, 'changes', { 'c.txt': 'rejected' }, 'Better!');
    expect(await client.reviews.get(first.approvalId)).toMatchObject({ state: 'submitted' });
    await project.write('hold', '');
    const checking = review();
    await waitUntil(async () => holds('held'), 'the check without what was rejected');
    expect(holds('c.txt')).toBe(false);
    checking.child.kill('SIGKILL');
    await checking.ended;
    await rm(join(project.folder, 'hold'));
    const last = review();
    const second = await nextReview([first.approvalId]);
    expect(second.round).toBe(2);
    expect(await client.reviews.get(first.approvalId)).toMatchObject({
      outcome: { kind: 'round' },
    });
    await submit(second, 'apply', { 'a.txt': 'accepted', 'b.txt': 'accepted' });
    expect(await last.ended, last.stderr()).toBe(0);
    expect(await project.read('a.txt')).toBe('a.txt\nbetter\n');
    expect(holds('c.txt')).toBe(false);
    expect(await reviewsOf(runId)).toHaveLength(2);
  });

  it('is asked again where a check fails without what was rejected, and ends with what was kept', async () => {
    await prepare();
    await project.write('broken', '');
    const run = review();
    const first = await nextReview();
    await submit(first, 'apply', { 'b.txt': 'accepted', 'c.txt': 'rejected' });
    const second = await nextReview([first.approvalId]);
    expect(second.failed).toMatchObject({ stream: 'a' });
    expect(await client.reviews.get(first.approvalId)).toMatchObject({
      outcome: { kind: 'failed' },
    });
    // What would fail again is there to be seen and changed.
    expect(second.draft.decisions).toEqual({
      [hunkOf(second, 'b.txt')]: 'accepted',
      [hunkOf(second, 'c.txt')]: 'rejected',
    });
    expect(holds('c.txt')).toBe(true);
    await rm(join(project.folder, 'broken'));
    const { approvalId, hash } = second;
    await client.approvals.resolve(approvalId, { decision: 'deny', hash });
    expect(await run.ended, run.stderr()).toBe(0);
    for (const path of ['a.txt', 'b.txt', 'c.txt']) expect(holds(path), path).toBe(false);
    const none = review();
    expect(await none.ended).toBe(0);
    expect(none.stderr()).toContain('wrote nothing that can be reviewed');
  });

  it('stays open when the command is stopped, and what was said is there when the files change', async () => {
    const runId = await prepare();
    const run = review();
    const first = await nextReview();
    await client.reviews.changeDraft(first.approvalId, {
      decisions: { [hunkOf(first, 'b.txt')]: 'accepted' },
    });
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(run.stderr()).toMatch(
      new RegExp(`Carry it out with: .*review ${runId} --review-in web`),
    );
    expect(await client.reviews.get(first.approvalId)).toMatchObject({ state: 'open' });
    await project.write('c.txt', 'by hand\n');
    const again = review(runId);
    const second = await nextReview([first.approvalId]);
    expect(second.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(second.draft.decisions).toEqual({ [hunkOf(second, 'b.txt')]: 'accepted' });
    expect((await client.approvals.get(first.approvalId)).status).toBe('withdrawn');
    const { approvalId, hash } = second;
    await client.approvals.resolve(approvalId, { decision: 'deny', hash });
    expect(await again.ended, again.stderr()).toBe(0);
    expect([holds('a.txt'), holds('b.txt'), await project.read('c.txt')]).toEqual([
      false,
      false,
      'by hand\n',
    ]);
  });

  it('keeps what was said where it can never be carried out', async () => {
    const runId = await prepare();
    const run = review(runId);
    const first = await nextReview();
    // The same manifest runs again: the first run cannot be continued any more.
    expect((await project.millrace(['run', 'm.yaml', '--yes', '--from', 'a'])).code).toBe(0);
    await submit(first, 'changes', { 'b.txt': 'accepted' }, 'Better!');
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain('ran the same manifest after it');
    expect(await client.reviews.get(first.approvalId)).toMatchObject({
      outcome: { kind: 'failed' },
    });
    review(runId);
    const second = await nextReview([first.approvalId]);
    const { comments } = await waitUntil(async () => {
      const { draft } = await client.reviews.get(second.approvalId);
      return Object.keys(draft.comments).length > 0 ? draft : undefined;
    }, 'what was said before');
    expect(Object.values(comments)).toMatchObject([{ text: 'Better!' }]);
  });

  it('begins with what was said at the terminal', async () => {
    const runId = await prepare();
    const first = review(runId);
    const asked = await nextReview();
    first.child.kill('SIGINT');
    await first.ended;
    const { writeDraft } = await import('../../src/orchestrator/review/draft.ts');
    const hunk = hunkOf(asked, 'c.txt');
    await writeDraft(await project.stateDir(), runId, {
      decisions: new Map([[hunk, { kind: 'rejected' }]]),
    });
    await project.write('b.txt', 'by hand\n');
    review(runId);
    const second = await nextReview([asked.approvalId]);
    await waitUntil(async () => {
      const { draft } = await client.reviews.get(second.approvalId);
      return draft.decisions[hunk] === 'rejected';
    }, 'what was said at the terminal');
  });
});

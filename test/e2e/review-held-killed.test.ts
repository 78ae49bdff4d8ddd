// run --review-in web, killed where a reader has asked for changes before they are written: one round, and nothing is paid twice.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { Review } from '../../src/contract/review-api.ts';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
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

function run(): StartedRun {
  const one = project.start(['run', 'm.yaml', '--review-in', 'web', '--yes']);
  started.push(one);
  return one;
}

async function kill({ child, ended }: StartedRun): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

const nextReview = (not: readonly string[] = []): Promise<Review> =>
  waitUntil(async () => {
    const { items } = await client.approvals.list({ status: 'open' });
    const found = items.find(({ id, hasReview }) => hasReview && !not.includes(id));
    const one = found && (await client.reviews.get(found.id));
    return one?.state === 'open' ? one : undefined;
  }, 'a review that is open');

const create = (path: string, content: string) => ({ type: 'create', path, content });

it('loses nothing of what was asked for, wherever the command is killed', async () => {
  verifies('reviews.held-round');
  const plan = [
    replyWith([create('a.txt', 'a\n'), create('b.txt', 'b\n'), create('c.txt', 'c\n')]),
    replyWith([create('a.txt', 'better\n'), create('c.txt', 'again\n')], 'a-fix-1'),
  ];
  const stream = { name: 'A', owns: ['*.txt'], plan: plan.join('\n') };
  const manifest = { feature: 'R', model: 'sim-instant', streams: { a: stream } };
  await project.write('m.yaml', JSON.stringify(manifest));
  const first = run();
  const asked = await nextReview();
  await kill(first);
  // Submitted while nobody waits for it.
  const hunkOf = (path: string) => asked.files.find((file) => file.path === path)!.hunks[0]!.id;
  const comment = { path: 'a.txt', side: 'new' as const, line: 1, quoted: 'a\n', text: 'Better!' };
  await client.reviews.changeDraft(asked.approvalId, {
    decisions: { [hunkOf('b.txt')]: 'accepted', [hunkOf('c.txt')]: 'rejected' },
    comments: { comment01: { ...comment, hunk: hunkOf('a.txt') } },
  });
  const { approvalId, hash } = asked;
  await client.approvals.resolve(approvalId, { decision: 'approve', hash, verdict: 'changes' });
  // As soon as the answer is in the hands of the command, which has not written down yet what follows.
  const second = run();
  const wasTaken = async () => (await client.reviews.get(approvalId)).state !== 'submitted';
  await waitUntil(wasTaken, 'the answer to be taken');
  await kill(second);
  const third = run();
  const round = await nextReview([approvalId]);
  await kill(third);
  const last = run();
  await waitUntil(async () => last.stderr().includes(round.approvalId), 'the same question');
  expect(round).toMatchObject({ round: 2, previous: approvalId });
  expect(round.files.map(({ path }) => path).sort()).toEqual(['a.txt', 'b.txt']);
  await client.approvals.resolve(round.approvalId, {
    decision: 'approve',
    hash: round.hash,
    verdict: 'apply',
  });
  expect(await last.ended, last.stderr()).toBe(0);
  expect(await project.read('a.txt')).toBe('better\n');
  expect(await project.read('b.txt')).toBe('b\n');
  await expect(project.read('c.txt')).rejects.toMatchObject({ code: 'ENOENT' });
  const { events } = await findRun(await project.stateDir(), undefined);
  expect(events.filter(({ type }) => type === 'stream.fix')).toHaveLength(1);
  const key = project.settings['MILLRACE_API_KEY']!;
  const { body } = await server().call('GET', '/api/v1/jobs', { key });
  expect(body['items']).toHaveLength(2);
});

it('keeps what was said when the run is stopped, for the next one with the same changes', async () => {
  const plan = replyWith([create('a.txt', 'a\n'), create('b.txt', 'b\n')]);
  const stream = { name: 'A', owns: ['*.txt'], plan };
  const manifest = { feature: 'R', model: 'sim-instant', streams: { a: stream } };
  await project.write('m.yaml', JSON.stringify(manifest));
  const first = run();
  const asked = await nextReview();
  const hunkOf = (path: string) => asked.files.find((file) => file.path === path)!.hunks[0]!.id;
  const about = { path: 'a.txt', side: 'new' as const, line: 1, quoted: 'a\n', text: 'Better!' };
  const decisions = { [hunkOf('b.txt')]: 'rejected' as const };
  const comments = { comment01: { ...about, hunk: hunkOf('a.txt') } };
  await client.reviews.changeDraft(asked.approvalId, { decisions, comments });
  first.child.kill('SIGINT');
  expect(await first.ended).toBe(130);
  expect(first.stderr()).toContain('what was said in reviews is kept');
  expect((await client.approvals.get(asked.approvalId)).status).toBe('withdrawn');
  const second = run();
  const again = await nextReview();
  expect(again.approvalId).not.toBe(asked.approvalId);
  expect(again).toMatchObject({ hash: asked.hash, round: 1, previous: asked.approvalId });
  expect(again.draft).toMatchObject({ decisions, comments });
  await waitUntil(
    async () => second.stderr().includes('what was said before the run was stopped'),
    'what the command says',
  );
  // Other changes are another question.
  second.child.kill('SIGINT');
  await second.ended;
  const other = { ...stream, plan: replyWith([create('a.txt', 'other\n')]) };
  await project.write('m.yaml', JSON.stringify({ ...manifest, streams: { a: other } }));
  const third = run();
  expect(await nextReview()).toMatchObject({ previous: null, draft: { comments: {} } });
  await kill(third);
});

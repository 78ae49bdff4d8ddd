// Changes of streams that wait for a reader in the browser before they are written.
import { describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { Review } from '../../src/contract/review-api.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { edits, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project } = useScriptedProjects();
const client = () => new MillraceClient(server.url, server.key);
const reviewInBrowser = { command: 'millrace run m.yaml --review-in web' };

const lines = (change: Record<number, string> = {}) =>
  Array.from({ length: 30 }, (_, at) => `${change[at] ?? `line ${at}`}\n`).join('');

/** The next one that a reader can begin with. */
function nextReview(not: readonly string[] = []): Promise<Review> {
  return waitUntil(async () => {
    const { items } = await client().approvals.list({ status: 'open' });
    const found = items.find(({ id, hasReview }) => hasReview && !not.includes(id));
    const review = found && (await client().reviews.get(found.id));
    return review?.state === 'open' ? review : undefined;
  }, 'a review that is open');
}

const submit = ({ approvalId, hash }: Review, verdict: 'apply' | 'changes') =>
  client().approvals.resolve(approvalId, { decision: 'approve', hash, verdict });

const streams = { a: { name: 'A', owns: ['**', '.claude/x.md'], plan: 'Do it.' } };

describe('changes that are reviewed in the browser', () => {
  it('are written as far as they were accepted, and what nobody said anything about with them', async () => {
    verifies('reviews.held');
    const place = project(streams, { 'a.txt': lines() });
    model().answer(() =>
      edits(
        whole('a.txt', lines({ 2: 'first', 15: 'second', 27: 'third' }), 'edit'),
        whole('b.txt', 'new\n', 'create'),
        whole('.claude/x.md', 'follow me\n', 'create'),
      ),
    );
    const running = place.run(server, { reviewInBrowser });
    const review = await nextReview();
    expect(review).toMatchObject({ isApplied: false, streamId: 'a', round: 1 });
    const shown = new Map(review.files.map((file) => [file.path, file]));
    expect([...shown.values()].map(({ streams: of }) => of)).toEqual([['a'], ['a'], ['a']]);
    expect(shown.get('.claude/x.md')).toMatchObject({ isSteering: true, kind: 'create' });
    expect(shown.get('b.txt')).toMatchObject({ isSteering: false });
    const hunks = shown.get('a.txt')!.hunks;
    expect(hunks).toMatchObject([
      { kind: 'lines', oldFrom: 2, oldTo: 3, newFrom: 2, newTo: 3 },
      { oldFrom: 15, oldTo: 16 },
      { oldFrom: 27, oldTo: 28 },
    ]);
    const { files } = await client().reviews.files(review.approvalId, { from: 0 });
    expect(files.find(({ path }) => path === 'a.txt')).toMatchObject({ before: lines() });
    expect(place.exists('b.txt')).toBe(false);
    await client().reviews.changeDraft(review.approvalId, {
      decisions: { [hunks[0]!.id]: 'accepted', [hunks[1]!.id]: 'rejected' },
    });
    await submit(review, 'apply');
    const ran = await running;
    expect(ran.status).toBe('complete');
    expect(place.read('a.txt')).toBe(lines({ 2: 'first', 27: 'third' }));
    expect(place.read('b.txt')).toBe('new\n');
    expect(await client().reviews.get(review.approvalId)).toMatchObject({
      state: 'closed',
      outcome: { kind: 'applied' },
    });
  });

  it('are made again as the comments say, and reviewed again', async () => {
    const place = project(streams, { 'a.txt': 'old\n' });
    model().answer(({ prompt }) =>
      edits(whole('a.txt', prompt.includes('Call it better') ? 'better\n' : 'new\n', 'edit')),
    );
    const running = place.run(server, { reviewInBrowser });
    const first = await nextReview();
    const comment = {
      path: 'a.txt',
      side: 'new' as const,
      line: 1,
      text: 'Call it better',
      quoted: 'new\n',
    };
    await client().reviews.changeDraft(first.approvalId, { comments: { comment01: comment } });
    await submit(first, 'changes');
    const second = await nextReview([first.approvalId]);
    expect(place.read('a.txt')).toBe('old\n');
    expect(await client().reviews.get(first.approvalId)).toMatchObject({
      outcome: { kind: 'round' },
    });
    const { files } = await client().reviews.files(second.approvalId);
    expect(files).toMatchObject([{ before: 'old\n', after: 'better\n' }]);
    await submit(second, 'apply');
    expect((await running).status).toBe('complete');
    expect(place.read('a.txt')).toBe('better\n');
    expect(model().calls).toHaveLength(2);
  });

  it('are asked about anew after a stop; what is denied is not done', async () => {
    const place = project(streams);
    model().answer(() => edits(whole('a.txt', 'a\n', 'create')));
    const stop = new AbortController();
    const stopped = place.run(server, { reviewInBrowser, stop: stop.signal });
    const review = await nextReview();
    stop.abort();
    expect((await stopped).status).toBe('cancelled');
    expect(await client().reviews.get(review.approvalId)).toMatchObject({ state: 'closed' });
    const running = place.run(server, { reviewInBrowser });
    const { approvalId, hash } = await nextReview([review.approvalId]);
    await client().approvals.resolve(approvalId, { decision: 'deny', hash });
    const ran = await running;
    expect(ran.status).toBe('failed');
    expect(place.exists('a.txt')).toBe(false);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ type: 'stream.denied', stream: 'a' }),
    );
    expect(await client().reviews.get(approvalId)).toMatchObject({
      submission: { verdict: 'reject' },
      outcome: { kind: 'applied' },
    });
  });
});

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

  it('are made again only where a comment asks for it: the rest stays as it was left', async () => {
    verifies('reviews.held-round');
    const place = project(streams, { 'a.txt': lines(), 'b.txt': lines(), 'c.txt': lines() });
    const first = [
      whole('a.txt', lines({ 2: 'first', 15: 'second', 27: 'third' })),
      whole('b.txt', lines({ 2: 'fourth', 27: 'fifth' })),
      whole('c.txt', lines({ 2: 'sixth' })),
      whole('new.txt', 'new\n', 'create'),
    ];
    const again = [
      whole('a.txt', lines({ 2: 'first', 15: 'better', 27: 'third' })),
      // Nobody asked for these.
      whole('b.txt', lines({ 2: 'worse' })),
      whole('c.txt', lines({ 2: 'sixth' })),
      whole('more.txt', 'more\n', 'create'),
    ];
    const words = `Call it better. ${'Because it is. '.repeat(40)}`.trim();
    model().answer(({ prompt }) => edits(...(prompt.includes(words) ? again : first)));
    const running = place.run(server, { reviewInBrowser });
    const review = await nextReview();
    const hunks = new Map(review.files.map(({ path, hunks: all }) => [path, all]));
    const id = (path: string, at: number) => hunks.get(path)![at]!.id;
    const about = { side: 'new' as const, text: '' };
    await client().reviews.changeDraft(review.approvalId, {
      decisions: {
        [id('a.txt', 0)]: 'accepted',
        [id('a.txt', 2)]: 'rejected',
        [id('b.txt', 0)]: 'accepted',
        [id('c.txt', 0)]: 'rejected',
      },
      comments: {
        comment01: { ...about, path: 'a.txt', line: 16, text: words, quoted: 'second\n' },
        comment02: {
          ...about,
          path: 'b.txt',
          line: 28,
          suggestion: 'FIFTH',
          quoted: 'fifth\n',
          hunk: id('b.txt', 1),
        },
      },
    });
    await submit(review, 'changes');
    const second = await nextReview([review.approvalId]);
    expect(second).toMatchObject({ round: 2, previous: review.approvalId, isApplied: false });
    const said = second.comments.map(({ path, outdated, outcome }) => [path, outdated, outcome]);
    expect(said).toEqual([
      ['a.txt', true, 'Answered by a-fix-1.'],
      ['b.txt', true, 'Done as suggested.'],
    ]);
    expect(second.draft).toMatchObject({
      decisions: { [id('a.txt', 0)]: 'accepted', [id('a.txt', 2)]: 'rejected' },
      comments: {},
    });
    const { files } = await client().reviews.files(second.approvalId);
    const shown = new Map(files.map(({ path, after }) => [path, after]));
    expect([...shown.keys()].sort()).toEqual(['a.txt', 'b.txt', 'more.txt', 'new.txt']);
    expect(shown.get('b.txt')).toBe(lines({ 2: 'fourth', 27: 'FIFTH' }));
    const asked = model().calls[1]!.prompt;
    expect(asked).toMatch(/kept as the review left them[^]*- b\.txt\n- c\.txt\n- new\.txt/);
    expect(asked).not.toContain('+third');
    expect(place.read('b.txt')).toBe(lines());
    await submit(second, 'apply');
    expect((await running).status).toBe('complete');
    // What was turned down before came again, and counts as turned down.
    expect(place.read('a.txt')).toBe(lines({ 2: 'first', 15: 'better' }));
    expect(place.read('b.txt')).toBe(lines({ 2: 'fourth', 27: 'FIFTH' }));
    expect(place.read('c.txt')).toBe(lines());
    expect([place.read('new.txt'), place.read('more.txt')]).toEqual(['new\n', 'more\n']);
    expect(model().calls).toHaveLength(2);
  });

  it('are reviewed again at once where all that was asked for is suggested', async () => {
    const place = project(streams, { 'a.txt': 'old\n' });
    model().answer(() => edits(whole('a.txt', 'new\n', 'edit')));
    const running = place.run(server, { reviewInBrowser });
    const first = await nextReview();
    const suggest = (suggestion: string, quoted: string) => ({
      comments: {
        comment01: {
          path: 'a.txt',
          side: 'new' as const,
          line: 1,
          text: '',
          suggestion,
          quoted,
        },
      },
    });
    await client().reviews.changeDraft(first.approvalId, suggest('newer', 'new\n'));
    await submit(first, 'changes');
    const second = await nextReview([first.approvalId]);
    await client().reviews.changeDraft(second.approvalId, suggest('newest', 'newer\n'));
    await submit(second, 'changes');
    const third = await nextReview([first.approvalId, second.approvalId]);
    expect(third).toMatchObject({ round: 3, previous: second.approvalId });
    await submit(third, 'apply');
    expect((await running).status).toBe('complete');
    expect(place.read('a.txt')).toBe('newest\n');
    expect(model().calls).toHaveLength(1);
  });

  it('can be asked for more often than a stream may fail', async () => {
    const place = project(streams, { 'a.txt': 'old\n', 'b.txt': 'old\n' });
    model().answer(({ prompt }) => {
      const [, number = '0'] = /Make it (\d)/.exec(prompt) ?? [];
      return edits(whole('a.txt', `new ${number}\n`, 'edit'), whole('b.txt', `b ${number}\n`));
    });
    const running = place.run(server, { reviewInBrowser });
    const seen: string[] = [];
    for (let number = 1; number <= 5; number++) {
      const review = await nextReview(seen);
      expect(review.round).toBe(number);
      seen.push(review.approvalId);
      const comment = {
        path: 'a.txt',
        side: 'new' as const,
        line: 1,
        text: `Make it ${number}.`,
        quoted: `new ${number - 1}\n`,
      };
      await client().reviews.changeDraft(review.approvalId, { comments: { comment01: comment } });
      await submit(review, 'changes');
    }
    const last = await nextReview(seen);
    await submit(last, 'apply');
    expect((await running).status).toBe('complete');
    expect([place.read('a.txt'), place.read('b.txt')]).toEqual(['new 5\n', 'b 0\n']);
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

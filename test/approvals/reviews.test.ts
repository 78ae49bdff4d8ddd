// Reviews over HTTP, on two nodes: files come, readers say things, one submits, and a command takes it.
import { beforeAll, describe, expect, it } from 'vitest';
import { joinTeam, newPerson } from '../accounts/people.ts';
import type { Review, ReviewSubmission } from '../../src/contract/review-api.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { ask, askBody, hashOf, resolve } from './ask.ts';
import type { Asked } from './ask.ts';
import { hunkId, reviewBody, reviewFile } from './review-files.ts';

const nodes = useNodes(2, { trustedProxies: ['127.0.0.1'] });
const one = () => nodes()[0]!;
const two = () => nodes()[1]!;
const keys = {} as Record<'owner' | 'member' | 'other', string>;
let ownerEmail: string;

beforeAll(async () => {
  const owner = await newPerson(one());
  ownerEmail = owner.email;
  const team = (await owner.call('POST', '/v1/teams', { name: 'reviews' })).body['id'] as string;
  for (const name of ['owner', 'member', 'other'] as const) {
    const person = name === 'owner' ? owner : await newPerson(one());
    if (name !== 'owner') {
      await joinTeam(one(), { teamId: team, userId: person.userId, role: 'member' });
    }
    const body = { name: 'x', teamId: team, scopes: SCOPES };
    keys[name] = (await person.call('POST', '/api/v1/api-keys', body)).body['key'] as string;
  }
});

type Name = keyof typeof keys;

const at = ({ id }: { id: string }, rest = '') => `/v1/approvals/${id}/review${rest}`;

function call(
  name: Name,
  [method, path]: [string, string],
  body?: unknown,
  server = one(),
): ReturnType<ReturnType<typeof one>['call']> {
  return server.call(method, path, { key: keys[name], ...(body !== undefined && { body }) });
}

const askReview = (review: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  ask(one(), keys.member, { review: reviewBody(review), ...more });

const sendFiles = (asked: Asked, files: readonly object[], from = 0) =>
  call('member', ['PUT', at(asked, '/files')], { from, files });

const draft = (name: Name, asked: Asked, changes: object, server = one()) =>
  call(name, ['PATCH', at(asked, '/draft')], changes, server);

const review = async (name: Name, asked: Asked) =>
  (await call(name, ['GET', at(asked)], undefined, two())).body as unknown as Review;

const take = async (asked: Asked) =>
  (await call('member', ['POST', at(asked, '/take')])).body[
    'submission'
  ] as ReviewSubmission | null;

const comment = (text: string, more: object = {}) => ({
  path: 'a.ts',
  side: 'new',
  line: 1,
  hunk: hunkId('a.ts'),
  text,
  quoted: 'new',
  ...more,
});

async function opened(
  paths: readonly string[],
  more: Record<string, unknown> = {},
): Promise<Asked> {
  const asked = await askReview({ files: paths.length, ...more });
  const sent = await sendFiles(
    asked,
    paths.map((path) => reviewFile(path)),
  );
  expect(sent.status).toBe(200);
  return asked;
}

describe('a review', () => {
  it('opens when its files have come, in pages and again after a lost answer', async () => {
    verifies('reviews.files');
    const asked = await askReview({ files: 3 });
    expect(await review('owner', asked)).toMatchObject({ state: 'loading', mayAnswer: true });
    expectError(await resolve(two(), keys.owner, asked), 'CONFLICT');
    await sendFiles(asked, [reviewFile('a.ts'), reviewFile('b.ts')]);
    const again = await sendFiles(asked, [reviewFile('a.ts'), reviewFile('b2.ts')]);
    expect(again.body).toEqual({ received: 2, files: 3 });
    await sendFiles(asked, [reviewFile('c.ts', { before: null, after: 'é\r\nno end' })], 2);
    // What somebody reads does not change any more.
    await sendFiles(asked, [reviewFile('z.ts')], 2);
    const shown = await review('owner', asked);
    expect(shown).toMatchObject({ state: 'open', round: 1, submission: null, outcome: null });
    const { before: _, after: __, ...summary } = reviewFile('a.ts');
    expect(shown.files[0]).toMatchObject({ position: 0, ...summary });
    expect(shown.files.map(({ path }: { path: string }) => path)).toEqual([
      'a.ts',
      'b2.ts',
      'c.ts',
    ]);
    const texts = await call('owner', ['GET', at(asked, '/files?from=2')]);
    expect(texts.body['files']).toEqual([
      { position: 2, path: 'c.ts', before: null, after: 'é\r\nno end', notShown: null },
    ]);
    expect(
      (await call('owner', ['GET', '/v1/approvals?status=open'])).body['items'],
    ).toContainEqual(expect.objectContaining({ id: asked.id, hasReview: true }));
  });

  it('answers with as many texts as fit', async () => {
    const asked = await askReview({ files: 4 });
    const long = 'x'.repeat(1_500_000);
    for (const i of [0, 1, 2, 3]) {
      await sendFiles(asked, [reviewFile(`${i}.txt`, { before: null, after: long })], i);
    }
    const page = await call('owner', ['GET', at(asked, '/files')]);
    const got = page.body['files'] as { path: string }[];
    expect(got.map(({ path }) => path)).toEqual(['0.txt', '1.txt']);
  });

  it('merges what two tabs and two readers say', async () => {
    verifies('reviews.draft');
    const asked = await opened(['a.ts', 'b.ts']);
    const [a, b] = [hunkId('a.ts'), hunkId('b.ts')];
    await Promise.all([
      ...Array.from({ length: 10 }, (_, i) =>
        draft(
          'owner',
          asked,
          { comments: { [`comment-${i}`]: comment(`${i}`) } },
          [one(), two()][i % 2],
        ),
      ),
      draft('owner', asked, { decisions: { [a]: 'accepted' } }),
      draft('owner', asked, { decisions: { [b]: 'rejected' } }, two()),
      draft('other', asked, { decisions: { [a]: 'rejected' } }),
    ]);
    await draft('owner', asked, { comments: { 'comment-3': null }, viewed: { 'a.ts': true } });
    const mine = (await review('owner', asked)).draft;
    expect(mine).toMatchObject({
      version: 13,
      decisions: { [a]: 'accepted', [b]: 'rejected' },
      viewed: { 'a.ts': true },
    });
    expect(Object.keys(mine.comments).toSorted()).toEqual(
      [0, 1, 2, 4, 5, 6, 7, 8, 9].map((i) => `comment-${i}`),
    );
    expect((await review('other', asked)).draft).toMatchObject({
      decisions: { [a]: 'rejected' },
      comments: {},
    });
  });

  it('is submitted once, with all that was said until then, and taken by its command', async () => {
    verifies('reviews.submit');
    const asked = await opened(['a.ts']);
    expect(await take(asked)).toBeNull();
    const id = hunkId('a.ts');
    await draft('owner', asked, {
      decisions: { [id]: 'rejected' },
      comments: { 'comment-1': comment('No.', { suggestion: 'newer' }) },
    });
    await draft('other', asked, { decisions: { [id]: 'accepted' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        resolve([one(), two()][i % 2]!, keys[i % 3 === 0 ? 'other' : 'owner'], asked, {
          verdict: 'changes',
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const submission = await take(asked);
    const byOwner = submission!.by.email === ownerEmail;
    expect(submission).toMatchObject({
      verdict: 'changes',
      decisions: { [id]: byOwner ? 'rejected' : 'accepted' },
      comments: byOwner ? { 'comment-1': { text: 'No.', suggestion: 'newer' } } : {},
    });
    // Of a command that was killed before it did anything.
    expect(await take(asked)).toEqual(submission);
    expect(await review('owner', asked)).toMatchObject({ state: 'taken' });
    expectError(await draft('owner', asked, { decisions: { [id]: null } }), 'CONFLICT');
    const ended = await call('member', ['PUT', at(asked, '/outcome')], {
      kind: 'round',
      text: '1 stream',
    });
    expect(ended.status).toBe(200);
    expect(await review('owner', asked)).toMatchObject({
      state: 'closed',
      outcome: { kind: 'round', text: '1 stream' },
    });
  });

  it('no draft gets in while it is submitted', async () => {
    const asked = await opened(['a.ts']);
    const said = await Promise.all([
      ...Array.from({ length: 20 }, (_, i) =>
        draft(
          'owner',
          asked,
          { comments: { [`comment-${i}`]: comment(`${i}`) } },
          [one(), two()][i % 2],
        ),
      ),
      resolve(two(), keys.owner, asked),
    ]);
    const kept = said.slice(0, 20).filter(({ status }) => status === 200).length;
    // What was answered with 200 counts, and nothing else.
    expect(Object.keys((await take(asked))!.comments)).toHaveLength(kept);
  });

  it('of a next round knows what was decided in the one before', async () => {
    verifies('reviews.rounds');
    const asked = await opened(['a.ts', 'b.ts']);
    const runOf = { runId: asked.runId, hash: hashOf('round 2') };
    const [a, b] = [hunkId('a.ts'), hunkId('b.ts')];
    await draft('owner', asked, {
      decisions: { [a]: 'accepted', [b]: 'rejected' },
      comments: { 'comment-1': comment('Why?') },
      viewed: { 'a.ts': true },
    });
    await draft('other', asked, { comments: { 'comment-2': comment('Not sent.') } });
    await resolve(one(), keys.owner, asked, { verdict: 'changes' });
    const carried = { ...comment('Why?'), id: 'comment-1', round: 1, outdated: true };
    const round = { files: 2, round: 2, previous: asked.id, comments: [carried] };
    const next = await askReview(round, runOf);
    await sendFiles(next, [reviewFile('a.ts'), reviewFile('b.ts')]);
    expect(await review('owner', next)).toMatchObject({
      round: 2,
      previous: asked.id,
      comments: [carried],
      draft: { decisions: { [a]: 'accepted', [b]: 'rejected' }, comments: {}, viewed: {} },
    });
    expect((await review('other', next)).draft.comments).toHaveProperty('comment-2');
    // The submit did not count: everything is as it was.
    const failed = { stream: 'api', error: 'verify failed', output: 'x' };
    await draft('owner', next, { comments: { 'comment-3': comment('Still why?') } });
    await resolve(one(), keys.owner, next);
    const reopened = { previous: next.id, failed, round: 2, files: 2 };
    const third = await askReview(reopened, { ...runOf, hash: hashOf('round 2 again') });
    expect(await review('owner', third)).toMatchObject({
      failed,
      draft: { comments: { 'comment-3': { text: 'Still why?' } } },
    });
    const strange = {
      key: keys.member,
      body: { ...askBody(), review: reviewBody({ previous: asked.id }) },
    };
    expectInvalid(await one().call('POST', '/v1/approvals', strange), 'review.previous');
  });

  it('that is denied rejects everything, also while files are coming; nobody submitted one that ran out', async () => {
    const asked = await askReview({ files: 2 });
    await resolve(one(), keys.owner, asked, { decision: 'deny' });
    expect(await take(asked)).toMatchObject({ verdict: 'reject', decisions: {}, comments: {} });
    const late = await askReview({}, { expiresInSeconds: 1 });
    await expect.poll(async () => (await review('owner', late)).state).toBe('closed');
    expect(await take(late)).toBeNull();
    const end = await call('member', ['PUT', at(late, '/outcome')], { kind: 'applied' });
    expectError(end, 'CONFLICT');
  });
});

it('only the command that asked sends files, takes and ends', async () => {
  const asked = await askReview();
  for (const [method, rest, body] of [
    ['PUT', '/files', { files: [reviewFile('a.ts')] }],
    ['POST', '/take', undefined],
    ['PUT', '/outcome', { kind: 'applied' }],
  ] as const) {
    expectError(await call('owner', [method, at(asked, rest)], body), 'FORBIDDEN');
  }
  const plain = await ask(one(), keys.member);
  expectError(await call('owner', ['GET', at(plain)]), 'NOT_FOUND');
  expectInvalid(await resolve(one(), keys.owner, plain, { verdict: 'apply' }), 'verdict');
});

it('what makes no sense is refused, and nothing is kept of it', async () => {
  const asked = await askReview({ files: 2 });
  const bad = async (file: Record<string, unknown>, path: string) =>
    expectInvalid(await sendFiles(asked, [reviewFile('a.ts', file)]), path);
  await bad({ path: '' }, 'files.0.path');
  await bad({ before: 'a\0b' }, 'files.0.before');
  await bad({ after: '\ud800' }, 'files.0.after');
  await bad({ hunks: [{ id: 'x' }] }, 'files.0.hunks.0.id');
  expectInvalid(await sendFiles(asked, [reviewFile('a.ts')], 2), 'files');
  expect(await review('owner', asked)).toMatchObject({ files: [] });
  expectInvalid(
    await draft('owner', asked, { comments: { 'comment-1': comment('') } }),
    'comments.comment-1.text',
  );
  expectInvalid(await draft('owner', asked, { decisions: { x: 'accepted' } }), 'decisions.x');
  // Names that objects have by themselves are paths like others.
  const names = { constructor: true, toString: true };
  const said = await draft('owner', asked, { viewed: names });
  expect(said.body['viewed']).toEqual(names);
  const noChanges = {
    key: keys.member,
    body: { ...askBody(), kind: 'plan', review: reviewBody() },
  };
  expectInvalid(await one().call('POST', '/v1/approvals', noChanges), 'review');
});

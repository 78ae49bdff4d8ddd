import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCommentText } from '../../src/git/forges/comment-text.ts';
import { createForge } from '../../src/git/forges/create-forge.ts';
import type { Forge } from '../../src/git/forges/forge.ts';
import { startForge } from './forge-double.ts';
import type { ForgeDouble } from './forge-double.ts';
import { gitIn } from './repository.ts';

const KINDS = ['github', 'gitlab'] as const;
const COMMIT = 'a'.repeat(40);

let folder: string;
let double: ForgeDouble;

async function open(kind: (typeof KINDS)[number]): Promise<Forge> {
  folder = mkdtempSync(join(tmpdir(), 'forge-'));
  gitIn(folder)('init', '-q', '--bare', 'there.git');
  double = await startForge(kind, join(folder, 'there.git'));
  double.requests.push({
    number: 1,
    title: 'Search',
    body: '',
    head: 'work',
    base: 'main',
    draft: false,
    state: 'open',
    reviewers: [],
  });
  const place = { host: 'forge.example.com', path: 'o/r', kind, api: double.url };
  const signal = AbortSignal.timeout(60_000);
  return createForge(place, 'token-of-me', { signal, onWait: () => {} });
}

afterEach(async () => {
  await double.close();
  rmSync(folder, { recursive: true, force: true });
  expect(double.faults).toEqual([]);
  expect(double.leaked).toEqual([]);
});

describe.each(KINDS)('reviews on %s', (kind) => {
  it('are what people ask for, without what is resolved, withdrawn or our own', async () => {
    const forge = await open(kind);
    double.reviews.push(
      { id: 41, author: 'octocat', body: 'Please look again', state: 'CHANGES_REQUESTED' },
      { id: 42, author: 'octocat', body: 'Fine', state: 'APPROVED' },
      { id: 43, author: 'octocat', body: 'Never mind', state: 'DISMISSED' },
    );
    const at = { path: 'src/a.ts', commit: COMMIT };
    double.said.push(
      { id: 1, review: 41, author: 'octocat', body: 'Rename this', line: 4, ...at },
      { id: 2, review: 42, author: 'octocat', body: 'Old side', line: 9, side: 'LEFT', ...at },
      { id: 3, review: 43, author: 'octocat', body: 'Withdrawn', line: 9, isResolved: true, ...at },
      { id: 4, review: 44, author: 'octocat', body: 'Done', line: 9, isResolved: true, ...at },
    );
    const reviews = await forge.reviews(1);
    const comments = reviews.flatMap((review) => review.comments);
    expect(comments).toContainEqual({
      id: kind === 'github' ? '1' : '41/1',
      author: 'octocat',
      text: 'Rename this',
      place: { path: 'src/a.ts', side: 'new', lines: [4, 4], commit: COMMIT },
    });
    expect(comments.map(({ text }) => text)).toEqual(
      kind === 'github'
        ? ['Please look again', 'Rename this', 'Old side']
        : ['Rename this', 'Old side'],
    );
    expect(comments.at(-1)!.place).toMatchObject({ side: 'old', lines: [9, 9] });
    expect(await forge.said(1)).toEqual([]);
    const [answered] = comments.filter(({ place }) => place !== undefined);
    await forge.answer(1, answered!, 'Done in abc');
    await forge.say(1, 'One check failed');
    const said = new Set((await forge.said(1)).map((text) => text.split('\n')[0]));
    expect(said).toEqual(new Set(['Done in abc', 'One check failed']));
    const again = (await forge.reviews(1)).flatMap((review) => review.comments);
    expect(again.map(({ text }) => text)).not.toContain('Done in abc');
  });

  it('count only from those who may push, and nobody else', async () => {
    const forge = await open(kind);
    double.writers.push('octocat');
    expect(await forge.mayWrite('octocat')).toBe(true);
    expect(await forge.mayWrite('stranger')).toBe(false);
    expect(await forge.mayWrite('ghost')).toBe(false);
  });

  it('read the end of the log of a failed check, and keep the token to themselves', async () => {
    const forge = await open(kind);
    const log = `${'much '.repeat(1_000_000)}\nError: expected 3, got 4\n`;
    double.checks.push(
      { name: 'test', status: 'completed', conclusion: 'failure', log },
      { name: 'build', status: 'completed', conclusion: 'success', log: 'fine' },
      { name: 'gone', status: 'completed', conclusion: 'failure' },
    );
    const failed = await forge.failedChecks(COMMIT);
    expect(failed.map(({ name }) => name)).toEqual(['test', 'gone']);
    expect(failed[0]!.log!.length).toBeLessThan(3 * 1024 * 1024);
    expect(failed[0]!.log!.endsWith('Error: expected 3, got 4\n')).toBe(true);
    expect(failed[1]!.log).toBeUndefined();
  });

  it('send no token where another host is named instead of an answer', async () => {
    const forge = await open(kind);
    double.next = () => ({ status: 301, headers: { location: `${double.logsUrl}/0` }, body: '' });
    await expect(forge.get(1)).rejects.toThrow(/the token does not go/);
    const path = kind === 'github' ? '/repos/o/r/pulls/1' : '/projects/o%2Fr/merge_requests/1';
    double.next = (asked) =>
      asked.path.includes('moved')
        ? undefined
        : { status: 307, headers: { location: `${path}?moved` }, body: '' };
    expect(await forge.get(1)).toMatchObject({ number: 1 });
    expect(double.asked.at(-1)).toMatchObject({ path: `${path}?moved` });
    expect(double.asked.at(-1)!.token).toContain('token-of-me');
    // Round and round.
    const location = `${double.url}${path}`;
    double.next = () => ({ status: 302, headers: { location }, body: '' });
    await expect(forge.get(1)).rejects.toThrow(/token/);
    delete double.next;
  });
});

describe('a comment on a forge', () => {
  it('has words and perhaps lines that should be there instead', () => {
    expect(readCommentText('Rename it, please\r\n')).toEqual({ text: 'Rename it, please' });
    expect(readCommentText('Better:\r\n```suggestion\r\nconst a = 1;\r\n```\r\nThanks')).toEqual({
      text: 'Better:\nThanks',
      suggestion: 'const a = 1;\n',
    });
    expect(readCommentText('````suggestion\n```js\n```\n````')).toEqual({
      text: '',
      suggestion: '```js\n```\n',
    });
    expect(readCommentText('```suggestion:-1+2\n```')).toEqual({
      text: '',
      suggestion: '',
      around: [1, 2],
    });
    const code = '```ts\nfoo()\n```\nno block of ours';
    expect(readCommentText(code)).toEqual({ text: code });
    const open = '```suggestion\nnever closed';
    expect(readCommentText(open)).toEqual({ text: open });
    expect(readCommentText('```\n'.repeat(100_000)).suggestion).toBeUndefined();
  });
});

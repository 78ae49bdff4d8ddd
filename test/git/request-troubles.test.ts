// What a forge refuses, puts off or has decided meanwhile.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reasonOf, waitOf } from '../../src/git/forges/forge-api.ts';
import { manifestOf } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import type { Asked } from './forge-double.ts';
import { startGitServer } from './git-server.ts';
import { createForgeProject } from './forge-project.ts';
import type { ForgeProject } from './forge-project.ts';

const server = useServer();
const KINDS = ['github', 'gitlab'] as const;
/** Before the number of a request. */
const SIGNS = { github: '#', gitlab: '!' } as const;
let at: ForgeProject;

const MANIFEST = manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]);

async function start(kind: (typeof KINDS)[number], manifest = MANIFEST): Promise<void> {
  at = await createForgeProject(server(), kind, manifest);
  const ran = await at.project.millrace(['run', 'm.yaml', '--yes', '--git', 'branch=work']);
  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
}

const isOpening = ({ method, path }: Asked) =>
  method === 'POST' && /\/(pulls|merge_requests)$/.test(path);
const isAskingReviewers = ({ path, body }: Asked) =>
  path.endsWith('/requested_reviewers') || 'reviewer_ids' in body;
const pushed = () => at.there('rev-parse', 'work').trim();

describe.each(KINDS)('a request on %s', (kind) => {
  afterEach(async () => {
    await at.remove();
    expect(at.forge.faults).toEqual([]);
  });

  it('is left alone when it was merged, and its branch is not made again', async () => {
    await start(kind);
    expect((await at.pr()).code).toBe(0);
    // As by a squash: the target has the work, and none of its commits.
    Object.assign(at.forge.requests[0]!, { state: 'closed', merged: true });
    at.there('branch', '-D', 'work');
    await at.project.write('more.txt', 'more\n');
    at.git('add', 'more.txt');
    at.git('commit', '-qm', 'more');
    at.git('push', '-q', 'origin', 'main');
    const again = await at.pr();
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(again.stdout).toContain(`${SIGNS[kind]}1 is merged, and work has nothing new`);
    expect(at.there('branch', '--list', 'work')).toBe('');
    expect(at.forge.requests).toHaveLength(1);
    expect(JSON.parse((await at.pr('--json')).stdout)).toMatchObject({ state: 'merged' });
  });

  it('stays closed when it was closed, until there is something new', async () => {
    await start(kind);
    expect((await at.pr()).code).toBe(0);
    at.forge.requests[0]!.state = 'closed';
    const again = await at.pr();
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(`${SIGNS[kind]}1 was closed, and work has nothing new`);
    expect(again.stderr).toContain('https://forge.example.com/o/r/');
    expect(at.forge.requests).toHaveLength(1);
    const more = ['run', 'm.yaml', '--yes', '--git', 'branch=work', '--only', 'a'];
    await at.project.write('m.yaml', MANIFEST.replace('Write about a.', 'Write more about a.'));
    expect((await at.project.millrace(more)).code).toBe(0);
    const anew = await at.pr();
    expect({ code: anew.code, stderr: anew.stderr }).toMatchObject({ code: 0 });
    expect(at.forge.requests.map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  it('is there although a reviewer may not be asked, and asks those who are named later', async () => {
    await start(kind);
    at.once(isAskingReviewers, {
      status: 422,
      body: { message: 'Review cannot be requested from pull request author.' },
    });
    const opened = await at.pr('--reviewer', 'me');
    expect({ code: opened.code, stderr: opened.stderr }).toMatchObject({ code: 0 });
    expect(opened.stderr).toContain('Review cannot be requested from pull request author.');
    expect(at.forge.requests[0]!.reviewers).toEqual([]);
    const [first, second] = kind === 'github' ? ['octocat', 'hubot'] : [7, 0];
    expect((await at.pr('--reviewer', 'octocat')).code).toBe(0);
    expect(at.forge.requests[0]!.reviewers).toEqual([first]);
    expect((await at.pr('--reviewer', 'hubot')).code).toBe(0);
    // GitLab takes a whole list: those who were asked before stay in it.
    expect(at.forge.requests[0]!.reviewers).toEqual(kind === 'github' ? [second] : [first, second]);
  });

  it('says what a token may not do, and what is pushed is taken on from there', async () => {
    await start(kind);
    const message = 'Resource not accessible by integration';
    at.once(isOpening, { status: 403, body: { message } });
    const refused = await at.pr();
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(message);
    expect(refused.stderr).toContain('right to write requests');
    const before = pushed();
    expect((await at.pr()).code).toBe(0);
    expect(pushed()).toBe(before);
    expect(at.forge.requests).toHaveLength(1);
  });

  it('does not wait for long, or for ever', async () => {
    await start(kind);
    const limited = kind === 'github' ? 403 : 429;
    const body = { message: 'You have exceeded a secondary rate limit.' };
    at.once(isOpening, { status: limited, headers: { 'retry-after': '120' }, body });
    const long = await at.pr();
    expect(long.code).toBe(5);
    expect(long.stderr).toContain('asks to wait 120 s');
    expect(long.stderr).toContain('nothing is done twice');
    let calls = 0;
    at.forge.next = (asked) => {
      if (!isOpening(asked)) return undefined;
      calls += 1;
      return { status: limited, headers: { 'retry-after': '0' }, body };
    };
    expect((await at.pr()).stderr).toContain('limits the rate of calls');
    expect(calls).toBe(4);
    delete at.forge.next;
    expect((await at.pr()).code).toBe(0);
    expect(at.forge.requests).toHaveLength(1);
  });

  it('is tried again after trouble over there, whatever the trouble says', async () => {
    await start(kind);
    for (const [status, text] of [
      [502, '<html>Bad Gateway</html>'],
      [503, ''],
    ] as const) {
      at.once(isOpening, { status, body: text });
      const failed = await at.pr();
      expect(failed.code).toBe(6);
      expect(failed.stderr).toContain(`HTTP ${status}`);
      expect(failed.stderr).toContain('Try again later');
    }
    at.once(() => true, { status: 200, body: '<html>Sign in</html>' });
    expect((await at.pr()).stderr).toContain('Is this the address of its API?');
    expect((await at.pr()).code).toBe(0);
    expect(at.forge.requests).toHaveLength(1);
  });

  it('is one when another machine opens it at the same moment', async () => {
    await start(kind);
    at.forge.next = (asked) => {
      if (!isOpening(asked) || at.forge.requests.length > 0) return undefined;
      at.forge.requests.push({
        number: 1,
        title: 'Theirs',
        body: '',
        head: 'work',
        base: 'main',
        draft: false,
        state: 'open',
        reviewers: [],
      });
      return undefined;
    };
    const opened = await at.pr();
    expect({ code: opened.code, stderr: opened.stderr }).toMatchObject({ code: 0 });
    expect(at.forge.requests).toHaveLength(1);
    expect((await at.pr()).stdout).toContain('Updated');
    expect(at.forge.requests[0]!.body).toContain('About a');
  });

  it('names a command that does a stream again when its check fails', async () => {
    const verify = ['test ! -e breaks.txt'];
    await start(kind, manifestOf([{ id: 'a', verify }]));
    await at.project.write('breaks.txt', 'x\n');
    at.git('add', 'breaks.txt');
    at.git('commit', '-qm', 'breaks it');
    at.git('push', '-q', 'origin', 'main');
    const { stderr } = await at.pr();
    const [, words = ''] = /have it done again: \S*millrace (.*)$/m.exec(stderr) ?? [];
    const command = words.replace(/^-C \S+ /, '');
    expect(command).toBe('run m.yaml --git branch=work --only a');
    await at.project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const again = await at.project.millrace([...command.split(' '), '--yes']);
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
  });
});

describe('git on the way to a forge', () => {
  afterEach(() => at.remove());

  it('says what is in its way, and what to do about it', async () => {
    await start('github');
    const none = await at.pr('--base', 'nonsense');
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('origin has no branch nonsense.\nName the branch');
    const git = await startGitServer(`${at.project.folder}.git`, 'Basic of-others');
    try {
      const job = { GITHUB_SERVER_URL: git.url, GITHUB_API_URL: at.forge.url };
      Object.assign(at.project.settings, job);
      at.git('remote', 'set-url', 'origin', `${git.url}/o/r.git`);
      const login = await at.pr();
      expect(login.code).toBe(2);
      expect(login.stderr).toMatch(/origin does not let git in: .*could not read Username/);
      expect(login.stderr).toContain('a login of its own, besides the token');
    } finally {
      await git.close();
    }
    const gone = await at.pr();
    expect(gone.code).toBe(6);
    expect(gone.stderr).toContain('origin cannot be reached: fatal: unable to access');
    at.git('remote', 'set-url', 'origin', 'https://code.example.com/o/r.git');
    const unknown = await at.pr();
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('code.example.com: is it GitHub or GitLab?');
    const file = join(at.project.settings['XDG_CONFIG_HOME']!, 'millrace/config.yaml');
    expect(unknown.stderr).toContain(`${file}:\nforges:\n  code.example.com: { kind: gitlab }`);
  });
});

describe('a refusal of a forge', () => {
  const NOW = 1_800_000_000_000;
  const wait = (status: number, headers: Record<string, string>, text = '') =>
    waitOf(new Response(null, { status, headers }), text, NOW);

  it('says how long to wait in one of several ways, or not at all', () => {
    expect(wait(403, { 'retry-after': '7' })).toBe(7);
    expect(wait(429, { 'retry-after': '7', 'x-ratelimit-remaining': '0' })).toBe(7);
    const reset = String(NOW / 1000 + 40);
    expect(wait(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })).toBe(40);
    expect(wait(429, { 'ratelimit-remaining': '0', 'ratelimit-reset': reset })).toBe(40);
    // The time over there is not ours.
    const past = String(NOW / 1000 - 40);
    expect(wait(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': past })).toBe(1);
    expect(wait(429, {})).toBe(60);
    expect(wait(429, { 'retry-after': 'Thu, 19 Nov 2026 08:00:00 GMT' })).toBe(60);
    expect(wait(403, {}, 'You have exceeded a secondary rate limit')).toBe(60);
    expect(wait(403, { 'x-ratelimit-remaining': '12' }, 'Must have admin rights')).toBeUndefined();
    expect(wait(422, { 'retry-after': '7' })).toBeUndefined();
  });

  it('has its reason in one of several shapes', () => {
    expect(reasonOf('{"message":["a","b"]}')).toBe('a; b');
    expect(reasonOf('{"message":{"base":["is invalid"]}}')).toBe('{"base":["is invalid"]}');
    expect(reasonOf('{"error":"insufficient_scope"}')).toBe('insufficient_scope');
    expect(reasonOf('{"message":"no","errors":["x",{"field":"base","code":"invalid"},null]}')).toBe(
      'no: x: base invalid',
    );
    for (const text of ['', 'null', '7', '<html>']) expect(reasonOf(text)).toBe('');
    expect(reasonOf(`{"message":"${'x'.repeat(10_000)}"}`)).toHaveLength(500);
  });
});

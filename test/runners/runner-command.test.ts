// `millrace runner`: real runners over real repositories, asked by another person.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRequest } from '../../src/contract/run-request-api.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import { openProject } from '../../src/orchestrator/index.ts';
import { takeLock } from '../../src/orchestrator/state/lock.ts';
import { joinTeam, newPerson } from '../accounts/people.ts';
import { gitIn, pictureOf } from '../git/repository.ts';
import { feature, reply } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { findRequest, requestRun } from './fake-runner.ts';
import { makeRunnerWorld } from './runner-world.ts';
import type { RunnerWorld } from './runner-world.ts';

const server = useServer({ trustedProxies: ['127.0.0.1'], runnerLeaseSeconds: 3 });

let world: RunnerWorld;
/** Of the owner of the machine, and of a person who asks. */
let owner: string;
let asker: string;
let askerId: string;

beforeEach(async () => {
  world = makeRunnerWorld();
  const person = await newPerson(server());
  const team = (await person.call('POST', '/v1/teams', { name: 'runs' })).body['id'] as string;
  const member = await newPerson(server());
  await joinTeam(server(), { teamId: team, userId: member.userId, role: 'member' });
  const made = { name: 'x', teamId: team };
  const keyOf = async (who: typeof person, scopes: readonly string[]) =>
    (await who.call('POST', '/api/v1/api-keys', { ...made, scopes })).body['key'] as string;
  owner = await keyOf(person, ['runner']);
  asker = await keyOf(member, SCOPES);
  askerId = member.userId;
});
afterEach(() => world.remove());

const ended = async (id: string): Promise<RunRequest> =>
  waitUntil(async () => {
    const found = await findRequest(server(), asker, id, '?wait=20');
    return found['endedAt'] === null ? undefined : (found as unknown as RunRequest);
  }, 'the request to end');

interface JobOfRun {
  streamId: string;
  userId?: string;
}

/** Calls that were made, by stream. */
async function callsOf({ runIds }: RunRequest): Promise<string[]> {
  const calls: string[] = [];
  for (const runId of runIds) {
    const { body } = await server().call('GET', `/api/v1/jobs?runId=${runId}&limit=100`, {
      key: asker,
    });
    calls.push(...(body['items'] as JobOfRun[]).map(({ streamId }) => streamId));
  }
  return calls.sort();
}

const writes = (id: string, more: object = {}) => ({
  name: id,
  owns: [`${id}.txt`],
  plan: reply({ [`${id}.txt`]: `${id}\n` }),
  ...more,
});

const MANIFEST = feature(
  { a: writes('a'), b: writes('b', { deps: ['a'] }) },
  { model: 'sim-instant' },
);

describe.skipIf(NO_SANDBOX !== undefined)('a runner', () => {
  it('makes a run on a branch, as the person who asked, and leaves the checkout alone', async () => {
    verifies('runners.command');
    const { folder, git } = world.repository('shop', { 'millrace.yaml': MANIFEST });
    await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const before = pictureOf(folder);
    const id = await requestRun(server(), asker);
    const done = await ended(id);
    expect(done, done.outcome?.message).toMatchObject({ status: 'completed', attempts: 1 });
    const branch = done.outcome!.branch!;
    expect(branch).toBe(`millrace/millrace-${id.slice(-6)}`);
    expect(git('log', '--reverse', '--format=%s', branch).trim().split('\n')).toEqual([
      'start',
      'a',
      'b',
    ]);
    expect(done.base).toBe(git('rev-parse', 'main').trim());
    expect(pictureOf(folder)).toEqual(before);
    expect(await callsOf(done)).toEqual(['a', 'b']);
    const history = await server().call('GET', `/api/v1/history/${done.runId}`, { key: asker });
    expect(history.body).toMatchObject({ run: { status: 'complete' } });
    const { rows } = await server().db.query<{ userId: string }>(
      'select distinct user_id as "userId" from jobs where run_id = $1',
      [done.runId],
    );
    expect(rows).toEqual([{ userId: askerId }]);
  });

  it('that is killed is replaced by another one, which pays for nothing twice', async () => {
    verifies('runners.taken-over', 'runners.lease');
    const slow = writes('b', { deps: ['a'] });
    const manifest = feature(
      {
        a: writes('a'),
        b: { ...slow, plan: `[[sim:delay 4000]] ${slow.plan}` },
        c: writes('c', { deps: ['b'] }),
      },
      { model: 'sim-instant' },
    );
    const { folder } = world.repository('shop', { 'millrace.yaml': manifest });
    const first = await world.start(server(), owner, {
      name: 'one',
      args: ['--repo', `file://${folder}=shop`],
    });
    const id = await requestRun(server(), asker);
    await waitUntil(async () => {
      const now = (await findRequest(server(), asker, id)) as unknown as RunRequest;
      expect(now.endedAt, now.outcome?.message).toBeNull();
      return now.runId !== null && (await callsOf(now)).includes('b');
    }, 'the second stream to ask');
    await first.kill();
    const second = await world.start(server(), owner, {
      name: 'two',
      args: ['--repo', `file://${folder}=shop`],
    });
    const done = await ended(id);
    expect(done, done.outcome?.message).toMatchObject({
      status: 'completed',
      attempts: 2,
      runner: { name: 'two' },
    });
    // The one that was under way may be made again.
    const calls = await callsOf(done);
    expect(calls.filter((each) => each === 'a')).toEqual(['a']);
    expect(calls.filter((each) => each === 'c')).toEqual(['c']);
    const bare = join(second.home, 'state/millrace/runner/repositories/shop/bare.git');
    const log = gitIn(folder)(
      '--git-dir',
      bare,
      'log',
      '--reverse',
      '--format=%s',
      done.outcome!.branch!,
    );
    expect(log.trim().split('\n')).toEqual(['start', 'a', 'b', 'c']);
  });

  it('that is killed and started again continues where it has begun, in whatever order requests come', async () => {
    verifies('runners.taken-over');
    const slow = (id: string) => {
      const stream = writes(id, id === 'b' ? { deps: ['a'] } : {});
      return { ...stream, plan: `[[sim:delay 5000]] ${stream.plan}` };
    };
    const { folder } = world.repository('shop', {
      'millrace.yaml': feature({ a: writes('a'), b: slow('b') }, { model: 'sim-instant' }),
    });
    const args = ['--repo', `file://${folder}=shop`, '--concurrency', '2'];
    const first = await world.start(server(), owner, { name: 'one', args });
    const running = async (id: string) =>
      waitUntil(async () => {
        const now = (await findRequest(server(), asker, id)) as unknown as RunRequest;
        expect(now.endedAt, now.outcome?.message).toBeNull();
        return now.runId !== null && (await callsOf(now)).includes('b');
      }, 'the second stream to ask');
    const earlier = await requestRun(server(), asker);
    await running(earlier);
    const later = await requestRun(server(), asker);
    await running(later);
    await first.kill();
    // The folder of the earlier one is free for anything now.
    await server().call('POST', `/v1/run-requests/${earlier}/cancel`, { key: asker });
    expect((await ended(earlier)).status).toBe('cancelled');
    await world.start(server(), owner, { name: 'one', args, home: first.home });
    const done = await ended(later);
    expect(done, done.outcome?.message).toMatchObject({ status: 'completed', attempts: 2 });
    expect((await callsOf(done)).filter((each) => each === 'a')).toEqual(['a']);
  });

  it('waits for a run that works in the same folder', async () => {
    verifies('runners.command');
    const files = { 'millrace.yaml': MANIFEST };
    const { folder } = world.repository('shop', files);
    const { folder: depot } = world.repository('depot', files);
    const args = ['--project', folder, '--repo', `file://${depot}`];
    const { home } = await world.start(server(), owner, { name: 'one', args });
    const state = join(home, 'state', 'millrace');
    // The folder of the clone is there when it has been worked in.
    await ended(await requestRun(server(), asker, { project: 'depot' }));
    const clone = join(state, 'runner', 'repositories', 'depot');
    const used = readdirSync(clone).find((name) => existsSync(join(clone, name, 'millrace.yaml')))!;
    for (const [project, root] of Object.entries({ shop: folder, depot: join(clone, used) })) {
      const { stateDir } = await openProject(root, state);
      mkdirSync(stateDir, { recursive: true });
      const lock = takeLock(stateDir, 'run_of_another');
      const id = await requestRun(server(), asker, { project });
      const status = async () => (await findRequest(server(), asker, id))['status'];
      await waitUntil(async () => (await status()) === 'running', 'the request to be taken');
      // It may fail at once, and must not.
      await delay(500);
      expect(await status(), project).toBe('running');
      lock.release();
      expect(await ended(id), project).toMatchObject({ status: 'completed' });
    }
  });

  it('runs commands in the sandbox, and nothing else that its owner has not allowed', async () => {
    verifies('runners.consent');
    const { folder } = world.repository('shop', { 'millrace.yaml': MANIFEST });
    const runner = await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const outside = join(runner.home, 'escaped');
    const hostile = (more: object, top: object = {}) => ({
      manifest: {
        text: feature({ a: writes('a', more) }, { model: 'sim-instant', ...top }),
      },
    });
    const escaping = await requestRun(server(), asker, {
      ...hostile({ verify: [`touch ${outside} || true`] }),
    });
    const tried = await ended(escaping);
    expect(tried, tried.outcome?.message).toMatchObject({ status: 'completed' });
    expect(existsSync(outside)).toBe(false);
    const reaching = await requestRun(server(), asker, {
      ...hostile(
        { verify: ['true'] },
        { sandboxCommands: true, commandNetwork: ['evil.example.com'] },
      ),
    });
    const refused = await ended(reaching);
    expect(refused).toMatchObject({ status: 'failed' });
    expect(refused.outcome?.message).toContain('evil.example.com (not approved on this machine)');
    expect(refused.outcome?.message).toContain('millrace runner allow shop');
    const inPlace = await requestRun(server(), asker, { inPlace: true }).then((id) =>
      findRequest(server(), asker, id),
    );
    expect(inPlace).toMatchObject({
      status: 'queued',
      waitsFor: 'No runner of this project may work in its own folder: its owner has to allow it.',
    });
    // The owner says so, on that machine.
    await world.command(runner.home, ['runner', 'allow', 'shop', '--host', 'evil.example.com']);
    const again = await requestRun(server(), asker, {
      ...hostile(
        { verify: ['true'] },
        { sandboxCommands: true, commandNetwork: ['evil.example.com'] },
      ),
    });
    expect(await ended(again)).toMatchObject({ status: 'completed' });
  });

  it('keeps the variables of a project to itself, and its own key from runs', async () => {
    verifies('runners.secrets');
    const { folder } = world.repository('shop', {
      'millrace.yaml': feature(
        { a: writes('a', { verify: ['env | sort > env.txt; env; test -n "$SHOP_TOKEN"'] }) },
        { model: 'sim-instant' },
      ),
    });
    const runner = await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const set = await world.command(runner.home, [
      'runner',
      'env',
      'shop',
      'SHOP_TOKEN=s3cret-of-shop',
    ]);
    expect(set).toContain('SHOP_TOKEN');
    expect(set).not.toContain('s3cret-of-shop');
    const done = await ended(await requestRun(server(), asker));
    const said = JSON.stringify(done);
    expect(said).not.toContain('s3cret-of-shop');
    expect(said).not.toContain(owner);
    const shown = await server().call('GET', '/v1/projects', { key: asker });
    expect(JSON.stringify(shown.body)).not.toContain('s3cret');
    const file = join(runner.home, 'state/millrace/runner/runner.json');
    expect(readFileSync(file, 'utf8')).toContain('s3cret-of-shop');
  });

  it('stops a run within a second of its cancelling', async () => {
    verifies('runners.cancel');
    const slow = writes('a');
    const { folder } = world.repository('shop', {
      'millrace.yaml': feature(
        { a: { ...slow, plan: `[[sim:delay 100000]] ${slow.plan}` } },
        { model: 'sim-instant' },
      ),
    });
    await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const id = await requestRun(server(), asker);
    const running = await waitUntil(async () => {
      const now = (await findRequest(server(), asker, id)) as unknown as RunRequest;
      return now.runId !== null && (await callsOf(now)).includes('a') ? now : undefined;
    }, 'the call to begin');
    await server().call('POST', `/v1/run-requests/${id}/cancel`, { key: asker });
    expect(await ended(id)).toMatchObject({ status: 'cancelled', runId: running.runId });
  });

  it('does what is asked for in words, and then takes it back', async () => {
    verifies('runners.task', 'runners.follow-up');
    const { folder, git } = world.repository('shop', { 'src/a.ts': 'export const a = 1;\n' });
    await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const done = await ended(
      await requestRun(server(), asker, {
        manifest: undefined,
        task: 'Change a; rm -rf $(pwd) `id`',
        model: 'sim-instant',
        branch: 'millrace/words',
      }),
    );
    expect(done, done.outcome?.message).toMatchObject({ status: 'completed' });
    expect(git('branch', '--list', 'millrace/words')).toContain('millrace/words');
    const reverted = await ended(
      await requestRun(server(), asker, {
        manifest: undefined,
        run: { id: done.runId, action: 'revert' },
      }),
    );
    expect(reverted, reverted.outcome?.message).toMatchObject({ status: 'completed' });
    expect(git('branch', '--list', 'millrace/words')).toBe('');
  });

  it('does parts of a run on its branch, and all of it on another one, with the same model', async () => {
    const { folder, git } = world.repository('shop', { 'millrace.yaml': MANIFEST });
    await world.start(server(), owner, { name: 'one', args: ['--project', '.'], cwd: folder });
    const first = await ended(await requestRun(server(), asker, { model: 'sim-fast' }));
    expect(first, first.outcome?.message).toMatchObject({ status: 'completed' });
    const again = async (more: object = {}) => {
      const run = { id: first.runId, action: 'again' };
      const asked = await requestRun(server(), asker, { manifest: undefined, run, ...more });
      const done = await ended(asked);
      expect(done, done.outcome?.message).toMatchObject({ status: 'completed' });
      return done;
    };
    const part = await again({ from: 'b' });
    expect(part.outcome!.branch).toBe(first.outcome!.branch);
    expect(await callsOf(part)).toEqual(['b']);
    const { rows } = await server().db.query<{ model: string }>(
      'select distinct model from jobs where run_id = $1',
      [part.runId],
    );
    expect(rows).toEqual([{ model: 'sim-fast' }]);
    const all = await again();
    expect(all.outcome!.branch).not.toBe(first.outcome!.branch);
    const log = git('log', '--reverse', '--format=%s', all.outcome!.branch!);
    expect(log.trim().split('\n')).toEqual(['start', 'a', 'b']);
  });

  it('only plans a task where nothing more is asked, and changes nothing', async () => {
    const { folder, git } = world.repository('shop', { 'src/a.ts': 'export const a = 1;\n' });
    await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const before = pictureOf(folder);
    const work = { manifest: undefined, task: 'Change src/a.ts', planOnly: true };
    const done = await ended(await requestRun(server(), asker, { ...work, model: 'sim-instant' }));
    expect(done, done.outcome?.message).toMatchObject({ status: 'completed' });
    expect(done.outcome!.manifest).toContain('src/a.ts');
    expect(git('branch', '--list', 'millrace/*')).toBe('');
    expect(pictureOf(folder)).toEqual(before);
  });

  it('does nothing more with a run in place when its owner allows that no longer', async () => {
    const { folder } = world.repository('shop', { 'millrace.yaml': MANIFEST });
    const runner = await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    await world.command(runner.home, ['runner', 'allow', 'shop', '--in-place']);
    const made = await ended(await requestRun(server(), asker, { inPlace: true }));
    expect(made, made.outcome?.message).toMatchObject({ status: 'completed' });
    const wrote = readFileSync(join(folder, 'a.txt'), 'utf8');
    await world.command(runner.home, ['runner', 'allow', 'shop', '--no-in-place']);
    for (const action of ['revert', 'again'] as const) {
      const run = { id: made.runId, action };
      const refused = await ended(await requestRun(server(), asker, { manifest: undefined, run }));
      expect(refused).toMatchObject({ status: 'failed', outcome: { failure: 'refused' } });
      expect(refused.outcome!.remedy).toBe('millrace runner allow shop --in-place');
    }
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(wrote);
    await world.command(runner.home, ['runner', 'allow', 'shop', '--in-place']);
    const run = { id: made.runId, action: 'revert' };
    const reverted = await ended(await requestRun(server(), asker, { manifest: undefined, run }));
    expect(reverted, reverted.outcome?.message).toMatchObject({ status: 'completed' });
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
  });

  it('asks for work, and keeps its requests, while git takes its time to describe a project', async () => {
    const { folder } = world.repository('shop', { 'millrace.yaml': MANIFEST });
    const bin = join(world.base, 'bin');
    const at = (name: string) => join(world.base, name);
    mkdirSync(bin);
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh
      case "$*" in *"--name-only --full-tree"*) while [ -e '${at('hold')}' ]; do touch '${at('held')}'; sleep 0.1; done ;; esac
      exec '${real}' "$@"
`,
      { mode: 0o755 },
    );
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const args = ['--project', folder];
    const runner = await world.start(server(), owner, { name: 'one', args, env });
    writeFileSync(at('hold'), '');
    await world.command(runner.home, ['runner', 'allow', 'shop', '--host', 'example.com']);
    await waitUntil(() => existsSync(at('held')), 'the runner to look at its project');
    const made = await ended(await requestRun(server(), asker));
    expect(made, made.outcome?.message).toMatchObject({ status: 'completed', attempts: 1 });
    rmSync(at('hold'));
  });

  it('allows nothing while its file cannot be read, says so, and works again when it can', async () => {
    const { folder } = world.repository('shop', { 'millrace.yaml': MANIFEST });
    const args = ['--project', folder];
    const runner = await world.start(server(), owner, { name: 'one', args });
    const file = join(runner.home, 'state/millrace/runner/runner.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, -5));
    // It may come with the answer to what was asked before.
    const early = await requestRun(server(), asker);
    const says = (words: string) => waitUntil(() => runner.output().includes(words), words);
    // A line of its own: not what became of the early one.
    await says(`\n${file} cannot be understood, so nothing is allowed here.`);
    expect(runner.output()).not.toContain('cannot be reached');
    writeFileSync(file, text);
    await says('connected again');
    const { status, outcome } = await ended(early);
    if (status !== 'completed') expect(outcome!.message).toContain('cannot be understood');
    expect(await ended(await requestRun(server(), asker))).toMatchObject({ status: 'completed' });
  });

  it('that is stopped gives back what it has, and another one continues', async () => {
    verifies('runners.given-back');
    const slow = writes('a');
    const { folder } = world.repository('shop', {
      'millrace.yaml': feature(
        { a: { ...slow, plan: `[[sim:delay 3000]] ${slow.plan}` } },
        { model: 'sim-instant' },
      ),
    });
    const copy = world.copyOf(folder, 'copy');
    const first = await world.start(server(), owner, { name: 'one', args: ['--project', folder] });
    const id = await requestRun(server(), asker);
    await waitUntil(
      async () => (await findRequest(server(), asker, id))['runId'] !== null,
      'the run to begin',
    );
    await first.kill('SIGTERM');
    expect(first.output()).toContain('given back');
    expect(await findRequest(server(), asker, id)).toMatchObject({ status: 'queued' });
    await world.start(server(), owner, { name: 'two', args: ['--project', `${copy.folder}=shop`] });
    const done = await ended(id);
    expect(done, done.outcome?.message).toMatchObject({
      status: 'completed',
      runner: { name: 'two' },
    });
  });
});

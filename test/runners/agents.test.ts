// Which agents work for others on a runner, and with whose login: as its owner says on that machine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { RunRequest } from '../../src/contract/run-request-api.ts';
import { feature } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { findRequest, requestRun } from './fake-runner.ts';
import { makeRunnerWorld } from './runner-world.ts';
import type { RunnerWorld } from './runner-world.ts';

const server = useServer();
let world: RunnerWorld;
let key: string;

/** Needs no vendor: it writes the file of its stream. */
const AGENT = `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv[2] === '--version') { console.log('2.1.327 (Claude Code)'); process.exit(); }
fs.readFileSync(0);
fs.writeFileSync('a.txt', 'a\\n');
console.log(JSON.stringify({ type: 'result', subtype: 'success', result: 'Done.', total_cost_usd: 0.01,
  usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 } }));
`;
const LOGIN = { claudeAiOauth: { accessToken: 'at-1', refreshToken: 'rt-1', expiresAt: 1 } };

beforeEach(async () => {
  world = makeRunnerWorld();
  ({ key } = await server().createKey({ scopes: [...SCOPES] }));
});
afterEach(() => world.remove());

const ended = async (id: string): Promise<RunRequest> =>
  waitUntil(async () => {
    const found = await findRequest(server(), key, id, '?wait=20');
    return found['endedAt'] === null ? undefined : (found as unknown as RunRequest);
  }, 'the request to end');

const manifestFor = (agent: string, model: string) =>
  feature({ a: { name: 'A', owns: ['a.txt'], plan: 'Write.', agent } }, { model });

it('are those that the owner has named', async () => {
  verifies('runners.agents');
  const { folder } = world.repository('shop', { 'a.md': 'a' });
  const args = ['--project', folder, '--agents', 'none'];
  await world.start(server(), key, { name: 'one', args });
  const { body } = await server().call('GET', '/v1/runners', { key });
  expect((body['items'] as { agents: string[] }[])[0]!.agents).toEqual([]);
  const manifest = { text: manifestFor('loop', 'sim-instant') };
  const refused = await ended(await requestRun(server(), key, { manifest }));
  expect(refused).toMatchObject({ status: 'failed', runIds: [] });
  expect(refused.outcome?.message).toContain(
    'a: The owner of this runner has not allowed the agent loop for runs of others.',
  );
  await expect(
    world.start(server(), key, { name: 'two', args: ['--project', folder, '--agents', 'emacs'] }),
  ).rejects.toThrow('--agents "emacs": there are claude,');
});

it('use the login of the owner where that is allowed for runs of others, not where it is for their own', async (context) => {
  context.skip(NO_SANDBOX !== undefined);
  verifies('runners.agents');
  const home = join(world.base, 'home');
  const bin = join(world.base, 'bin');
  const write = (path: string, text: string, mode = 0o600) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  write(join(bin, 'claude'), AGENT, 0o755);
  write(join(home, '.claude/.credentials.json'), JSON.stringify(LOGIN));
  write(join(home, 'config/millrace/config.yaml'), 'agents: {claude: {auth: own}}\n');
  const { folder } = world.repository('shop', {
    'millrace.yaml': manifestFor('claude', 'claude-sonnet-4-5'),
  });
  const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  // For runs of their own.
  const own = { ...env, MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  const words = ['run', join(folder, 'millrace.yaml'), '--git', 'branch', '--yes'];
  expect(await world.command(home, words, { env: own, cwd: folder })).toContain('a');

  const runner = { name: 'one', args: ['--project', folder], home, env };
  await world.start(server(), key, runner);
  const refused = await ended(await requestRun(server(), key, {}));
  expect(refused.status).toBe('failed');
  expect(refused.outcome?.message).toContain('claude works with your own login');
  expect(refused.outcome?.message).toContain('not approved on this machine');
  await expect(
    world.command(home, ['runner', 'allow', 'shop', '--own-login', 'codex'], { env }),
  ).rejects.toThrow('no agent of this name has "auth: own"');
  await world.command(home, ['runner', 'allow', 'shop', '--own-login', 'claude'], { env });
  const done = await ended(await requestRun(server(), key, {}));
  expect(done, done.outcome?.message).toMatchObject({ status: 'completed' });
  await world.command(home, ['runner', 'allow', 'shop', '--no-own-logins'], { env });
  expect((await ended(await requestRun(server(), key, {}))).status).toBe('failed');
});

it('a second runner of a machine would work in the same folders: it does not start', async () => {
  verifies('runners.one-of-a-machine');
  const { folder } = world.repository('shop', { 'a.md': 'a' });
  const first = await world.start(server(), key, { name: 'one', args: ['--project', folder] });
  const second = { name: 'two', args: ['--project', folder], home: first.home };
  await expect(world.start(server(), key, second)).rejects.toThrow(
    'A runner is running on this machine already.',
  );
  await first.kill();
  await world.start(server(), key, second);
});

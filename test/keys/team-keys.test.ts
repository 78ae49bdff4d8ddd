// Keys that a whole team uses.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { expectError } from '../support/expect-error.ts';
import { runEither } from '../support/run-here.ts';
import { detailOf, useKeyServer } from './key-server.ts';
import { joinTeam } from '../accounts/people.ts';

const context = useKeyServer();
const TEAM_KEY = 'sk-ant-team-00000000000a1b2';
const OWN_KEY = 'sk-ant-own-000000000000c3d4';

let team: string;
const keys: Record<'owner' | 'member' | 'viewer', string> = { owner: '', member: '', viewer: '' };

async function call(who: keyof typeof keys, method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body };
  const headers = { 'x-team-id': team };
  return context().server.call(method, path, { key: keys[who], headers, ...sent });
}

const storeAs = (who: keyof typeof keys, key: string, owner?: string) =>
  call(who, 'POST', '/api/v1/keys', { provider: 'anthropic', key, tosAccepted: true, owner });

/** The key that the vendor saw. */
async function usedBy(who: keyof typeof keys): Promise<string | undefined> {
  const { server, vendors } = context();
  const before = vendors.calls({ vendor: 'anthropic' }).length;
  const body = { streamId: 's', prompt: 'x', model: 'claude-test', maxTokens: 9 };
  const { status, body: job } = await call(who, 'POST', '/api/v1/execute', body);
  expect(status, JSON.stringify(job)).toBe(202);
  const ended = await server.finished(keys[who], job['jobId'] as string);
  expect(ended['status'], JSON.stringify(ended)).toBe('completed');
  return vendors.calls({ vendor: 'anthropic' }).at(before)?.key;
}

beforeAll(async () => {
  const { server } = context();
  for (const who of ['owner', 'member', 'viewer'] as const) {
    const { key, email } = await server.createKey({ scopes: [...SCOPES] });
    keys[who] = key;
    if (who === 'owner') {
      const made = await server.call('POST', '/v1/teams', { key, body: { name: 'Keys' } });
      team = made.body['id'] as string;
    } else {
      await joinTeam(server, { teamId: team, userId: await server.userId(email), role: who });
    }
  }
});
beforeEach(() => {
  context().vendors.reset();
  context().vendors.setKeys('anthropic', [TEAM_KEY, OWN_KEY]);
});

it('are stored by those who manage the team, and used by all its members after their own', async () => {
  const { server } = context();
  expectError(await storeAs('member', TEAM_KEY, 'team'), 'FORBIDDEN');
  expectError(await storeAs('viewer', TEAM_KEY, 'team'), 'FORBIDDEN');
  expect((await call('member', 'GET', '/api/v1/keys')).body).toEqual({ keys: [] });
  const stored = await storeAs('owner', TEAM_KEY, 'team');
  expect([stored.status, stored.body['owner']]).toEqual([201, 'team']);

  expect((await call('viewer', 'GET', '/api/v1/keys')).body['keys']).toMatchObject([
    { provider: 'anthropic', maskedKey: 'sk-ant-...a1b2', owner: 'team' },
  ]);
  expect(await usedBy('member')).toBe(TEAM_KEY);

  await storeAs('member', OWN_KEY);
  const listed = (await call('member', 'GET', '/api/v1/keys')).body['keys'] as object[];
  expect(listed).toMatchObject([{ maskedKey: 'sk-ant-...c3d4' }, { owner: 'team' }]);
  expect(listed[0]).not.toHaveProperty('owner');
  expect(await usedBy('member')).toBe(OWN_KEY);
  expect(await usedBy('owner')).toBe(TEAM_KEY);

  // In another team nobody has it.
  const elsewhere = { streamId: 's', prompt: 'x', model: 'claude-test', maxTokens: 9 };
  const alone = await server.call('POST', '/api/v1/execute', { key: keys.owner, body: elsewhere });
  expect(detailOf(alone).code).toBe('NO_PROVIDER_KEY');

  // Neither changes the other.
  await call('member', 'DELETE', '/api/v1/keys/anthropic');
  expect(await usedBy('member')).toBe(TEAM_KEY);
  expectError(await call('member', 'DELETE', '/api/v1/keys/anthropic?owner=team'), 'FORBIDDEN');
  const tested = await call('owner', 'POST', '/api/v1/keys/anthropic/test?owner=team');
  expect(tested.body).toEqual({ provider: 'anthropic', valid: true });
  const log = await call('owner', 'GET', '/v1/audit?action=provider_key.*');
  expect(log.body['items']).toMatchObject([
    { action: 'provider_key.stored', target: 'anthropic', after: { maskedKey: 'sk-ant-...a1b2' } },
  ]);
  expect(JSON.stringify(log.body)).not.toContain(TEAM_KEY);
  const gone = await call('owner', 'DELETE', '/api/v1/keys/anthropic?owner=team');
  expect(gone.body).toEqual({ deleted: true, provider: 'anthropic' });
  expect((await call('owner', 'GET', '/api/v1/keys')).body).toEqual({ keys: [] });
});

it('make no sense in a personal team, which is told', async () => {
  const body = { provider: 'anthropic', key: TEAM_KEY, tosAccepted: true, owner: 'team' };
  const answer = await context().server.call('POST', '/api/v1/keys', { key: keys.owner, body });
  expect(detailOf(answer).code).toBe('PERSONAL_TEAM');
});

it('are added, listed and removed by command', async () => {
  const env = { MILLRACE_URL: context().server.url, MILLRACE_API_KEY: keys.owner };
  const cli = (args: string[], input?: string) =>
    runEither(['keys', ...args, '--team', team], env, input);
  const added = await cli(['add', 'anthropic', '--shared', '--accept-terms'], TEAM_KEY);
  expect(added.stdout, added.stderr).toContain('Added sk-ant-...a1b2 for anthropic.');
  expect((await cli(['list'])).stdout).toMatch(/anthropic +sk-ant-\.\.\.a1b2 +team/);
  expect((await cli(['rm', 'anthropic'])).stdout).toContain('nothing to delete');
  expect((await cli(['rm', 'anthropic', '--shared'])).stdout).toContain('Deleted the key');
});

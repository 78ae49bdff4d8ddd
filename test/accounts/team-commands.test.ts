// millrace team, audit and config, as a person types them.
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { BELIEVES_TESTS } from './people.ts';

const server = useServer(BELIEVES_TESTS);
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-test-config-'));
  const { key } = await server().createKey({ email: 'lead@example.com', scopes: [...SCOPES] });
  env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key, MILLRACE_CONFIG_DIR: folder };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = (...args: string[]) => runHere(args, env);
/** On a terminal where nothing is cut off. */
async function wideCli(...args: string[]) {
  Object.defineProperty(process.stdout, 'columns', { value: 160, configurable: true });
  try {
    return await cli(...args);
  } finally {
    Reflect.deleteProperty(process.stdout, 'columns');
  }
}
const file = () => join(folder, 'config.yaml');

it('a team is created, worked in by its slug, invited to, changed and deleted', async () => {
  const made = await cli('team', 'create', 'Platform');
  expect(made).toMatchObject({ code: 0, stdout: 'Created Platform (platform).\n' });
  expect(made.stderr).toContain('--team platform');

  const invited = await cli('team', 'invite', 'jane@example.com', '--team', 'platform');
  expect(invited.stdout).toMatch(/^http:\/\/\S+\/welcome#\S+\n$/);
  expect(invited.stderr).toContain('Send this link to jane@example.com. It works once, for 7 days');
  const members = await cli('team', 'members', '--team', 'Platform');
  expect(members.stdout).toMatch(/^EMAIL +ROLE +STATUS +JOINED +NAME\n/);
  expect(members.stdout).toMatch(/lead@example\.com +owner +active/);
  expect(members.stdout).toMatch(/jane@example\.com +member +invited +-/);
  const role = ['team', 'role', 'Jane@example.com', 'viewer', '--team', 'platform'];
  expect((await cli(...role)).stdout).toBe('jane@example.com is viewer in Platform.\n');
  const removed = await cli('team', 'remove', 'jane@example.com', '--team', 'platform');
  expect(removed.stdout).toBe('Removed jane@example.com from Platform.\n');

  const settings = ['--default-model', 'sim-instant', '--retention-days', '30'];
  const updated = await cli('team', 'update', ...settings, '--team', 'platform');
  expect(updated.stdout).toContain('defaultModel  sim-instant');
  const reset = ['team', 'update', '--default-model', 'none', '--team', 'platform', '--json'];
  expect(JSON.parse((await cli(...reset)).stdout)).toMatchObject({
    settings: { retentionDays: 30 },
  });

  const listed = await cli('team', 'list');
  expect(listed.stdout).toMatch(/lead-\w+ +owner +enterprise +1 +lead@example\.com \(personal\)/);
  expect(listed.stdout).toMatch(/platform +owner +enterprise +1 +Platform/);

  const log = await wideCli('audit', '--team', 'platform', '--action', 'member.*');
  expect(log.stdout).toMatch(/^TIME +WHO +FROM +ACTION +CHANGE\n/);
  expect(log.stdout).toMatch(/lead@example\.com +127\.0\.0\.1 +member\.role_changed/);
  // What changed comes first; the id may be cut off, and its beginning is enough to ask for more.
  const change = /role_changed +email jane@example\.com, role member → viewer, (\w+)$/m;
  const [, target = ''] = change.exec(log.stdout) ?? [];
  expect(target).toMatch(/^[a-z]+_\w{10,20}$/);
  const ofTarget = await wideCli('audit', '--team', 'platform', '--target', target);
  expect(ofTarget.stdout).toMatch(/email jane@example\.com, role viewer, /);
  expect(ofTarget.stdout).not.toContain('team.created');
  const unknown = await cli('audit', '--target', `${target.split('_')[0]}_0000000000`);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain('audit --json');
  const page = await cli('audit', '--team', 'platform', '--limit', '1', '--json');
  expect(JSON.parse(page.stdout)).toMatchObject({ hasMore: true, limit: 1 });

  const kept = await cli('team', 'delete', 'platform');
  expect(kept).toMatchObject({ code: 2, stdout: '' });
  expect(kept.stderr).toContain('--yes');
  expect((await cli('team', 'delete', 'platform', '--yes')).stdout).toBe('Deleted Platform.\n');
});

it('a key for one team is made by naming it', async () => {
  await cli('team', 'create', 'Bound');
  const made = await cli('api-keys', 'create', 'ci', '--team', 'bound', '--json');
  const { key, teamId } = JSON.parse(made.stdout) as { key: string; teamId: string };
  const teams = await runHere(['team', 'list', '--json'], { ...env, MILLRACE_API_KEY: key });
  expect((JSON.parse(teams.stdout) as { items: { id: string }[] }).items).toMatchObject([
    { id: teamId },
  ]);
});

it('jobs and history are those of the chosen team', async () => {
  await cli('team', 'create', 'Elsewhere');
  const chosen = { ...env, MILLRACE_TEAM: 'elsewhere' };
  const ran = await runHere(['job', 'run', '--prompt', 'hello', '--model', 'sim-instant'], chosen);
  expect(ran.code, ran.stderr).toBe(0);
  const count = async (settings: Record<string, string>) => {
    const { stdout } = await runHere(['history', '--json'], settings);
    return (JSON.parse(stdout) as { total: number }).total;
  };
  expect([await count(chosen), await count(env)]).toEqual([1, 0]);
});

it('what does not exist or makes no sense is told, with what to do', async () => {
  const unknown = await cli('team', 'members', '--team', 'nowhere');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('You have no team "nowhere" (--team).');
  const alone = await cli('team', 'invite', 'jane@example.com');
  expect(alone.stderr).toContain('your personal team');
  const nobody = await cli('team', 'role', 'nobody@example.com', 'admin', '--team', 'bound');
  expect(nobody.stderr).toContain('team members --team bound');
  expect((await cli('team', 'update')).code).toBe(2);
  expect((await cli('team', 'update', '--budget', 'much')).stderr).toContain('must be dollars');
  expect((await cli('audit', '--action', 'everything')).stderr).toContain('must be one of');
});

it('the data of a team is downloaded whole or not at all, and nothing is overwritten', async () => {
  const output = join(folder, 'team.zip');
  const saved = await cli('account', 'export', '--team', 'bound', '--output', output);
  expect(saved, saved.stderr).toMatchObject({ code: 0, stdout: `${output}\n` });
  expect(readFileSync(output).subarray(0, 2).toString()).toBe('PK');
  expect(statSync(output).mode & 0o777).toBe(0o600);
  const again = await cli('account', 'export', '--team', 'bound', '--output', output);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
  const own = await cli('account', 'export', '--output', join(folder, 'own.zip'));
  expect([own.code, own.stderr]).toEqual([4, expect.stringContaining('signed-in user')]);
  expect(readdirSync(folder)).not.toContain('own.zip');
  expect((await cli('account', 'delete')).stderr).toContain('in a terminal');
});

it('settings are shown with where they come from, and changed in place', async () => {
  writeFileSync(file(), '# mine\nmodel: a\nprofiles:\n  work:\n    model: b\n');
  expect((await cli('config', 'set', 'team', 'platform')).stdout).toContain('team is now platform');
  await cli('config', 'set', 'model', 'sim-fast');
  expect(readFileSync(file(), 'utf8')).toBe(
    '# mine\nmodel: "sim-fast"\nprofiles:\n  work:\n    model: b\nteam: "platform"\n',
  );
  expect((await cli('config', 'get', 'model')).stdout).toBe('sim-fast\n');
  const listed = await cli('config', 'list');
  expect(listed.stdout).toMatch(/url +http:\S+ +MILLRACE_URL/);
  // A long path is cut off at the end of the line.
  expect(listed.stdout).toMatch(/team +platform +\/\S+/);
  expect(listed.stdout).toMatch(/apiKey +mill_sk_\.\.\. +MILLRACE_API_KEY/);
  expect(listed.stdout).not.toContain(env['MILLRACE_API_KEY']);
  await cli('config', 'unset', 'team');
  // As assistants pass on what is not set.
  const unset = await runHere(['config', 'get', 'team'], { ...env, MILLRACE_TEAM: '${TEAM}' });
  expect(unset.stdout).toBe('\n');
  expect(readFileSync(file(), 'utf8')).not.toContain('team');
  const wrong = await cli('config', 'set', 'apply', 'sometimes');
  expect(wrong.code).toBe(2);
  expect(readFileSync(file(), 'utf8')).not.toContain('sometimes');
  rmSync(file());
  await cli('config', 'set', 'team', 'x: [');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect((await cli('config', 'get', 'team')).stdout).toBe('x: [\n');
});

// A repository from an enemy, under every command that reads a project. Nothing outside of it changes,
// nothing outside of it is read, nothing runs that was not approved, and no key goes anywhere.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { runHere } from '../support/run-here.ts';
import type { CliResult } from '../support/cli.ts';
import {
  GIT_ATTACKS,
  LINK_ATTACKS,
  MANIFEST_ATTACKS,
  SETTINGS_ATTACKS,
} from './project-attacks.ts';
import { STATE_ATTACKS } from './state-attacks.ts';
import type { Attack } from './state-attacks.ts';
import { SECRET, createWorld, manifest } from './world.ts';
import type { World } from './world.ts';

const server = useServer();
let key: string;
beforeAll(async () => {
  ({ key } = await server().createKey());
});

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.remove());
afterAll(() => expect(existsSync('/tmp/millrace-pwned')).toBe(false));

const EVERY_COMMAND = [
  'validate',
  'plan',
  'learn --write',
  'status',
  'explain',
  'logs',
  'diff',
  'watch',
  'apply',
  'revert',
  'revert --force',
  'history',
  'run --dry-run',
  'run',
].map((line) => line.split(' '));

/** The user's own settings name the server, so that commands get as far as they can. */
function settingsOf(attack: Attack): Record<string, string> {
  const folder = join(world.home, '.config/millrace');
  mkdirSync(folder, { recursive: true });
  const credentials = JSON.stringify({ profiles: { default: { apiKey: key } } });
  writeFileSync(join(folder, 'credentials.json'), credentials, { mode: 0o600 });
  writeFileSync(join(folder, 'config.yaml'), `url: ${server().url}\n`);
  const isAboutKeys = attack.name.startsWith('settings');
  return {
    HOME: world.home,
    ...(!isAboutKeys && { MILLRACE_API_KEY: key, MILLRACE_URL: server().url }),
  };
}

function check(command: readonly string[], { stdout, stderr }: CliResult): void {
  const said = `${command.join(' ')}: ${stdout}${stderr}`;
  expect(said).not.toMatch(/Cannot read properties|is not a function|is not iterable|\n {4}at /);
  expect(said).not.toContain(SECRET);
  expect(said).not.toContain(key);
  // eslint-disable-next-line no-control-regex
  expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
}

async function promptsWithSecrets(): Promise<number> {
  const { rows } = await server().db.query<{ count: string }>(
    `select count(*) from jobs where prompt like $1`,
    [`%${SECRET}%`],
  );
  return Number(rows[0]?.count);
}

async function attackWith(attack: Attack): Promise<void> {
  attack.build(world);
  const env = settingsOf(attack);
  const before = world.picture();
  for (const command of [...(attack.commands ?? []), ...EVERY_COMMAND]) {
    check(command, await runHere(command, env, world.project));
    expect({ command, after: world.picture() }).toEqual({ command, after: before });
    expect({ command, heard: world.heard }).toEqual({ command, heard: [] });
  }
  expect(await promptsWithSecrets()).toBe(0);
}

const ALL = {
  'state of runs': STATE_ATTACKS,
  settings: SETTINGS_ATTACKS,
  'a manifest': MANIFEST_ATTACKS,
  links: LINK_ATTACKS,
  'a git repository': GIT_ATTACKS,
};

for (const [what, attacks] of Object.entries(ALL)) {
  describe(`a repository that attacks with ${what}`, () => {
    it.each(attacks.map((attack) => ({ name: attack.name, attack })))('$name', async ({ attack }) =>
      attackWith(attack),
    );
  });
}

it('is a project like any other when nobody attacks', async () => {
  world.write('project/src/b.ts', 'export const wanted = 1;\n');
  world.write('project/millrace.yaml', manifest({ reads: ['src/b.ts'], verify: ['true'] }));
  const env = settingsOf({ name: '', build: () => {} });
  const ran = await runHere(['run', '--yes'], env, world.project);
  expect(ran).toMatchObject({ code: 0 });
  expect(existsSync(join(world.project, 'out/a.md'))).toBe(true);
  const { rows } = await server().db.query(
    `select 1 from jobs where prompt like '%const wanted = 1%'`,
  );
  expect(rows).toHaveLength(1);
  // The thief would hear, and would be told the key, if the user said so.
  await runHere(['history', '--url', world.thief], env, world.project);
  expect(world.heard.join()).toContain(key);
});

it('has at least sixty of them', () => {
  expect(Object.values(ALL).flat().length).toBeGreaterThanOrEqual(60);
});

// `millrace runner install`: the file of the service, and who starts it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchdAgent, systemdUnit } from '../../src/cli/commands/runner/service-file.ts';
import { runCli } from '../support/cli.ts';

let home: string;
let unit: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-service-'));
  unit = join(home, '.config/systemd/user/millrace-runner.service');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const runner = (args: string[], path = join(home, 'bin')) =>
  runCli(['runner', ...args], { HOME: home, PATH: path, MILLRACE_API_KEY: 'mill_sk_secret' });

/** Notes how it is called, and answers so. */
function fakeSystemctl(exit = 0): string {
  const log = join(home, 'systemctl.log');
  mkdirSync(join(home, 'bin'));
  const file = join(home, 'bin/systemctl');
  writeFileSync(
    file,
    `#!/bin/sh\necho "$*" >> '${log}'\n[ ${exit} = 0 ] || echo 'no bus' >&2\nexit ${exit}\n`,
  );
  chmodSync(file, 0o755);
  return log;
}

describe.skipIf(process.platform !== 'linux')('a runner as a service', () => {
  it('is written, started and removed, without any key in its file', async () => {
    const log = fakeSystemctl();
    const folder = join(home, 'a b%c');
    mkdirSync(folder);
    const args = [
      'install',
      '--project',
      `${folder}=shop`,
      '--name',
      'x "y" $HOME',
      '--label',
      'gpu',
    ];
    const done = await runner(args);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    const text = readFileSync(unit, 'utf8');
    expect(text).toContain(
      `"runner" "--name" "x \\"y\\" $HOME" "--project" "${home}/a b%%c=shop" "--label" "gpu"`,
    );
    expect(text).toMatch(/^ExecStart=:"/m);
    expect(text).not.toContain('mill_sk_secret');
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
      '--user daemon-reload',
      '--user enable millrace-runner.service',
      '--user restart millrace-runner.service',
    ]);
    // Again, with other flags: it is ours.
    expect((await runner(['install', '--name', 'z'])).code).toBe(0);
    expect(readFileSync(unit, 'utf8')).toContain('"--name" "z"');
    expect((await runner(['uninstall'])).code).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect(readFileSync(log, 'utf8')).toContain('--user disable --now millrace-runner.service');
    expect((await runner(['uninstall'])).stdout).toContain('no runner service');
  });

  it.each([
    ['there is no systemctl', undefined, 'systemctl is not here'],
    ['systemctl fails', 1, 'no bus'],
  ])('says what to run where %s', async (_, exit, why) => {
    if (exit !== undefined) fakeSystemctl(exit);
    const { code, stderr } = await runner(['install']);
    expect(code).toBe(0);
    expect(stderr).toContain(why);
    expect(stderr).toContain('  systemctl --user enable millrace-runner.service');
    expect(existsSync(unit)).toBe(true);
  });

  it('leaves a file alone that is not its own, and shows its own without writing', async () => {
    mkdirSync(join(unit, '..'), { recursive: true });
    writeFileSync(unit, 'mine');
    for (const action of ['install', 'uninstall']) {
      expect((await runner([action])).stderr).toContain('not written by this command');
    }
    expect(readFileSync(unit, 'utf8')).toBe('mine');
    rmSync(unit);
    const shown = await runner(['install', '--dry-run']);
    expect(shown.stdout).toContain('[Service]');
    expect(existsSync(unit)).toBe(false);
  });

  it('takes an environment file that nobody else can read, and nothing that breaks lines', async () => {
    const file = join(home, 'runner.env');
    writeFileSync(file, 'MILLRACE_API_KEY=mill_sk_secret\n', { mode: 0o644 });
    const args = ['install', '--dry-run', '--environment-file', file];
    expect((await runner(args)).stderr).toContain('others can read it');
    chmodSync(file, 0o600);
    expect((await runner(args)).stdout).toContain(`\nEnvironmentFile=${file}\n`);
    expect((await runner(['install', '--environment-file', '/none'])).stderr).toContain(
      'no such file',
    );
    const broken = await runner(['install', '--name', 'x\nExecStart=/bin/evil']);
    expect(broken).toMatchObject({ code: 2 });
    expect(existsSync(unit)).toBe(false);
  });
});

it('an agent of launchd quotes what XML would take otherwise', () => {
  const service = {
    name: 'x',
    program: ['/a b/millrace', 'runner', '--name', '<&>'],
    folder: '/home',
    env: { PATH: '/bin' },
    environmentFile: '/home/run ner.env',
  };
  const text = launchdAgent('example', service);
  expect(text).toContain('<string>&lt;&amp;&gt;</string>');
  expect(text).toContain('<string>/home/run ner.env</string>');
  expect(systemdUnit(service)).toContain('EnvironmentFile=/home/run ner.env');
});

// What `millrace doctor` says where a sandbox cannot be had, with each cause made in a namespace of the test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PACKAGE_OF } from '../../src/sandbox/linux/programs.ts';
import { probeSandbox } from '../../src/sandbox/probe.ts';
import { remedyOf } from '../../src/sandbox/remedies.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { NO_SANDBOX } from './world.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'millrace-probe-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** The line about sandboxes; the words before it make the machine what it should be. */
async function doctor(before: readonly string[], descriptor?: number): Promise<string> {
  const output = await doctorOutput([...before], ['--json'], descriptor);
  const { checks, ok } = JSON.parse(output) as {
    ok: boolean;
    checks: { name: string; ok: boolean; warning?: true; text: string }[];
  };
  const check = checks.find(({ name }) => name === 'sandbox')!;
  expect([ok, check.ok, check.warning === true]).toEqual([
    true,
    true,
    check.text.startsWith('not available'),
  ]);
  return check.text;
}

async function doctorOutput(
  before: readonly string[],
  flags: readonly string[],
  descriptor?: number,
) {
  const [file, ...line] = [...before, process.execPath, MAIN, 'doctor'];
  const child = spawn(file, [...line, ...flags], {
    cwd: base,
    env: cleanEnv({ HOME: base, MILLRACE_STATE_DIR: base, MILLRACE_DATA_DIR: base }),
    stdio: ['ignore', 'pipe', 'inherit', descriptor ?? 'ignore'],
  });
  const [output] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  return output;
}

/** A filter of system calls that answers "not permitted" to `unshare`. */
function filterFile(): string {
  const number = process.arch === 'x64' ? 272 : 97;
  const filter = Buffer.from(
    '200000000000000015000001000000000600000001000500060000000000ff7f',
    'hex',
  );
  filter.writeUInt32LE(number, 12);
  const path = join(base, 'filter');
  writeFileSync(path, filter);
  return path;
}

describe.skipIf(NO_SANDBOX !== undefined)('millrace doctor', () => {
  it('says that sandboxes are there, and how copies are done', async () => {
    expect(await doctor(['env'])).toMatch(/^bubblewrap, copies by (?:overlay|copying)/);
  });

  it('says what to install where bubblewrap is hidden', async () => {
    const hide = 'mount --bind /dev/null "$(realpath /usr/bin/bwrap)" && exec "$@"';
    const said = await doctor(['unshare', '-U', '-r', '-m', '--', 'sh', '-c', hide, 'sh']);
    expect(said).toMatch(
      /^not available\. bwrap is not installed: install bubblewrap \(apt install/,
    );
    const shown = await doctorOutput(
      ['unshare', '-U', '-r', '-m', '--', 'sh', '-c', hide, 'sh'],
      [],
    );
    expect(shown).toMatch(/^warn {2}sandbox {6}not available/m);
    expect(shown).toMatch(/^ok {4}runtime/m);
  });

  it('names the setting where namespaces are forbidden', async () => {
    const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"';
    const said = await doctor(['unshare', '-U', '-r', '--', 'sh', '-c', forbid, 'sh']);
    expect(said).toContain('sudo sysctl user.max_user_namespaces=10000');
  });

  it('names the options of the container where its filter forbids namespaces', async () => {
    const descriptor = openSync(filterFile(), 'r');
    try {
      const line = ['bwrap', '--dev-bind', '/', '/', '--seccomp', '3', '--'];
      expect(await doctor(line, descriptor)).toContain('--security-opt seccomp=unconfined');
    } finally {
      closeSync(descriptor);
    }
  });
});

it.skipIf(process.platform !== 'linux')(
  'all that is missing is named with its packages',
  async () => {
    symlinkSync('/bin/sh', join(base, 'sh'));
    const probe = await probeSandbox({ home: base, stateFolder: base, programFolders: [base] });
    expect(probe).toMatchObject({ kind: 'unavailable' });
    const remedy = probe.kind === 'unavailable' ? probe.remedy : '';
    for (const [name, from] of Object.entries(PACKAGE_OF)) {
      if (name !== 'sh') expect(remedy).toContain(name);
      if (name !== 'sh') expect(remedy).toContain(from);
    }
  },
);

describe('a remedy', () => {
  const files = (found: Record<string, string>) => ({
    read: (path: string) => found[path],
    exists: (path: string) => path in found,
  });

  it.each([
    ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1\n', 'bwrap-userns-restrict'],
    ['/proc/sys/kernel/unprivileged_userns_clone', '0\n', 'kernel.unprivileged_userns_clone=1'],
    ['/.dockerenv', '', '--security-opt'],
    ['/proc/self/status', 'Name:\tnode\nSeccomp:\t2\n', '--security-opt'],
  ])('for %s is in the text', (path, content, remedy) => {
    expect(
      remedyOf('bwrap: setting up uid map: Permission denied', files({ [path]: content })),
    ).toContain(remedy);
  });

  it('quotes the failure where the cause is not known', () => {
    expect(remedyOf('first\nbwrap: no luck\n', files({}))).toContain('(bwrap: no luck)');
  });
});

// Commands of a manifest in the sandbox, as a user asks for it and sees it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, eventsIn, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer();
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

const STREAMS = [{ id: 'a', verify: ['test -e out/a.md && touch made-by-verify'] }];
const manifest = (...top: string[]) => [...top, manifestOf(STREAMS)].join('\n');
const made = () =>
  project.read('made-by-verify').then(
    () => true,
    () => false,
  );

describe.skipIf(NO_SANDBOX !== undefined)('commands of a manifest', () => {
  it('run in the sandbox when the manifest says so, and every view says it', async () => {
    await project.write('m.yaml', manifest('sandboxCommands: true'));
    expect((await project.millrace(['plan', 'm.yaml'])).stdout).toContain(
      'Commands run in the sandbox, without a network.',
    );
    const dry = await project.millrace(['run', 'm.yaml', '--dry-run']);
    expect(dry.stdout).toContain('Commands that would run in the sandbox:');
    const ran = await project.millrace(['run', 'm.yaml', '--yes', '--progress', 'plain']);
    expect([ran.code, await made()], ran.stderr).toEqual([0, false]);
    expect(ran.stderr).toContain('commands in the sandbox');
    expect(ran.stderr).toContain('made-by-verify (sandbox)');
    const logs = await project.millrace(['logs']);
    expect(logs.stdout).toContain('made-by-verify (sandbox)');
    const again = await project.millrace([
      'run',
      'm.yaml',
      '--yes',
      '--from',
      'a',
      '--json',
      '--progress',
      'json',
    ]);
    const [started] = eventsIn(again.stdout);
    expect(started).toMatchObject({ type: 'run.started', sandbox: { hosts: [] } });
  });

  it('do so by a flag, by the settings of the user, and in apply as in the run', async () => {
    await project.write('m.yaml', manifest());
    const kept = await project.millrace([
      'run',
      'm.yaml',
      '--yes',
      '--apply',
      'never',
      '--sandbox-commands',
    ]);
    expect(kept.code, kept.stderr).toBe(0);
    const applied = await project.millrace(['apply']);
    expect([applied.code, await made()], applied.stderr).toEqual([0, false]);
    expect(applied.stderr).toContain('(sandbox)');
    const set = await project.millrace(['config', 'set', 'sandboxCommands', 'true']);
    expect(set.code, set.stderr).toBe(0);
    const wrong = await project.millrace(['config', 'set', 'sandboxCommands', 'maybe']);
    expect(wrong.code).toBe(2);
    const ran = await project.millrace(['run', 'm.yaml', '--yes', '--from', 'a']);
    expect([ran.code, await made()], ran.stderr).toEqual([0, false]);
    await project.millrace(['config', 'unset', 'sandboxCommands']);
    const plain = await project.millrace(['run', 'm.yaml', '--yes', '--from', 'a']);
    expect([plain.code, await made()], plain.stderr).toEqual([0, true]);
  });

  it('reach hosts only after the user has approved them, as commands are', async () => {
    await project.write('m.yaml', manifest('sandboxCommands: true'));
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    const network = 'commandNetwork: [registry.example.com, "*.example.org"]';
    await project.write('m.yaml', manifest('sandboxCommands: true', network));
    const asked = await project.millrace(['run', 'm.yaml', '--no-input']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('Commands may reach: registry.example.com, *.example.org');
    expect(asked.stderr).not.toContain('made-by-verify');
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    expect((await project.millrace(['run', 'm.yaml', '--no-input', '--from', 'a'])).code).toBe(0);
    await project.write('m.yaml', manifest(network));
    expect((await project.millrace(['plan', 'm.yaml'])).stderr).toContain('COMMAND_NETWORK_UNUSED');
  });

  it('stay in the sandbox when a run that was cut off is resumed without the flag', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a', verify: ['sleep 600'] }]));
    const run = project.start([
      'run',
      'm.yaml',
      '--yes',
      '--sandbox-commands',
      '--progress',
      'plain',
    ]);
    await expect.poll(run.stderr, { timeout: 60_000 }).toContain('sleep 600 (sandbox)');
    run.child.kill('SIGKILL');
    await run.ended;
    const dry = await project.millrace(['run', 'm.yaml', '--dry-run']);
    expect(dry.stdout).toContain('Commands that would run in the sandbox:');
    const status = await project.millrace(['status']);
    expect(status.stdout).toContain('--sandbox-commands');
  });

  it('that no sandbox can be had for stop the run before anything is spent', async () => {
    await project.write('m.yaml', manifest('sandboxCommands: true'));
    const hide = 'mount --bind /dev/null "$(realpath /usr/bin/bwrap)" && exec "$@"';
    const without = async (...words: string[]) => {
      const line = ['-U', '-r', '-m', '--', 'sh', '-c', hide, 'sh', process.execPath, MAIN];
      const child = spawn('unshare', [...line, '-C', project.folder, ...words], {
        env: cleanEnv(project.settings),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [errors] = await Promise.all([
        text(child.stderr),
        text(child.stdout),
        once(child, 'close'),
      ]);
      return { code: child.exitCode, errors };
    };
    const run = await without('run', 'm.yaml', '--yes');
    expect(run.code).toBe(2);
    expect(run.errors).toContain('this machine cannot start one');
    expect(run.errors).toContain('apt install bubblewrap');
    const { MILLRACE_URL, MILLRACE_API_KEY } = project.settings;
    const jobs = await fetch(`${MILLRACE_URL}/api/v1/jobs`, {
      headers: { authorization: `Bearer ${MILLRACE_API_KEY}` },
    });
    expect((await jobs.text()).includes('job_')).toBe(false);
    const plan = await without('plan', 'm.yaml');
    expect([plan.code, plan.errors.includes('SANDBOX_UNAVAILABLE')]).toEqual([0, true]);
  });
});

it('a settings file of a project cannot speak of the sandbox', async () => {
  await project.write('m.yaml', manifest());
  await mkdir(join(project.folder, '.millrace'), { recursive: true });
  await writeFile(join(project.folder, '.millrace/config.yaml'), 'sandboxCommands: false\n');
  const { code, stderr } = await project.millrace(['plan', 'm.yaml']);
  expect([code, stderr.includes('sandboxCommands')]).toEqual([2, true]);
});

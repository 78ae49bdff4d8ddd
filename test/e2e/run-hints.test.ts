import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFoundInPath, launcherFrom } from '../../src/cli/command-name.ts';
import { shellWord } from '../../src/domain/command/suggested-command.ts';
import { MAIN, SOURCE_MAIN, cleanEnv } from '../support/cli.ts';
import type { CliResult } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer();
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

const LAUNCHER = join(dirname(dirname(SOURCE_MAIN)), 'millrace');

/** The command as it is called in a shell that is in this folder. */
async function millraceIn(folder: string, args: readonly string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: cleanEnv(project.settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

describe('a command for the user to type', () => {
  it('is the script of the checkout with the folder of this call, as the shell needs it', async () => {
    const folder = join(project.folder, "it's mine");
    mkdirSync(folder);
    writeFileSync(join(folder, 'm.yaml'), manifestOf([{ id: 'a' }]));
    const { code, stdout } = await millraceIn(project.folder, ['-C', "it's mine", 'run', 'm.yaml']);
    expect(code).toBe(0);
    const [, shown] = /Changes +(.*)/.exec(stdout)!;
    expect(shown).toMatch(`${LAUNCHER} -C 'it'\\''s mine' diff run_`);
    // Not the script itself, which may set up the checkout; what it would be called with.
    const echo = `f() { printf '%s\\n' "$@"; }; f ${shown}`;
    const words = execFileSync('sh', ['-c', echo], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(words.slice(0, 4)).toEqual([LAUNCHER, '-C', "it's mine", 'diff']);
    const diff = await millraceIn(project.folder, words.slice(1));
    expect(diff.stdout).toContain('+++ b/out/a.md');
  });

  it('is just its name where the shell finds this very script by it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-path-'));
    try {
      const [own, other, link] = ['own', 'other', 'link'].map((name) => join(folder, name));
      for (const each of [own!, other!]) {
        mkdirSync(each);
        writeFileSync(join(each, 'millrace'), '');
      }
      mkdirSync(link!);
      symlinkSync(join(own!, 'millrace'), join(link!, 'millrace'));
      const isFound = (...folders: string[]) =>
        isFoundInPath(join(own!, 'millrace'), folders.join(':'));
      expect(isFound('/usr/bin', own!, other!)).toBe(true);
      expect(isFound(link!)).toBe(true);
      expect(isFound(other!, own!)).toBe(false);
      expect(isFound('/usr/bin', join(folder, 'nowhere'))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is short inside of the checkout', () => {
    expect(launcherFrom('/code/mill', '/code/mill/millrace')).toBe('./millrace');
    expect(launcherFrom('/code/mill/docs/x', '/code/mill/millrace')).toBe('../../millrace');
    expect(launcherFrom('/code/millrace-2', '/code/mill/millrace')).toBe('/code/mill/millrace');
    expect(launcherFrom('/', '/code/mill/millrace')).toBe('/code/mill/millrace');
    expect(shellWord('src/a-b.yaml')).toBe('src/a-b.yaml');
    expect(shellWord('$(x)')).toBe("'$(x)'");
  });

  it('is the plain name in JSON, however it was called', async () => {
    const shown = await project.millrace(['status']);
    expect(shown.stderr).toContain(`Start one with: ./millrace -C ${project.folder} run`);
    const json = await project.millrace(['status', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { hint: `Start one with: millrace -C ${project.folder} run` },
    });
  });
});

describe('a run that was cut off', () => {
  it('has nothing running in its pictures, and says how to go on', async () => {
    await project.write(
      'm.yaml',
      manifestOf([
        { id: 'a', directives: '[[sim:hang]]' },
        { id: 'b', deps: ['a'] },
      ]),
    );
    const run = project.start(['run', 'm.yaml', '--json']);
    await waitUntil(() => run.stdout().includes('"stream.job"'), 'the job');
    const during = await project.millrace(['status']);
    expect(during.stdout).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] a /);
    run.child.kill('SIGKILL');
    await run.ended;
    const again = `Resume with: ./millrace -C ${project.folder} run m.yaml`;
    const status = await project.millrace(['status']);
    expect(status.stdout).toMatch(/‖ a +was running when the run stopped\n/);
    expect(status.stdout).toMatch(/· b +not started\n/);
    expect(status.stdout).toMatch(/ interrupted {2}1 pending, 1 interrupted {2}/);
    expect(status.stdout).toContain(again);
    const watch = await project.millrace(['watch']);
    expect(watch.stderr).toContain('Running when the run stopped: a\n');
    expect(watch.stderr).toContain(again);
    const live = await project.millrace(['watch', '--progress', 'tty']);
    const last = live.stderr.slice(live.stderr.lastIndexOf('Wave 1'));
    expect(last).toMatch(/‖\S* a +\S*was running when the run stopped/);
    expect(last).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(last).not.toContain('q leaves');
  });

  it('is not taken for running because another run is at work', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a', directives: '[[sim:hang]]' }]));
    const first = project.start(['run', 'm.yaml', '--json']);
    await waitUntil(() => first.stdout().includes('"stream.job"'), 'the job');
    first.child.kill('SIGKILL');
    await first.ended;
    const [runId] = readdirSync(join(await project.stateDir(), 'runs'));
    await project.write('n.yaml', manifestOf([{ id: 'a', directives: '[[sim:hang]]' }]));
    const other = project.start(['run', 'n.yaml', '--json']);
    try {
      await waitUntil(() => other.stdout().includes('"stream.job"'), 'the other');
      const watch = await project.millrace(['watch', runId!]);
      expect({ code: watch.code, stderr: watch.stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('is gone'),
      });
    } finally {
      other.child.kill('SIGINT');
      await other.ended;
    }
  });
});

describe('a run with nothing to do', () => {
  it('says so, and how streams are done again; that does them again', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]));
    const first = await project.millrace(['run', 'm.yaml']);
    expect(first.stdout).not.toContain('Nothing to do');
    const [, firstId] = /diff (run_\w+)/.exec(first.stdout)!;
    const second = await project.millrace(['run', 'm.yaml']);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('Nothing to do: every stream is complete or skipped.');
    expect(second.stdout).toMatch(
      /Run a and its dependents again +\S+ -C \S+ run m\.yaml --from a\n/,
    );
    expect(second.stdout).toMatch(/Run only a again +\S+ -C \S+ run m\.yaml --only a\n/);
    // The last run is the one before it, which did something.
    for (const command of ['status', 'logs']) {
      expect((await project.millrace([command])).stdout).toContain(firstId);
    }
    expect((await project.millrace(['diff'])).stdout).toContain('+++ b/out/a.md');
    const third = await project.millrace(['run', 'm.yaml', '--from', 'a']);
    expect(third.stdout).not.toContain('Nothing to do');
    expect(third.stdout).toMatch(/complete {2}2 streams .* [1-9][\d,]* tokens/);
  });

  it('leaves the run before it as the one that is taken back', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    await project.millrace(['run', 'm.yaml']);
    expect((await project.millrace(['run', 'm.yaml'])).stdout).toContain('Nothing to do');
    expect((await project.millrace(['revert'])).stdout).toContain('Reverted 1 file');
  });

  it('needs no server: none is started for it, and none has it in its history', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const data = join(project.folder, '..', 'no-data');
    const own = { MILLRACE_URL: '', MILLRACE_API_KEY: '', MILLRACE_DATA_DIR: data };
    await project.millrace(['run', 'm.yaml']);
    const { code, stdout, stderr } = await project.millrace(['run', 'm.yaml'], own);
    expect(stderr).not.toContain('Starting a server');
    expect(stdout).toContain('Nothing to do');
    expect(code).toBe(0);
    expect(existsSync(data)).toBe(false);
    // With a server it is not told either: nothing was done.
    await project.millrace(['run', 'm.yaml']);
    const { stdout: listed } = await project.millrace(['history', '--json']);
    expect((JSON.parse(listed) as { items: object[] }).items).toHaveLength(1);
  });
});

describe('revert', () => {
  it('lists the streams that it has set back, not those that waited anyway', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b' }]));
    expect((await project.millrace(['run', 'm.yaml'])).code).toBe(0);
    const written = await project.read('m.yaml');
    const [before, after] = written.split('  b:\n') as [string, string];
    const reset = after
      .replace('status: complete', 'status: pending')
      .replace(/ +appliedAt.*\n/, '');
    await project.write('m.yaml', `${before}  b:\n${reset}`);
    const { code, stderr } = await project.millrace(['revert']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Pending again in m\.yaml: a\n/);
  });
});

describe('a state folder that cannot be used', () => {
  const commands = ['run m.yaml', 'run m.yaml --detach', 'status', 'revert'];

  it.each(commands)('because a file has its name, is told by %s', async (command) => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const stateDir = await project.stateDir();
    mkdirSync(dirname(stateDir), { recursive: true });
    writeFileSync(stateDir, 'mine\n');
    const { code, stderr } = await project.millrace(command.split(' '));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/is not a folder[^]*MILLRACE_STATE_DIR/),
    });
    expect(readFileSync(stateDir, 'utf8')).toBe('mine\n');
  });

  it.each(commands)('because others may write into it, is told by %s', async (command) => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const stateDir = await project.stateDir();
    mkdirSync(stateDir, { recursive: true });
    chmodSync(stateDir, 0o777);
    const { code, stderr } = await project.millrace(command.split(' '));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('can be written by other users'),
    });
  });

  it.skipIf(process.getuid?.() === 0)('is no use when the project cannot be written', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    chmodSync(project.folder, 0o555);
    try {
      const { code, stderr } = await project.millrace(['run', 'm.yaml']);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/Cannot write to .*: you may not write there/),
      });
    } finally {
      chmodSync(project.folder, 0o755);
    }
  });
});

describe('a manifest that is farther up in the repository', () => {
  it('is named, with the way to it; outside of a repository it is not looked for', async () => {
    const deep = join(project.folder, 'src/deep');
    mkdirSync(deep);
    await project.write('millrace.yaml', manifestOf([{ id: 'a' }]));
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: '' };
    const alone = await millraceIn(deep, ['run']);
    expect(alone.stderr).not.toContain('The nearest is');
    execFileSync('git', ['init', '-q'], { cwd: project.folder, env });
    const { code, stderr } = await millraceIn(deep, ['run']);
    expect(code).toBe(2);
    expect(stderr).toContain(`The nearest is ${join(project.folder, 'millrace.yaml')}.`);
    expect(stderr).toContain('"cd ../.."');
    expect(stderr).toContain(`${LAUNCHER} -C ../.. run\n`);
    // From a shell elsewhere the way is another one.
    const led = await millraceIn(project.folder, ['-C', 'src/deep', 'run', 'millrace.yaml']);
    expect(led.stderr).toContain(`Use it with: ${LAUNCHER} run\n`);
    expect(readdirSync(deep)).toEqual([]);
    // The nearest one, and not one above the repository.
    writeFileSync(join(project.folder, 'src/millrace.yaml'), 'x');
    expect((await millraceIn(deep, ['run'])).stderr).toContain('"cd .."');
    rmSync(join(project.folder, 'src/millrace.yaml'));
    mkdirSync(join(project.folder, 'src/.git'));
    expect((await millraceIn(deep, ['run'])).stderr).not.toContain('The nearest is');
    expect(readFileSync(join(project.folder, 'millrace.yaml'), 'utf8')).not.toContain('status');
  });
});

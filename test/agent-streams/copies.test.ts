// Copies of agents as a person sees them: at work, failed, kept, and gone.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../src/orchestrator/run/context.ts';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
import { keptCopies, openAgentCopy } from '../../src/orchestrator/project/open-copy.ts';
import { placeIn } from '../orchestrator/apply-project.ts';
import { reply } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { MAIN, cleanEnv, runCli } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { ANSWER, leftIn, processesWith, useAgents } from './world.ts';

const GO = { pieces: [String(ANSWER.pieces?.[0]).replace('"ok"', '"go"')] };
/** Until the model says so. */
const WAIT = `await call(); while (!(await call()).text.includes('"go"')) await sleep(50);`;
const FILES = {
  'kept.txt': 'kept',
  'gone.txt': 'gone',
  'old/a.txt': 'a',
  'old/b.txt': 'b',
  '.env': 'KEY=hunter2',
  'node_modules/tool/index.js': 'tool',
};
const WORK = `fs.writeFileSync('new.txt', 'new'); remove('gone.txt'); remove('old', { recursive: true });
  mkdir('old'); write('old/c.txt', 'c'); mkdir('sub/.git', { recursive: true });
  write('sub/.git/config', '[core]\\n\\tfsmonitor = touch /tmp/x\\n'); write('sub/plain', '', { mode: 0 });
  spawnSync('mkfifo', ['pipe']); fs.symlinkSync('/etc/passwd', 'link'); chmod('kept.txt', 0o4755);`;

const STREAM = { name: 's', plan: 'Write.', owns: ['new.txt'], maxTurns: 1000 };

describe.skipIf(NO_SANDBOX !== undefined)('the copy of an agent', () => {
  const world = useAgents();
  afterEach(() => {
    world.vendor().answer(ANSWER);
    world.vendor().calls.length = 0;
  });
  const state = () => join(world.base(), 'state');
  const open = async (place: Project, stream = 's', keep = false) =>
    openAgentCopy(
      placeIn(place.root),
      await findRun(placeIn(place.root).stateDir, undefined),
      stream,
      { keep },
    );

  /** A run that can be looked at while its agent waits. */
  function start(place: Project, more: Partial<RunOptions> = {}) {
    const working = Promise.withResolvers<void>();
    let seen = 0;
    const ended = world.run(place, {
      ...more,
      onEvent: ({ type }) => type === 'agent.turn' && (seen += 1) === 1 && working.resolve(),
    });
    return { ended, working: working.promise };
  }

  it('is a folder to look at while the agent works, and gone with the run', async () => {
    world.agent(
      'worker',
      `${WORK} ${WAIT} remove('old', { recursive: true }); mkdir('old'); write('old/a.txt', 'a'); write('old/b.txt', 'b'); write('gone.txt', 'gone'); chmod('kept.txt', 0o644); for (const f of ['sub', 'link', 'pipe']) remove(f, { recursive: true });`,
    );
    const place = world.project({ s: { ...STREAM, agent: 'worker' } }, FILES);
    const run = start(place);
    await run.working;
    const opened = await open(place);
    expect(opened).toMatchObject({ stream: 's', attempt: 1, state: 'running', isKept: false });
    const { folder } = opened;
    const names = readdirSync(folder, { recursive: true }).map(String);
    const shown = names.filter((name) => !name.startsWith('.git/')).sort();
    expect(shown).toEqual([
      '.git', 'kept.txt', 'link', 'millrace.yaml', 'new.txt', 'old', 'old/c.txt', 'sub', 'sub/plain',
    ]); // prettier-ignore
    expect(readFileSync(join(folder, 'old/c.txt'), 'utf8')).toBe('c');
    expect(readFileSync(join(folder, 'sub/plain'), 'utf8')).toBe('');
    expect(statSync(join(folder, 'kept.txt')).mode & 0o7777).toBe(0o755);
    const git = spawnSync('git', ['status', '--short', '--untracked-files=all'], { cwd: folder });
    const changed = git.stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.trim());
    // The run writes its own progress there meanwhile.
    expect(changed.filter((line) => line !== 'M millrace.yaml').sort()).toEqual([
      '?? link', '?? new.txt', '?? old/c.txt', '?? sub/plain', 'D gone.txt', 'D old/a.txt', 'D old/b.txt', 'M kept.txt',
    ]); // prettier-ignore
    // Looking does not disturb: what the agent writes afterwards counts.
    writeFileSync(join(folder, 'new.txt'), 'of the person');
    world.vendor().answer(GO);
    expect((await run.ended).status).toBe('complete');
    expect(place.read('new.txt')).toBe('new');
    expect(existsSync(folder)).toBe(false);
    expect(leftIn(state())).toEqual([]);
    await expect(open(place)).rejects.toMatchObject({ code: 'NO_COPY', exit: 'failed' });
    await expect(open(place)).rejects.toThrow('s is complete');
    await expect(open(place, 'other')).rejects.toMatchObject({
      code: 'UNKNOWN_STREAM',
      items: ['s'],
    });
  });

  it.each([false, true])(
    'of a failed attempt lasts as long as the run, or longer (keep: %s)',
    async (keepCopies) => {
      world.agent(
        'late',
        `const again = read().includes('went wrong'); if (again) { ${WAIT} } write('new.txt', again ? 'right' : 'wrong');`,
      );
      const place = world.project(
        { s: { ...STREAM, agent: 'late', verify: ['grep -q right new.txt'] } },
        { ...FILES, '.gitignore': 'node_modules' },
      );
      const run = start(place, { keepCopies });
      await run.working;
      // The fix is at work; it is newer than the attempt that failed.
      expect(await open(place)).toMatchObject({ stream: 's-fix-1', state: 'running' });
      const failed = async () => {
      const found = await findRun(placeIn(place.root).stateDir, undefined);
      return openAgentCopy(placeIn(place.root), { ...found, events: found.events.filter(({ type }) => type !== 'stream.fix') }, 's', { keep: false });
    }; // prettier-ignore
      const opened = await failed();
      expect(opened).toMatchObject({ stream: 's', state: 'failed', isKept: keepCopies });
      expect(readFileSync(join(opened.folder, 'new.txt'), 'utf8')).toBe('wrong');
      world.vendor().answer(GO);
      const { status, runId } = await run.ended;
      expect(status).toBe('complete');
      expect(await keptCopies(placeIn(place.root), runId)).toEqual(
        keepCopies ? [opened.folder] : [],
      );
      expect(existsSync(opened.folder)).toBe(keepCopies);
      expect(leftIn(state())).toEqual([]);
      if (!keepCopies) {
        await expect(open(place)).rejects.toThrow('The copy of s is gone');
        return;
      }
      // It needs nothing of the run any more.
      const git = spawnSync('git', ['show', 'HEAD:kept.txt'], { cwd: opened.folder });
      expect(git.stdout.toString()).toBe('kept');
      expect(await open(place)).toMatchObject({ folder: opened.folder, isKept: true });
    },
  );

  it('does not have what another stream has written and not come to check', async () => {
    world.agent(
      'b',
      `const again = read().includes('went wrong'); if (!again) { ${WAIT} process.exit(); } write('b.txt', String(fs.existsSync('a.txt')));`,
    );
    const isChecked = join(world.base(), 'b-has-begun');
    const place = world.project({
      a: {
        name: 'a',
        plan: reply({ 'a.txt': 'wrong' }),
        model: 'sim-instant',
        owns: ['a.txt'],
        verify: [`while ! test -e '${isChecked}'; do sleep 0.05; done; false`],
      },
      b: { ...STREAM, agent: 'b', owns: ['b.txt'] },
    });
    await world.run(place, {
      maxAttempts: 2,
      // The command looks for a file that is not in the project.
      ...({ sandbox: undefined } as object),
      onEvent(event) {
        if (event.type === 'command.started') world.vendor().answer(GO);
        const isWaiting = event.type === 'stream.waiting' || event.type === 'stream.answer';
        if (isWaiting && event.stream === 'b-fix-1') writeFileSync(isChecked, '');
      },
    });
    expect(place.read('b.txt')).toBe('false');
  });

  it('is opened by the command, outlives kill -9 when it was kept, and is cleaned when it was not', async () => {
    const config = join(world.base(), 'config');
    mkdirSync(config, { recursive: true });
    const file = world.agent('stays', `write('new.txt', 'so far'); ${WAIT}`);
    writeFileSync(
      join(config, 'config.yaml'),
      `agents:\n  stays: {command: [${file}], protocol: stdin}\n`,
      { mode: 0o600 },
    );
    const settings = {
      HOME: join(world.base(), 'home'),
      XDG_STATE_HOME: '',
      MILLRACE_CONFIG_DIR: config,
      MILLRACE_URL: world.server.url,
      MILLRACE_API_KEY: world.server.key,
    };
    const place = world.project({ s: { ...STREAM, agent: 'stays' } }, FILES);
    const cli = (...words: string[]) => runCli(['-C', place.root, ...words], settings);
    const none = await cli('agents', 'open', 's');
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('no runs in this project'),
    ]);
    const dry = await cli('run', '--dry-run', '--max-cost', '2');
    expect(dry.stdout).toContain('by stays, at most 1000 turns');
    expect(dry.stdout).toContain('The agent of s would get:\n  # Task: s\n\n  Write.\n');
    const child = spawn(process.execPath, [MAIN, 'run', '--yes', '--progress', 'quiet'], {
      cwd: place.root,
      env: cleanEnv(settings),
      stdio: 'ignore',
    });
    await waitUntil(() => world.vendor().calls.length > 0);
    const shown = await cli('agents', 'open', 's');
    expect([shown.code, shown.stderr]).toEqual([
      0,
      expect.stringContaining('the agent is at work'),
    ]);
    const folder = shown.stdout.trimEnd();
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('so far');
    const kept = JSON.parse((await cli('agents', 'open', 's', '--keep', '--json')).stdout);
    expect(kept).toMatchObject({ stream: 's', state: 'running', isKept: true });
    child.kill('SIGKILL');
    await once(child, 'close');
    await waitUntil(() => processesWith(dirname(file)).length === 0);
    const after = await cli('agents', 'open', 's');
    expect([after.code, after.stderr]).toEqual([0, expect.stringContaining('the run was cut off')]);
    world.vendor().answer(GO);
    const again = await cli('run', '--yes', '--progress', 'quiet');
    expect(again.code, again.stderr).toBe(0);
    expect([existsSync(folder), existsSync(kept.folder)]).toEqual([false, true]);
    expect(leftIn(join(settings.HOME, '.local', 'state', 'millrace'))).toEqual([]);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutputRing } from '../../src/orchestrator/commands/output-ring.ts';
import { optionsFor, startPlain } from '../../src/orchestrator/commands/command-process.ts';
import { isOk, runCommand } from '../../src/orchestrator/commands/run-command.ts';
import type { CommandContext } from '../../src/orchestrator/commands/run-command.ts';
import {
  runSetup,
  runVerify,
  runWorkflowCommands,
} from '../../src/orchestrator/commands/run-command.ts';
import { createScrubber } from '../../src/platform/log.ts';
import { mostHeldBy } from '../support/kept-memory.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-commands-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function context(more: Partial<CommandContext> = {}): CommandContext {
  const signal = new AbortController().signal;
  const { scrub } = createScrubber();
  return { root, env: process.env, timeoutMs: 60_000, signal, scrub, ...more };
}

const node = JSON.stringify(process.execPath);
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** Processes of this test alone: they carry its folder in their environment. */
function processesHere(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isHere = readFileSync(`/proc/${name}/environ`, 'utf8').includes(`TEST_ROOT=${root}`);
      const isDead = readFileSync(`/proc/${name}/stat`, 'utf8').includes(') Z ');
      return isHere && !isDead ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function isAlive(pid: number): boolean {
  // Ended, and only not yet noticed by its new parent: a zombie.
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}

const marked = () => ({ ...process.env, TEST_ROOT: root });

describe('a command', () => {
  it('does not outlive the process that ran it, even when that leaves in the middle', async () => {
    const module = fileURLToPath(
      new URL('../../src/orchestrator/commands/run-command.ts', import.meta.url),
    );
    // Listening before the command runs: it may be up before the next line is reached.
    const script = `process.on('SIGTERM', () => process.exit(0));
    import(${JSON.stringify(module)}).then(({ runCommand }) => {
      const signal = new AbortController().signal;
      const scrub = (text) => text;
      void runCommand('sleep 600 & echo up > up; wait', {
        root: ${JSON.stringify(root)}, env: process.env, timeoutMs: 600000, signal, scrub });
      setInterval(() => {}, 1000);
    });`;
    const child = spawn(process.execPath, ['-e', script], { env: marked(), stdio: 'inherit' });
    await waitUntil(() => existsSync(join(root, 'up')), 'the command');
    child.kill('SIGTERM');
    await once(child, 'exit');
    await waitUntil(() => processesHere().length === 0, 'the end of the command');
  });

  it('runs in the root with the inherited environment, without the keys of Millrace', async () => {
    verifies('stream.commands.root');
    const env = {
      ...process.env,
      MY_SETTING: 'kept',
      OPENAI_API_KEY: 'kept-too',
      MILLRACE_URL: 'http://localhost:1',
      MILLRACE_API_KEY: 'gone',
      MILLRACE_MASTER_KEY: 'gone',
      MILLRACE_OPENAI_API_KEY: 'gone',
      MILLRACE_SMTP_PASSWORD: 'gone',
      DATABASE_URL: 'gone',
      DATABASE_DIRECT_URL: 'gone',
    };
    const command = 'pwd; echo "$MY_SETTING $OPENAI_API_KEY $MILLRACE_URL"; env | grep -c =gone';
    const result = await runCommand(command, context({ env }));
    expect(result.output).toBe(`${root}\nkept kept-too http://localhost:1\n0\n`);
  });

  it('tells its exit code, or the signal that ended it', async () => {
    expect(await runCommand('exit 3', context())).toMatchObject({ exitCode: 3, signal: null });
    const killed = await runCommand('kill -KILL $$', context());
    expect(killed).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(isOk(killed)).toBe(false);
    expect(isOk(await runCommand('true', context()))).toBe(true);
  });

  it('has nothing to read from', async () => {
    expect((await runCommand('cat; echo end', context())).output).toBe('end\n');
  });

  it('keeps both streams in the order they were written', async () => {
    const { output } = await runCommand(
      'for i in 1 2 3; do echo o$i; echo e$i >&2; done',
      context(),
    );
    expect(output).toBe('o1\ne1\no2\ne2\no3\ne3\n');
  });

  it('keeps characters that are split between two writes whole', async () => {
    const script = `const b=Buffer.from('a€😀b');let i=0;(function next(){if(i<b.length){process.stdout.write(b.subarray(i,++i),()=>setTimeout(next,5))}})()`;
    const { output } = await runCommand(`${node} -e ${JSON.stringify(script)}`, context());
    expect(output).toBe('a€😀b');
  });

  it('hides secrets, also one that the edge of the kept output cuts', async () => {
    const scrubber = createScrubber();
    scrubber.add('very-secret-value');
    const { output } = await runCommand(
      'echo very-secret-value',
      context({ scrub: scrubber.scrub }),
    );
    expect(output).toBe('[hidden]\n');
    // The first half is dropped; the rest gets so much shorter that all of it could be kept.
    const ring = createOutputRing(20_000);
    for (const text of ['very-sec', 'ret-value', 'very-secret-value'.repeat(1658)]) ring.push(text);
    const kept = ring.end(scrubber.scrub);
    expect(kept.outputTruncated).toBe(true);
    expect(kept.output).not.toMatch(/secret|value/);
  });

  it('says why it could not be started', async () => {
    const result = await runCommand('true', context({ root: join(root, 'nowhere') }));
    expect(isOk(result)).toBe(false);
    expect(result.output).toContain('could not be started');
  });

  it('keeps the last of a long output and no more', async () => {
    // Writing that much takes a machine with too much to do minutes.
    const { result, bytes } = await mostHeldBy(() =>
      runCommand(
        'yes 0123456789abcdef | head -c 120000000; echo; echo the end',
        context({ timeoutMs: PATIENCE_MS }),
      ),
    );
    const { output, outputTruncated, exitCode } = result;
    expect({ exitCode, outputTruncated }).toEqual({ exitCode: 0, outputTruncated: true });
    expect(output.length).toBeLessThanOrEqual(1024 * 1024);
    expect(output.length).toBeGreaterThan(1000 * 1024);
    expect(output.endsWith('\nthe end\n')).toBe(true);
    expect(bytes).toBeLessThan(50_000_000);
  });

  const DAEMONS = {
    'in the background': 'sleep 300 & echo $! > pid',
    'in a session of its own':
      'setsid sh -c "echo \\$\\$ > pid; exec sleep 300" & while ! test -s pid; do :; done',
    'without its environment': `env -i setsid /bin/sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 & while ! test -s pid; do :; done`,
    'twice removed, deaf to SIGTERM, with every descriptor closed': `(env -i setsid /bin/sh -c 'trap "" TERM; (echo > pid; while :; do sleep 1; done) & echo $! > pid' <&- >&- 2>&- &) ; while ! test -s pid; do :; done`,
  };
  it.each(Object.entries(DAEMONS))(
    'takes along what it left %s, after success too',
    async (_, daemon) => {
      const result = await runCommand(`${daemon}; echo started`, context());
      expect(result).toMatchObject({ exitCode: 0, output: 'started\n' });
      expect(isAlive(Number(read('pid')))).toBe(false);
    },
  );

  it('takes along what it left although it ended the process that looks after it', async () => {
    const command = 'sleep 300 & echo $! > pid; kill -9 $PPID; sleep 300';
    await runCommand(command, context());
    expect(isAlive(Number(read('pid')))).toBe(false);
  });

  it('takes along what carries its mark where nothing looks after orphans', async () => {
    const command =
      'setsid sh -c "echo \\$\\$ > pid; exec sleep 300" & while ! test -s pid; do :; done';
    const started = startPlain(command, optionsFor(root, process.env, 'a-mark'), 'a-mark');
    expect(await started.exited).toEqual({ exitCode: 0, signal: null });
    expect(isAlive(Number(read('pid')))).toBe(true);
    expect(await started.end()).toBe(true);
    expect(isAlive(Number(read('pid')))).toBe(false);
  });
});

describe('a command that is stopped', () => {
  it('is ended when its time is over, with all that it printed until then', async () => {
    const within = (timeoutMs: number) =>
      runCommand('echo begun; sleep 300', context({ timeoutMs, env: marked() }));
    let result = await within(300);
    // A slow machine needs longer to come to the first line.
    for (let ms = 1200; result.output === '' && ms < PATIENCE_MS; ms *= 4)
      result = await within(ms);
    expect(result).toMatchObject({ timedOut: true, cancelled: false });
    // The shell may just come to say that its command was terminated.
    expect(result.output).toMatch(/^begun\n(?:Terminated\n)?$/);
    expect(isOk(result)).toBe(false);
    expect(processesHere()).toEqual([]);
  });

  it('may clean up after a stop', async () => {
    const stop = new AbortController();
    const command = `trap 'echo cleaned > cleaned; exit 0' TERM; echo > ready; while :; do sleep 0.1; done`;
    const running = runCommand(command, context({ signal: stop.signal, env: marked() }));
    await waitUntil(() => existsSync(join(root, 'ready')));
    stop.abort();
    expect(await running).toMatchObject({ cancelled: true, timedOut: false });
    expect(read('cleaned')).toBe('cleaned\n');
    expect(processesHere()).toEqual([]);
  });

  it('takes along grandchildren that left its group and ignore the polite signal', async () => {
    const stop = new AbortController();
    const stubborn = `trap "" TERM; echo > ready; while :; do echo more; sleep 0.05; done`;
    // The shell in between is gone at once: no parent leads to the one that stays.
    const command = `sh -c 'setsid sh -c '"'"'${stubborn}'"'"' &'; sleep 300`;
    const running = runCommand(command, context({ signal: stop.signal, env: marked() }));
    await waitUntil(() => existsSync(join(root, 'ready')));
    expect(processesHere().length).toBeGreaterThan(1);
    stop.abort();
    expect(await running).toMatchObject({ cancelled: true });
    expect(processesHere()).toEqual([]);
  });

  it('takes along a child that hides its environment', async () => {
    const stop = new AbortController();
    const command = `env -i setsid /bin/sh -c 'trap "" TERM; echo $$ > ready; sleep 300; true'; true`;
    const running = runCommand(command, context({ signal: stop.signal }));
    const pid = Number(
      await waitUntil(() => existsSync(join(root, 'ready')) && read('ready').trim()),
    );
    stop.abort();
    await running;
    expect(isAlive(pid)).toBe(false);
  });

  it('ends one that prints for ever', async () => {
    const stop = new AbortController();
    const endless = 'yes | head -c 4000000; echo > full; yes';
    const running = runCommand(endless, context({ signal: stop.signal, env: marked() }));
    await waitUntil(() => existsSync(join(root, 'full')), 'more output than is kept');
    stop.abort();
    expect(await running).toMatchObject({ cancelled: true, outputTruncated: true });
    expect(processesHere()).toEqual([]);
  });

  it('does not start at all when the stop came first', async () => {
    const result = await runCommand('echo > started', context({ signal: AbortSignal.abort() }));
    expect(result.cancelled).toBe(true);
    expect(existsSync(join(root, 'started'))).toBe(false);
  });
});

describe('the commands of a stream', () => {
  it('are run one after another for a setup, up to the first that fails', async () => {
    verifies('stream.setup.sequential');
    const events: string[] = [];
    const outcome = await runSetup(
      ['sleep 0.2; echo 1 >> log', 'echo 2 >> log; exit 4', 'echo 3 >> log'],
      context({
        onStart: (command) => events.push(`start ${command.slice(-5)}`),
        onEnd: ({ exitCode }) => events.push(`end ${exitCode}`),
      }),
    );
    expect(outcome).toMatchObject({ ok: false, cancelled: false });
    expect(outcome.results.map(({ exitCode }) => exitCode)).toEqual([0, 4]);
    expect(read('log')).toBe('1\n2\n');
    expect(events).toEqual(['start > log', 'end 0', 'start xit 4', 'end 4']);
  });

  it('are all run for a verification, and every result is kept', async () => {
    verifies('stream.verify.all');
    const outcome = await runVerify(['exit 1', 'echo 2 >> log', 'exit 5'], context());
    expect(outcome.ok).toBe(false);
    expect(outcome.results.map(({ exitCode }) => exitCode)).toEqual([1, 0, 5]);
    expect(read('log')).toBe('2\n');
    expect((await runVerify([], context())).ok).toBe(true);
  });

  it('go on after an uncritical failure and end at a critical one', async () => {
    verifies('stream.commands.critical', 'stream.commands.uncritical');
    const lint = { command: 'echo lint >> log; exit 1', critical: false };
    const tests = { command: 'echo test >> log; exit 2', critical: true };
    const fine = { command: 'echo fine >> log', critical: true };
    const passed = await runWorkflowCommands([lint, fine], context());
    expect(passed).toMatchObject({ ok: true, results: [{ exitCode: 1 }, { exitCode: 0 }] });
    const failed = await runWorkflowCommands([lint, tests, fine], context());
    expect(failed).toMatchObject({ ok: false, results: [{ exitCode: 1 }, { exitCode: 2 }] });
    expect(read('log')).toBe('lint\nfine\nlint\ntest\n');
  });

  it('are not gone on with after a stop', async () => {
    const stop = new AbortController();
    const running = runVerify(
      ['echo > ready; sleep 300', 'echo > second'],
      context({ signal: stop.signal, env: marked() }),
    );
    await waitUntil(() => existsSync(join(root, 'ready')));
    stop.abort();
    expect(await running).toMatchObject({ ok: false, cancelled: true });
    expect(existsSync(join(root, 'second'))).toBe(false);
    expect(processesHere()).toEqual([]);
  });
});

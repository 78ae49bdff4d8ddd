// The command within this process: hundreds of calls would take minutes as processes of their own. It
// never asks anything. Whatever is about signals, terminals, standard input or the end of the process
// is for `runCli`.
import { rememberCall } from '../../src/cli/command-name.ts';
import { beQuiet } from '../../src/cli/terminal/output.ts';
import { run } from '../../src/cli/program.ts';
import { cleanEnv, runCli } from './cli.ts';
import type { CliResult } from './cli.ts';

/** The environment itself, not another object: the system looks up the home folder in it. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** One at a time: they share the streams and the environment of the process. */
let last: Promise<unknown> = Promise.resolve();

export function runHere(...call: Parameters<typeof runNow>): Promise<CliResult> {
  const mine = last.then(() => runNow(...call));
  last = mine.catch(() => undefined);
  return mine;
}

/** Here where that is the same, else as a process of its own. */
export function runEither(
  args: readonly string[],
  env: Record<string, string>,
  input?: string,
): Promise<CliResult> {
  const needsProcess = input !== undefined || args.includes('--detach');
  return needsProcess ? runCli(args, env, input) : runHere(args, env);
}

async function runNow(
  args: readonly string[],
  env: Record<string, string>,
  folder = process.cwd(),
): Promise<CliResult> {
  const before = { folder: process.cwd(), env: { ...process.env }, send: process.send };
  const ran = { stdout: '', stderr: '' };
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      ran[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      return true;
    };
  }
  setEnvironment(cleanEnv({ MILLRACE_NO_INPUT: '1', ...env }));
  // A run tells whoever started it as a child; here that is the runner of the tests.
  delete process.send;
  process.chdir(folder);
  try {
    const code = await run([...args]);
    return { code, ...ran };
  } finally {
    if (before.send) process.send = before.send;
    process.chdir(before.folder);
    rememberCall({});
    beQuiet(false);
    setEnvironment(before.env);
    process.stdout.write = writes.stdout;
    process.stderr.write = writes.stderr;
  }
}

// The command within this process: hundreds of calls would take minutes as processes of their own. It
// never asks anything. Whatever is about signals, terminals, standard input or the end of the process
// is for `runCli`.
import { run } from '../../src/cli/program.ts';
import { cleanEnv } from './cli.ts';
import type { CliResult } from './cli.ts';

/** The environment itself, not another object: the system looks up the home folder in it. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

export async function runHere(
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
    setEnvironment(before.env);
    process.stdout.write = writes.stdout;
    process.stderr.write = writes.stderr;
  }
}

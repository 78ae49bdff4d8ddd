// The command within this process: hundreds of calls would take minutes as processes of their own.
import { run } from '../../src/cli/program.ts';

export interface RanHere {
  code: number;
  stdout: string;
  stderr: string;
}

/** The environment itself, not another object: the system looks up the home folder in it. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

export async function runHere(
  args: readonly string[],
  { folder, env }: { folder: string; env: Record<string, string> },
): Promise<RanHere> {
  const before = { folder: process.cwd(), env: { ...process.env }, send: process.send };
  const ran = { stdout: '', stderr: '' };
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text: string | Uint8Array) => {
      ran[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      return true;
    };
  }
  setEnvironment({ PATH: before.env['PATH']!, NO_COLOR: '1', LANG: 'C.UTF-8', ...env });
  // A run tells whoever started it as a child; here that is the runner of the tests.
  delete process.send;
  process.chdir(folder);
  try {
    const code = await run([...args, '--no-input']);
    return { code, ...ran };
  } finally {
    if (before.send) process.send = before.send;
    process.chdir(before.folder);
    setEnvironment(before.env);
    process.stdout.write = writes.stdout;
    process.stderr.write = writes.stderr;
  }
}

// A command that is loaded before anybody knows what it will be asked: a runner keeps one, because to load it takes longer
// than to begin a run.
import { loadProgram } from './load-program.ts';

interface Words {
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** What runs begin with. What else a command needs it loads by itself. */
async function load(): Promise<void> {
  await loadProgram([]);
  await Promise.all([
    import('./program.ts').then(({ createProgram }) => createProgram(() => async () => {})),
    import('./commands/runs/run.ts'),
    import('./remote.ts'),
    import('../client/calls.ts'),
    import('../orchestrator/commands/run-sandbox.ts'),
    import('../orchestrator/run/run.ts'),
    import('../sandbox/probe.ts'),
  ]);
}

/** Undefined: who started it has ended. From then on this process is the command that it would have been. */
export async function nextWords(): Promise<string[] | undefined> {
  const heard = new Promise<Words | undefined>((resolve) => {
    process.once('message', (message) => resolve(message as Words));
    process.once('disconnect', () => resolve(undefined));
  });
  if (process.connected) await load();
  const words = process.connected ? await heard : undefined;
  if (words === undefined) return undefined;
  const { args, cwd, env } = words;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, ...args);
  return args;
}

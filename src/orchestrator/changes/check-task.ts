// Whether what is written passes the checks of a stream, outside of a run.
import { outcomeOf } from '../../domain/run/command-end.ts';
import type { Manifest } from '../../manifest/model.ts';
import type { CommandSandbox, CommandSandboxOptions } from '../commands/command-sandbox.ts';
import { isOk, runSetup, runVerify, runWorkflowCommands } from '../commands/run-command.ts';
import type { RunTask } from '../run/task.ts';

export interface CheckOptions {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  scrub(text: string): string;
  onCommand(command: string): void;
  /** Throws unless its commands may be run; returns how they are in the sandbox, where they are. */
  approve(
    manifest: Manifest,
    run: { isSandboxed: boolean },
  ): Promise<CommandSandboxOptions | undefined>;
  onStream(stream: { id: string; name: string }): void;
  onProblem(message: string): void;
}

export interface FailedCheck {
  error: string;
  /** What the command printed that failed. */
  output: string;
}

/** Undefined when it passes. */
export async function checkTask(
  { root, sandbox }: { root: string; sandbox: CommandSandbox | undefined },
  task: Pick<RunTask, 'timeoutMs' | 'commands' | 'verify'> & Partial<Pick<RunTask, 'setup'>>,
  { env, signal, scrub, onCommand }: Pick<CheckOptions, 'env' | 'signal' | 'scrub' | 'onCommand'>,
): Promise<FailedCheck | undefined> {
  const { timeoutMs, commands, verify, setup = [] } = task;
  const place = { root, ...(sandbox && { sandbox }) };
  const context = { ...place, env, timeoutMs, signal, scrub, onStart: onCommand };
  const prepared = await runSetup(setup, context);
  const { ok, cancelled, results } = !prepared.ok
    ? prepared
    : commands.length > 0
      ? await runWorkflowCommands(commands, context)
      : await runVerify(verify, context);
  if (ok) return undefined;
  if (cancelled) return { error: 'stopped', output: '' };
  const bad = results.find((result) => !isOk(result) && result.critical);
  if (bad === undefined) return { error: 'a check failed', output: '' };
  return { error: `${bad.command} ${outcomeOf(bad)}`, output: bad.output };
}

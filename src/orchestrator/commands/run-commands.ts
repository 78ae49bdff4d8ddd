// The commands of a stream, one after another, by the rule of their phase.
import type { WorkflowCommand } from '../../manifest/model.ts';
import { isOk, runCommand } from './run-command.ts';
import type { CommandContext, CommandResult } from './run-command.ts';

export interface CommandsOutcome {
  ok: boolean;
  cancelled: boolean;
  results: CommandResult[];
}

async function runInOrder(
  commands: readonly WorkflowCommand[],
  context: CommandContext,
  goesOnAfter: (failed: CommandResult) => boolean,
): Promise<CommandsOutcome> {
  const results: CommandResult[] = [];
  for (const { command, critical } of commands) {
    if (context.signal.aborted) return { ok: false, cancelled: true, results };
    context.onStart?.(command);
    const result = await runCommand(command, context, critical);
    results.push(result);
    context.onEnd?.(result);
    if (result.cancelled) return { ok: false, cancelled: true, results };
    if (!isOk(result) && !goesOnAfter(result)) break;
  }
  const ok = results.every((result) => isOk(result) || !result.critical);
  return { ok, cancelled: false, results };
}

const allCritical = (commands: readonly string[]): WorkflowCommand[] =>
  commands.map((command) => ({ command, critical: true }));

/** The first that fails is the last that runs: the next ones would build on it. */
export async function runSetup(
  commands: readonly string[],
  context: CommandContext,
): Promise<CommandsOutcome> {
  return runInOrder(allCritical(commands), context, () => false);
}

/** All of them run: a fix is told everything that is wrong, not only the first. */
export async function runVerify(
  commands: readonly string[],
  context: CommandContext,
): Promise<CommandsOutcome> {
  return runInOrder(allCritical(commands), context, () => true);
}

/** Only a critical one that fails ends it; the failure of another is noted in the results. */
export async function runWorkflowCommands(
  commands: readonly WorkflowCommand[],
  context: CommandContext,
): Promise<CommandsOutcome> {
  return runInOrder(commands, context, ({ critical }) => !critical);
}

// What an agent gets to read.
import { agentTask } from '../../domain/prompt/agent-task.ts';
import type { FixDetails } from '../../domain/prompt/fix-lines.ts';
import { LOOP } from '../../manifest/model.ts';
import type { Instructions } from './instructions.ts';
import type { RunTask } from './task.ts';

/** What the built-in agent may run; `more` is what the person allows besides. */
export function loopCommands(task: RunTask, more: readonly string[] = []): string[] {
  const own = [...task.setup, ...task.verify, ...task.commands.map(({ command }) => command)];
  return [...new Set([...own, ...more])];
}

export function agentText(
  task: RunTask,
  {
    instructions,
    fix,
    commands,
  }: {
    instructions: Instructions;
    fix: FixDetails | undefined;
    commands?: readonly string[] | undefined;
  },
): string {
  const about = { task, instructions: instructions.of(task), fix };
  if (task.agent !== LOOP) return agentTask(about);
  return agentTask({ ...about, tools: { commands: loopCommands(task, commands) } });
}

// What a stream asks the model, and what of the project it shows with it.
import { contextTokensOf } from '../../domain/model/context-window.ts';
import { NO_INSTRUCTIONS, wholeTexts } from '../../domain/prompt/instructions.ts';
import type { ShownInstructions } from '../../domain/prompt/instructions.ts';
import { buildPrompt } from '../../domain/prompt/prompt.ts';
import type { BuiltPrompt } from '../../domain/prompt/prompt.ts';
import type { StreamContext } from '../../domain/run/context-files.ts';
import type { ContextRequest } from '../context/candidates.ts';
import type { Attempt, RunContext } from './context.ts';
import type { RunTask } from './task.ts';

const SHOWN_OMITTED = 50;

/** What a stream is shown of the project. */
export function contextRequestOf(
  task: RunTask,
  instructions: ShownInstructions = NO_INSTRUCTIONS,
): ContextRequest {
  const { owns, reads, plan, depth, model, maxTokens, windowTokens: served } = task;
  // They take room in the model's window as the answer does.
  const taken = instructions.files.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokenBudget = task.contextTokens ?? contextTokensOf(model, maxTokens, { taken, served });
  return { owns, reads, plan, depth, tokenBudget, known: wholeTexts(instructions) };
}

const NONE: ReadonlySet<string> = new Set();

export async function promptOf(
  context: Pick<RunContext, 'sharedReads' | 'instructions' | 'collector' | 'emit'>,
  { task, attempt, fix }: Pick<Attempt, 'task' | 'attempt' | 'fix'>,
): Promise<BuiltPrompt & { shown: StreamContext; instructions: ShownInstructions }> {
  const instructions = context.instructions.of(task);
  const shown = await context.collector.collect(contextRequestOf(task, instructions));
  context.emit({
    type: 'stream.context',
    stream: task.id,
    attempt,
    files: shown.files.length,
    tokens: shown.tokens,
    omitted: shown.omitted.slice(0, SHOWN_OMITTED).map(({ path, reason }) => ({ path, reason })),
  });
  // A fix begins as its root did: the vendor may still have that.
  const sharedPaths = context.sharedReads.get(task.root ?? task.id) ?? NONE;
  const about = { task, context: shown, sharedPaths, instructions };
  const built = buildPrompt({ ...about, ...(fix && { fix }) });
  return { ...built, shown, instructions };
}

// What a stream asks the model, and what of the project it shows with it.
import { buildPrompt } from '../../domain/prompt/prompt.ts';
import type { BuiltPrompt } from '../../domain/prompt/prompt.ts';
import type { Attempt, RunContext } from './context.ts';

/** Of the model's window, what a stream may be shown. */
const CONTEXT_TOKENS = 60_000;

const SHOWN_OMITTED = 50;

export async function promptOf(
  context: RunContext,
  { task, attempt, fix }: Attempt,
): Promise<BuiltPrompt> {
  const readsShared = task.reads.some((entry) => context.sharedPaths.has(entry));
  const reads = readsShared ? [...new Set([...task.reads, ...context.sharedPaths])] : task.reads;
  const shown = await context.collector.collect({
    owns: task.owns,
    reads,
    plan: task.plan,
    depth: task.depth,
    tokenBudget: CONTEXT_TOKENS,
  });
  context.emit({
    type: 'stream.context',
    stream: task.id,
    attempt,
    files: shown.files.length,
    tokens: shown.tokens,
    omitted: shown.omitted.slice(0, SHOWN_OMITTED).map(({ path, reason }) => ({ path, reason })),
  });
  const { sharedPaths } = context;
  return buildPrompt({ task, context: shown, sharedPaths, ...(fix && { fix }) });
}

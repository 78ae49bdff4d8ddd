// The prompt of a step: like that of a stream that a client runs, with the whole task around it.
import { buildPrompt } from '../prompt/prompt.ts';
import type { BuiltPrompt } from '../prompt/prompt.ts';
import { quoted } from '../prompt/prompt-text.ts';
import type { FileTree } from './file-tree.ts';
import type { ExecutionContext, Step } from './model.ts';
import { filesForStep } from './shown-files.ts';
import type { Sha256 } from './shown-files.ts';

export interface StepRequest {
  task: string;
  context: ExecutionContext;
  step: Step;
  stepCount: number;
  /** The files as the steps before left them. */
  tree: FileTree;
  sha256: Sha256;
}

export function stepPrompt(request: StepRequest): BuiltPrompt {
  const { task, context, step, stepCount, tree } = request;
  const files = filesForStep(step, context, tree, request.sha256);
  // Files that no step before has changed are the same for all steps: their text is cached once.
  const changed = tree.changed();
  const shared = Object.keys(context.contents).filter((path) => !changed.has(path));
  const plan = [
    step.plan.trim(),
    ...(files.blind.length > 0
      ? [
          `Steps before this one changed files that you cannot see:\n${quoted(JSON.stringify(files.blind, null, 1), 'json')}`,
        ]
      : []),
    ...(step.note === null
      ? []
      : [
          `You did this step before, but the answer cannot be used:\n${quoted(step.note, 'text')}\nDo it again, with that corrected.`,
        ]),
    `This is step ${step.position + 1} of ${stepCount} of a larger task, for the environment "${context.environment}". Do this step only; the others are done on their own. The larger task is:`,
    task.trim(),
  ].join('\n\n');
  const { streamId: id, name, owns } = step;
  return buildPrompt({
    task: { id, name, plan, owns, verify: [] },
    context: files,
    sharedPaths: new Set(shared),
  });
}

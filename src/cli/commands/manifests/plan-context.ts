// What each stream of a plan would be shown, and what to know about it before paying.
import { INSTRUCTIONS_CUT, cutTexts } from '../../../domain/prompt/instructions.ts';
import { boundedLength } from '../../../domain/model/model-limits.ts';
import type { ContextPreview, RunTask } from '../../../orchestrator/index.ts';
import type { Problem } from '../../../manifest/problem.ts';
import type { PlanDocument } from './plan-document.ts';

const NAMED_FILES = 3;

const number = (value: number) => value.toLocaleString('en-US');

function named(paths: readonly string[]): string {
  const more = paths.length - NAMED_FILES;
  const shown = paths.slice(0, NAMED_FILES).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

type Advice = Pick<Problem, 'code' | 'message' | 'hint'>;

function cutFiles({ id }: RunTask, { files, omitted, maxTokens }: ContextPreview): Advice[] {
  const advice: Advice[] = [];
  const inPart = files.filter(({ shown }) => shown !== 'full');
  const owned = inPart.filter(({ role }) => role === 'owned').map(({ path }) => path);
  if (owned.length > 0) {
    advice.push({
      code: 'OWNED_FILE_CUT',
      message: `${id}: the model sees only part of ${named(owned)}, so it can edit but not replace it.`,
      hint: 'Raise contextTokens, or split the file or the stream.',
    });
  }
  const asked = omitted.filter(({ role }) => role === 'owned' || role === 'read');
  const read = inPart.filter(({ role }) => role === 'read');
  const noRoom = [...read, ...asked.filter(({ cause }) => cause === 'room')];
  if (noRoom.length > 0) {
    const paths = noRoom.map(({ path }) => path);
    advice.push({
      code: 'CONTEXT_CUT',
      message: `${id}: no room for all of ${named(paths)} in ${number(maxTokens)} tokens of context.`,
      hint: 'Raise contextTokens, or read fewer files.',
    });
  }
  const tooMany = asked.filter(({ cause }) => cause === 'count');
  if (tooMany.length > 0) {
    const paths = tooMany.map(({ path }) => path);
    advice.push({
      code: 'CONTEXT_TOO_MANY_FILES',
      message: `${id}: ${named(paths)} left out (${tooMany[0]!.reason}).`,
      hint: 'Read fewer files, or raise depth.',
    });
  }
  return advice;
}

function overWindow(
  { id, model, maxTokens }: RunTask,
  { maxTokens: contextTokens, windowTokens }: ContextPreview,
): Advice[] {
  const all = contextTokens + boundedLength(model, maxTokens);
  if (model === '' || all <= windowTokens) return [];
  const message = `${id}: contextTokens and maxTokens add up to ${number(all)}, more than the context window of ${model} (${number(windowTokens)}).`;
  const hint = 'Lower contextTokens or maxTokens, or use another model.';
  return [{ code: 'CONTEXT_OVER_WINDOW', message, hint }];
}

/** Into the document: what each stream that runs would be shown, and warnings. */
export function addContexts(
  document: PlanDocument,
  tasks: readonly RunTask[],
  previews: ReadonlyMap<string, { context: ContextPreview }>,
): void {
  for (const task of tasks) {
    const context = previews.get(task.id)?.context;
    if (context === undefined) continue;
    document.streams.get(task.id)!.context = context;
    for (const advice of [...cutFiles(task, context), ...overWindow(task, context)]) {
      const place = { file: document.file, path: `streams.${task.id}`, line: 1, column: 1 };
      document.warnings.push({ severity: 'warning', ...advice, ...place });
    }
  }
  const shown = [...previews].map(([id, { context }]) => [id, context.instructions] as const);
  for (const message of cutTexts(shown)) {
    document.warnings.push({
      severity: 'warning',
      code: INSTRUCTIONS_CUT,
      message,
      hint: 'Shorten them, or move what is about one folder into a file there.',
      file: document.file,
      path: '',
      line: 1,
      column: 1,
    });
  }
}

// One attempt at a stream, from its setup to files that pass their checks.
import type { Artifact, Operation } from '../../contract/artifact.ts';
import { parseArtifact } from '../../domain/artifact/parse-artifact.ts';
import { buildPrompt, buildReaskPrompt } from '../../domain/prompt/prompt.ts';
import type { BuiltPrompt } from '../../domain/prompt/prompt.ts';
import { classifyFailure } from '../../domain/run/failure-class.ts';
import type { Classified, StreamFailure } from '../../domain/run/failure-class.ts';
import type { ApplyProblem } from '../apply/file-change.ts';
import { createFileReader } from '../context/project-file.ts';
import { applyAndVerify, setUp, verifyApplied } from './apply-stream.ts';
import type { Applied } from './apply-stream.ts';
import { askModel } from './ask-model.ts';
import { haltOf } from './model-caller.ts';
import type { Asked, Halt } from './model-caller.ts';
import type { Attempt, RunContext } from './context.ts';
import { createStreamClock } from './apply-stream.ts';
import { artifactFileOf, writeRecord } from '../state/run-folder.ts';

export type StreamOutcome =
  | { kind: 'complete'; files: string[]; appliedAt: string | undefined }
  | { kind: 'failed'; failure: StreamFailure; classified: Classified }
  /** Not its fault: nothing can be run as things are. */
  | { kind: 'halted'; halt: Halt }
  | { kind: 'stopped' };

/** Of the model's window, what a stream may be shown. */
const CONTEXT_TOKENS = 60_000;

type Answer = { kind: 'artifact'; artifact: Artifact } | { kind: 'done'; outcome: StreamOutcome };

export async function runStream(
  context: RunContext,
  start: Omit<Attempt, 'signal' | 'clock'>,
): Promise<StreamOutcome> {
  const { stop } = context.options;
  const { timeoutMs } = start.task;
  const clock = createStreamClock(timeoutMs);
  try {
    const signal = AbortSignal.any([stop, clock.signal]);
    const outcome = await run(context, { ...start, signal, clock });
    if (outcome.kind !== 'stopped' || stop.aborted) return outcome;
    return failed({ kind: 'timeout', error: `Timed out after ${timeoutMs} ms.` });
  } finally {
    clock.close();
  }
}

function failed(failure: StreamFailure): StreamOutcome {
  return { kind: 'failed', failure, classified: classifyFailure(failure) };
}

async function run(context: RunContext, start: Attempt): Promise<StreamOutcome> {
  if (start.open?.applied) return settle(context, await verifyApplied(context, start));
  if ((start.open?.calls.length ?? 0) === 0) {
    const trouble = await setUp(context, start);
    if (trouble) return settle(context, trouble);
  }
  const asked = await askModel(context, start, 1, () => promptOf(context, start));
  const answer = readAnswer(start, asked);
  if (answer.kind === 'done') return answer.outcome;
  start.onAnswered();
  if (context.options.apply === 'never') return keep(context, start, answer.artifact);
  const applied = await applyAndVerify(context, start, answer.artifact.operations);
  const again = blocksToAsk(applied);
  if (again === undefined) return settle(context, applied);
  return askAgain(context, start, { artifact: answer.artifact, problems: again });
}

function settle(context: RunContext, applied: Applied): StreamOutcome {
  if (applied.kind === 'failed') return failed(applied.failure);
  if (applied.kind === 'stopped') return applied;
  return { kind: 'complete', files: applied.files, appliedAt: context.options.now().toISOString() };
}

const SHOWN_OMITTED = 50;

async function promptOf(
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

function done(outcome: StreamOutcome): Answer {
  return { kind: 'done', outcome };
}

function readAnswer({ task }: Attempt, asked: Asked): Answer {
  if (asked.kind === 'stopped') return done({ kind: 'stopped' });
  if (asked.kind === 'over_budget')
    return done({ kind: 'halted', halt: haltOf(asked, task.model)! });
  if (asked.kind === 'failed') {
    const halt = haltOf(asked, task.model);
    if (halt) return done({ kind: 'halted', halt });
    const { code, status, error } = asked;
    return done(failed({ kind: 'call', code, status, error }));
  }
  // Whole files may stand in it, and even a closed block: others that were to follow would be missing.
  if (asked.cutOff) return done(failed({ kind: 'cut_off', cut: asked.cutOff }));
  const parsed = asked.artifact
    ? { kind: 'found' as const, artifact: asked.artifact }
    : parseArtifact(asked.output, task.id);
  if (parsed.kind === 'found') {
    const { artifact } = parsed;
    if (artifact.status !== 'failed') return { kind: 'artifact', artifact };
    const error = `The model reports that it could not finish: ${artifact.summary}`;
    return done(failed({ kind: 'answer', error }));
  }
  if (parsed.kind === 'none' && task.owns.length === 0) {
    // A task that owns nothing may be one that only asks for words.
    return done({ kind: 'complete', files: [], appliedAt: undefined });
  }
  const why = parsed.kind === 'none' ? 'it holds no file changes' : parsed.problems.join('; ');
  return done(failed({ kind: 'answer', error: `The answer cannot be used: ${why}` }));
}

/** Edits that missed their place are asked for once more; anything else is not a matter of words. */
function blocksToAsk(applied: Applied): readonly ApplyProblem[] | undefined {
  if (applied.kind !== 'failed' || applied.problems === undefined) return undefined;
  const isMiss = ({ code }: ApplyProblem) => code === 'NO_MATCH' || code === 'AMBIGUOUS';
  return applied.problems.every(isMiss) ? applied.problems : undefined;
}

async function askAgain(
  context: RunContext,
  start: Attempt,
  first: { artifact: Artifact; problems: readonly ApplyProblem[] },
): Promise<StreamOutcome> {
  const asked = await askModel(context, start, 2, () => reaskPrompt(context, start, first));
  const second = readAnswer(start, asked);
  if (second.kind === 'done') return second.outcome;
  const paths = [...new Set(first.problems.map(({ path }) => path))];
  const failedBlocks = paths.map((path) => ({
    path,
    editIndexes: first.problems.flatMap((problem) =>
      problem.path === path && problem.editIndex !== undefined ? [problem.editIndex] : [],
    ),
  }));
  const operations = mergeAnswers(
    first.artifact.operations,
    failedBlocks,
    second.artifact.operations,
  );
  return settle(context, await applyAndVerify(context, start, operations));
}

async function reaskPrompt(
  context: RunContext,
  { task }: Attempt,
  { artifact, problems }: { artifact: Artifact; problems: readonly ApplyProblem[] },
): Promise<BuiltPrompt> {
  const paths = [...new Set(problems.map(({ path }) => path))];
  // As the context is read: a path of the model's must not lead out of the project either.
  const reader = createFileReader(context.root);
  const files = paths.map((path) => {
    const file = reader.read(path, { isOwned: true });
    return { path, text: file.kind === 'text' ? file.text : '' };
  });
  const failures = problems.map((problem) => {
    const operation = artifact.operations.find(({ path }) => path === problem.path);
    const edits = operation && 'edits' in operation ? operation.edits : [];
    const oldText = edits[problem.editIndex ?? -1]?.oldText;
    return { ...problem, ...(oldText !== undefined && { oldText }) };
  });
  return buildReaskPrompt({ task, failures, files });
}

/** Not applied now: kept for `millrace apply`. */
async function keep(
  context: RunContext,
  { task }: Attempt,
  artifact: Artifact,
): Promise<StreamOutcome> {
  await writeRecord(artifactFileOf(context.stateDir, context.runId, task.id), artifact);
  return { kind: 'complete', files: [], appliedAt: undefined };
}

// The answer to a second question holds only what failed in the first one: both together are the
// artifact.

export interface FailedBlocks {
  path: string;
  /** Places of the edits that failed; undefined when the whole operation did. */
  editIndexes: readonly number[] | undefined;
}

export function mergeAnswers(
  first: readonly Operation[],
  failed: readonly FailedBlocks[],
  second: readonly Operation[],
): Operation[] {
  const failedAt = new Map(failed.map((blocks) => [blocks.path, blocks.editIndexes]));
  const answers = new Map(second.map((operation) => [operation.path, operation]));
  const merged = first.flatMap((operation): Operation[] => {
    if (!failedAt.has(operation.path)) return [operation];
    const answer = answers.get(operation.path);
    answers.delete(operation.path);
    const good = goodEdits(operation, failedAt.get(operation.path));
    if (answer === undefined) return [operation];
    if (answer.type !== 'edit' || !('edits' in answer) || good.length === 0) return [answer];
    return [{ ...answer, edits: [...good, ...answer.edits] }];
  });
  return merged;
}

function goodEdits(operation: Operation, failed: readonly number[] | undefined) {
  if (operation.type !== 'edit' || !('edits' in operation) || failed === undefined) return [];
  return operation.edits.filter((_, index) => !failed.includes(index));
}

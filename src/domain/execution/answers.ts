// What the end of a step's job comes to: the changes in its answer, another try, or a failure.
import type { Artifact, Operation } from '../../contract/artifact.ts';
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import { parseArtifact } from '../artifact/parse-artifact.ts';
import { FAILURE_CODES } from '../../contract/job-codes.ts';
import type { FailureCode } from '../../contract/job-codes.ts';
import { isAtCap, longerAfter } from '../run/cut-off.ts';
import type { CutOff } from '../run/cut-off.ts';
import { addedBy, droppedLines, droppedText } from '../run/dropped-lines.ts';
import type { FileTree } from './file-tree.ts';
import { MAX_TRIES } from './model.ts';

/** `CONFLICT`: the changes would overwrite a file that is there. */
export type RefusedCode = Extract<FailureCode, 'ARTIFACT_INVALID' | 'CONFLICT'>;

export type StepAnswer =
  | { kind: 'artifact'; artifact: Artifact }
  /** Not to be used as it is; the model may do better when it knows why. */
  | { kind: 'refused'; problems: string[]; code: RefusedCode }
  /** The model says that it cannot be done. */
  | { kind: 'given_up'; message: string };

const MAX_PROBLEMS = 20;
const MAX_SUMMARY = 500;

export function coverageOf(entries: readonly string[]): (path: string) => boolean {
  const patterns = patternsOf(entries);
  return (path) => {
    const file = filePattern(path);
    return patterns.some((pattern) => patternsOverlap(pattern, file));
  };
}

export function coversPath(entries: readonly string[], path: string): boolean {
  return coverageOf(entries)(path);
}

function firstSentence(text: string): string {
  const plain = text.slice(0, MAX_SUMMARY).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  return /^.*?[.!?](?= |$)/.exec(plain)?.[0] ?? plain;
}

/** What a step worked on. */
export interface StepFiles {
  /** The files as this step found them; it is changed. */
  tree: FileTree;
  /** Paths of the files whose whole text was in the prompt. */
  shown: ReadonlySet<string>;
  /** The files as they came with the task, and those that are only known by name. */
  given: Readonly<Record<string, string>>;
  named: ReadonlySet<string>;
}

/** The whole text of a file that nobody knows of is that of a new one; where it is there after all, it conflicts. */
function asNew(operation: Operation, { tree, named }: StepFiles): Operation {
  if (operation.type !== 'edit' || !('content' in operation)) return operation;
  const { path, content } = operation;
  const isKnown = tree.textOf(path) !== undefined || named.has(path);
  return isKnown ? operation : { type: 'create', path, content };
}

/**
 * A whole text and a delete are meant for a file that the step was shown, whole; and lines that an earlier step
 * added go only by an edit that names them.
 */
function wholeProblem(operation: Operation, { tree, shown, given }: StepFiles): string | undefined {
  const { type, path } = operation;
  if ('edits' in operation) return undefined;
  const before = tree.textOf(path);
  if (before === null || (before === undefined && type === 'create')) return undefined;
  if (before === undefined || !shown.has(path)) {
    return type === 'delete'
      ? `${path} was not shown, so it cannot be deleted`
      : `${path} was not shown as a whole, so only SEARCH/REPLACE edits of it are possible`;
  }
  if (type === 'delete') return undefined;
  const own = Object.hasOwn(given, path) ? given[path]! : '';
  const earlier = [{ stream: 'an earlier step', lines: addedBy(own, before) }];
  const dropped = droppedLines(earlier, { before, after: operation.content });
  if (dropped.length === 0) return undefined;
  const { message, lines } = droppedText(dropped);
  return `${path}: ${message} These lines are missing:\n${lines}`;
}

export function readAnswer(
  output: string,
  step: { streamId: string; owns: readonly string[] },
  given: () => StepFiles,
): StepAnswer {
  const parsed = parseArtifact(output, step.streamId);
  if (parsed.kind === 'invalid') {
    const problems = parsed.problems.slice(0, MAX_PROBLEMS);
    return { kind: 'refused', problems, code: 'ARTIFACT_INVALID' };
  }
  if (parsed.kind === 'reads') {
    const asked = parsed.paths.slice(0, 20).join(', ');
    const problem = `the answer asks for files (${asked}); there are no more files to show`;
    return { kind: 'refused', problems: [problem], code: 'ARTIFACT_INVALID' };
  }
  if (parsed.kind === 'none') {
    // Some steps have nothing to change; the reader of the result sees that this one did not.
    const summary = `No file changes. ${firstSentence(output)}`.trim();
    const { streamId } = step;
    const artifact: Artifact = {
      streamId,
      status: 'partial',
      operations: [],
      filesChanged: [],
      summary,
    };
    return { kind: 'artifact', artifact };
  }
  const { artifact } = parsed;
  if (artifact.status === 'failed') {
    const message = artifact.summary === '' ? 'it gave no reason' : artifact.summary;
    return { kind: 'given_up', message };
  }
  const isOwned = coverageOf(step.owns);
  const problems =
    step.owns.length === 0
      ? []
      : artifact.filesChanged
          .filter((path) => !isOwned(path))
          .map((path) => `${path} is outside the files this step owns (${step.owns.join(', ')})`);
  let code: RefusedCode = 'ARTIFACT_INVALID';
  if (problems.length === 0) {
    const files = given();
    artifact.operations = artifact.operations.map((operation) => asNew(operation, files));
    for (const operation of artifact.operations) {
      const problem = wholeProblem(operation, files);
      if (problem !== undefined) {
        problems.push(problem);
        continue;
      }
      const played = files.tree.play(operation);
      if (played.kind !== 'misfit') continue;
      problems.push(played.message);
      if (played.overwrites) code = 'CONFLICT';
    }
  }
  return problems.length === 0
    ? { kind: 'artifact', artifact }
    : { kind: 'refused', problems: problems.slice(0, MAX_PROBLEMS), code };
}

export type StepVerdict =
  /** `delayMs`: what failed needs time to come back. `maxTokens`: the answer needs more room. */
  | { kind: 'again'; note: string | null; delayMs?: number; maxTokens?: number }
  | { kind: 'failed'; code: FailureCode; message: string };

interface Tried {
  streamId: string;
  tries: number;
}

/** The vendor, or this server, is down: asked again at once, it would most likely still be. */
const DOWN: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'PROVIDER_OVERLOADED',
  'PROVIDER_UPSTREAM',
  'PROVIDER_NETWORK',
  'INTERNAL_ERROR',
]);
/** After the first attempt, and after the second. The calls of one attempt take a second or two. */
const DOWN_DELAYS_MS = [3_000, 15_000];

function isWorthAnother(code: FailureCode): boolean {
  return FAILURE_CODES[code].retryable || DOWN.has(code);
}

export function judgeFailure(
  { streamId, tries }: Tried,
  failure: { code: FailureCode; message: string },
): StepVerdict {
  if (isWorthAnother(failure.code) && tries < MAX_TRIES) {
    const delayMs = DOWN.has(failure.code) ? DOWN_DELAYS_MS[tries - 1] : undefined;
    return { kind: 'again', note: null, ...(delayMs !== undefined && { delayMs }) };
  }
  const times = tries > 1 ? ` after ${tries} attempts` : '';
  return {
    kind: 'failed',
    code: failure.code,
    message: `Step ${streamId} failed${times}: ${failure.message}`,
  };
}

export function judgeRefused(
  { streamId, tries }: Tried,
  { problems, code }: { problems: readonly string[]; code: RefusedCode },
): StepVerdict {
  const note = problems.map((problem) => `- ${problem}`).join('\n');
  if (tries < MAX_TRIES) return { kind: 'again', note };
  return {
    kind: 'failed',
    code,
    message: `Step ${streamId} returned no usable changes after ${tries} attempts: ${problems.join('; ')}`,
  };
}

const CUT_OFF_CODE = 'ANSWER_CUT_OFF' as const satisfies FailureCode;
const NO_ROOM =
  'the model has no room left. Ask for less at a time, send fewer files, or use another model.';

function cutOffAt(cut: CutOff): string {
  return isAtCap(cut)
    ? `${cut.maxTokens} tokens (the limit per call)`
    : `${cut.outputTokens} tokens`;
}

/** Asked again once, with twice the length; a second cut is the end of it. */
export function judgeCutOff(
  step: Tried & { position: number; maxTokens: number | null },
  cut: CutOff,
  model: string,
): StepVerdict {
  const mayGrow = step.maxTokens === null && step.tries < MAX_TRIES;
  const maxTokens = mayGrow ? longerAfter(model, cut) : undefined;
  if (maxTokens !== undefined) return { kind: 'again', note: null, maxTokens };
  const isPlan = step.position < 0;
  const [what, steps] = isPlan ? ['plan', 'fewer'] : ['answer', 'more'];
  const todo = isAtCap(cut)
    ? `ask for less at a time, or allow ${steps} steps (maxSteps).`
    : NO_ROOM;
  const message = `The ${what} was cut off at ${cutOffAt(cut)}: ${todo}`;
  return isPlan
    ? { kind: 'failed', code: CUT_OFF_CODE, message }
    : judgeFailure(step, { code: CUT_OFF_CODE, message });
}

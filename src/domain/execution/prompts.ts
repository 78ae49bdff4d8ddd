// What the model is asked: for a plan, for a corrected plan, for the changes of a step.
import { estimateTokenCount } from 'tokenx';
import type { Operation } from '../../contract/artifact.ts';
import { instructionLines } from '../prompt/instruction-lines.ts';
import { wholeTexts } from '../prompt/instructions.ts';
import { showFiles } from '../prompt/prompt-files.ts';
import { planningPrompt, planningRules } from '../prompt/planning-prompt.ts';
import { breakDirectives, quoted } from '../prompt/prompt-text.ts';
import { buildPrompt } from '../prompt/prompt.ts';
import type { BuiltPrompt } from '../prompt/prompt.ts';
import type { ContextFile, ContextRole, OmittedFile, StreamContext } from '../run/context-files.ts';
import { coverageOf } from './answers.ts';
import type { FileTree } from './file-tree.ts';
import type { ExecutionContext, PlannedStep, Step } from './model.ts';
import { sentInstructions } from './sent-instructions.ts';

export type Sha256 = (text: string) => string;

/** Characters: models take about a quarter as many tokens, and the answer needs room, too. */
const ROOM = 400_000;

interface Candidate {
  path: string;
  role: ContextRole;
  text: string;
}

const RANK: readonly ContextRole[] = ['owned', 'read', 'import', 'named'];

export function pickFiles(candidates: readonly Candidate[], sha256: Sha256): StreamContext {
  const files: ContextFile[] = [];
  const omitted: OmittedFile[] = [];
  let room = ROOM;
  let tokens = 0;
  const sorted = candidates.toSorted(
    (a, b) => RANK.indexOf(a.role) - RANK.indexOf(b.role) || (a.path < b.path ? -1 : 1),
  );
  for (const { path, role, text } of sorted) {
    if (text.length > room) {
      omitted.push({ path, reason: 'there was no room for it', bytes: text.length });
      continue;
    }
    room -= text.length;
    const count = estimateTokenCount(text);
    tokens += count;
    files.push({ path, role, text, sha256: sha256(text), included: 'full', tokens: count });
  }
  return { files, omitted, tokens };
}

export interface ShownFiles extends StreamContext {
  /** Changes of earlier steps to files that nobody has shown. */
  blind: Operation[];
}

export function filesForStep(
  step: PlannedStep,
  context: ExecutionContext,
  tree: FileTree,
  sha256: Sha256,
): ShownFiles {
  const changed = tree.changed();
  const paths = new Set([...Object.keys(context.contents), ...changed.keys()]);
  const candidates: Candidate[] = [];
  const [isOwned, isRead] = [coverageOf(step.owns), coverageOf(step.reads)];
  for (const path of paths) {
    const text = tree.textOf(path);
    if (typeof text !== 'string') continue;
    const role: ContextRole = isOwned(path)
      ? 'owned'
      : isRead(path)
        ? 'read'
        : changed.has(path)
          ? 'import'
          : 'named';
    candidates.push({ path, role, text });
  }
  const picked = pickFiles(candidates, sha256);
  const named = context.files
    .filter((path) => !paths.has(path))
    .map((path) => ({ path, reason: 'its text was not sent along', bytes: 0 }));
  return {
    ...picked,
    omitted: [...picked.omitted, ...named],
    blind: [...changed.values()].flat(),
  };
}

const RULES = planningRules({
  intro:
    "You plan changes to the files of a software project. You get a task and some of the project's files; there may be others, of which you know nothing. Cut the task into streams: pieces of work that are done at the same time by models which see the task, their own stream and the files you are shown, but not each other's work unless they wait for it. They ask nobody.",
  commands: 'none is run, neither before a stream nor after it.',
});

export interface PlanRequest {
  task: string;
  context: ExecutionContext;
  maxSteps: number;
  sha256: Sha256;
  /** What was wrong with the plan before. */
  problems?: string | undefined;
}

function notShown(names: readonly string[]): string {
  if (names.length === 0) return '';
  const lines = names.map((name) => `- ${breakDirectives(name)}`);
  return `# Files that exist but are not shown\n\n${lines.join('\n')}`;
}

export function planPrompt(request: PlanRequest): string {
  const { task, context, maxSteps, sha256, problems = '' } = request;
  // Nobody knows yet which folders the streams will own.
  const instructions = sentInstructions(context, []);
  const known = wholeTexts(instructions);
  const files = Object.entries(context.contents)
    .filter(([path]) => !known.has(path))
    .map(([path, text]) => ({ path, text, role: 'named' as const }));
  const { files: shownFiles, omitted } = pickFiles(files, sha256);
  const names = context.files
    .filter((path) => !Object.hasOwn(context.contents, path))
    .concat(omitted.map(({ path }) => path));
  const shown = [
    instructionLines(instructions),
    shownFiles.length === 0 ? '' : `# Files of the project\n\n${showFiles(shownFiles)}`,
    notShown(names),
    `# Environment\n\n${context.environment}`,
  ];
  return planningPrompt({ rules: RULES, shown, task, maxStreams: maxSteps, problems });
}

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
  const instructions = sentInstructions(context, step.owns);
  const known = wholeTexts(instructions);
  const notShown = files.files.filter(
    ({ path, role, text }) => role === 'owned' || known.get(path) !== text,
  );
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
    context: { ...files, files: notShown },
    instructions,
    // One step alone has nobody to share with.
    sharedPaths: new Set(stepCount > 1 ? shared : []),
    mayRead: false,
  });
}

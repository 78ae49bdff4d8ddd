// The questions and answers of one attempt, until its files are written and pass their checks, or
// until asking on would not help.
import type { Operation } from '../../contract/artifact.ts';
import { longerAfter } from '../../domain/run/cut-off.ts';
import type { CutOff } from '../../domain/run/cut-off.ts';
import { NEW_DIALOGUE, shownBy } from '../../domain/run/dialogue.ts';
import { guardOperations } from '../../domain/run/guard-operations.ts';
import { mergeAnswers } from '../../domain/run/merge-answers.ts';
import { artifactFileOf, callFileOf, writeRecord } from '../state/run-folder.ts';
import { applyAndVerify, rejectedBy } from './apply-stream.ts';
import type { AnsweredQuestion } from './answer-cache.ts';
import { askModel, toJob } from './ask-model.ts';
import type { Attempt, RunContext } from './context.ts';
import { askForLonger, askForRest, showMore } from './follow-up.ts';
import type { Unusable } from './follow-up.ts';
import { readQuestion } from './question.ts';
import type { Question } from './question.ts';
import { readAnswer } from './read-answer.ts';
import type { Answer } from './read-answer.ts';
import { failed, settle } from './stream-outcome.ts';
import type { Applied, StreamOutcome } from './stream-outcome.ts';
import { promptOf } from './stream-prompt.ts';

/** How often an attempt may ask again; after that a fix begins anew, with all that is known. */
const MAX_REASKS = 2;
/** How often a stream may ask for files, when its manifest does not say. */
const READ_ROUNDS = 3;

type Step =
  | { kind: 'ask'; question: Question }
  /** `operations`: of all answers together, where they were applied. */
  | { kind: 'done'; outcome: StreamOutcome; operations?: readonly Operation[] };

const done = (outcome: StreamOutcome): Step => ({ kind: 'done', outcome });
const ask = (question: Question): Step => ({ kind: 'ask', question });

export async function converse(context: RunContext, start: Attempt): Promise<StreamOutcome> {
  // A process that takes over continues where the last one was: what was asked before is in it.
  let call = Math.max(1, ...(start.open?.calls.map((open) => open.call) ?? []));
  let make = () => firstQuestion(context, start);
  const answered: AnsweredQuestion[] = [];
  for (;;) {
    const { asked, question } = await askModel(context, start, call, make);
    const output = asked.kind === 'answered' ? asked.output : '';
    const step = await takeAnswer(context, start, { question, output }, readAnswer(start, asked));
    if (asked.kind === 'answered' && !asked.isCached)
      answered.push({ job: question.job, end: asked });
    if (step.kind === 'done') {
      const { outcome } = step;
      // Only what was good in the end is worth using again.
      const isGood = outcome.kind === 'complete' && outcome.appliedAt !== undefined;
      if (isGood)
        context.answers.keep([...answered, ...(await healed(context, start, step, answered))]);
      return outcome.kind === 'failed' ? { ...outcome, answer: output } : outcome;
    }
    make = async () => step.question;
    call += 1;
  }
}

async function firstQuestion(context: RunContext, start: Attempt): Promise<Question> {
  const { shown, instructions: _, ...built } = await promptOf(context, start);
  const dialogue = { ...NEW_DIALOGUE, shown: shownBy(shown) };
  return { job: toJob(context, start, built), dialogue };
}

/**
 * What a fix came to is an answer to the first question of its stream, too: a run that asks that
 * again need not fail first.
 */
async function healed(
  { stateDir, runId }: RunContext,
  { task }: Attempt,
  { operations }: Extract<Step, { kind: 'done' }>,
  answered: readonly AnsweredQuestion[],
): Promise<AnsweredQuestion[]> {
  const last = answered.at(-1);
  if (task.root === undefined || operations === undefined || last === undefined) return [];
  const first = await readQuestion(
    callFileOf(stateDir, runId, { stream: task.root, attempt: 1, call: 1 }),
  );
  if (first === undefined) return [];
  const filesChanged = operations.map(({ path }) => path);
  const status = 'complete' as const;
  const about = { streamId: task.root, status, filesChanged, summary: '' };
  const artifact = { ...about, operations: [...operations] };
  return [{ job: first.job, end: { ...last.end, artifact } }];
}

interface Turn {
  question: Question;
  output: string;
}

async function takeAnswer(
  context: RunContext,
  start: Attempt,
  turn: Turn,
  answer: Answer,
): Promise<Step> {
  const { question, output } = turn;
  const { dialogue } = question;
  switch (answer.kind) {
    case 'done':
      return answer;
    case 'cut_off':
      return takeCutOff(start, question, answer.cut);
    case 'reads': {
      const maxRounds = start.task.maxSteps ?? READ_ROUNDS;
      if (dialogue.readRounds < maxRounds) {
        return ask(await showMore(context, start, question, { ...answer, maxRounds }));
      }
      const problems = ['no more files can be shown; do the task with what you have'];
      const nothing = { operations: dialogue.kept, changes: [], owed: dialogue.owed };
      return again(context, start, turn, { output, problems, ...nothing });
    }
    case 'unclear': {
      const operations = mergeAnswers(dialogue.kept, answer.readable);
      // What the trouble is about has to be said for the rest to be kept.
      const isKnown = answer.unclear.length > 0;
      const kept = isKnown ? operations : [];
      const owed = isKnown ? [...answer.unclear] : [];
      const { problems } = answer;
      return again(context, start, turn, { output, operations: kept, changes: [], problems, owed });
    }
    case 'changes':
      return takeChanges(context, start, turn, answer);
  }
}

function takeCutOff({ task }: Attempt, question: Question, cut: CutOff): Step {
  const longer = question.dialogue.isLonger ? undefined : longerAfter(task.model, cut);
  return longer === undefined
    ? done(failed({ kind: 'cut_off', cut }))
    : ask(askForLonger(question, longer));
}

async function takeChanges(
  context: RunContext,
  start: Attempt,
  turn: Turn,
  answer: Extract<Answer, { kind: 'changes' }>,
): Promise<Step> {
  const { question, output } = turn;
  const { dialogue } = question;
  const operations = mergeAnswers(dialogue.kept, answer.operations);
  const missing = dialogue.owed.filter((path) =>
    answer.operations.every((one) => one.path !== path),
  );
  if (missing.length > 0) {
    const problems = missing.map((path) => `the changes of ${path} are missing`);
    return again(context, start, turn, {
      output,
      operations,
      changes: [],
      problems,
      owed: missing,
    });
  }
  const guarded = guardOperations(operations, new Map(dialogue.shown));
  start.onAnswered();
  if (guarded.problems.length > 0) {
    const changes = guarded.problems;
    return again(context, start, turn, { output, operations, changes, problems: [], owed: [] });
  }
  if (context.options.apply === 'never') {
    return done(await keep(context, start, { ...answer, operations: guarded.operations }));
  }
  const isLast = dialogue.reasks >= MAX_REASKS;
  const applied = await applyAndVerify(context, start, guarded.operations, { isLast });
  const changes = isLast ? undefined : problemsToAsk(applied);
  if (changes === undefined) {
    return { kind: 'done', outcome: settle(context, applied), operations };
  }
  return again(context, start, turn, { output, operations, changes, problems: [], owed: [] });
}

/** What another answer could do better; everything else is not a matter of words. */
const ASKABLE: ReadonlySet<string> = new Set([
  'NO_MATCH',
  'AMBIGUOUS',
  'UNCLEAR',
  'OVERLAP',
  'STALE',
  'DROPPED',
  'MISSING',
  'EXISTS',
  'SYNTAX',
  'IMPORT',
]);

function problemsToAsk(applied: Applied) {
  if (applied.kind !== 'failed' || applied.problems === undefined) return undefined;
  return applied.problems.every(({ code }) => ASKABLE.has(code)) ? applied.problems : undefined;
}

function again(context: RunContext, start: Attempt, { question }: Turn, unusable: Unusable): Step {
  if (question.dialogue.reasks < MAX_REASKS) {
    return ask(askForRest(context, start, question, unusable));
  }
  const { problems, changes } = unusable;
  if (changes.length === 0) {
    const error = `The answer cannot be used: ${problems.join('; ')}`;
    return done(failed({ kind: 'answer', error }));
  }
  return done(settle(context, rejectedBy(changes)));
}

/** Not applied now: kept for `millrace apply`. */
async function keep(
  context: RunContext,
  { task }: Attempt,
  { operations, summary }: Extract<Answer, { kind: 'changes' }>,
): Promise<StreamOutcome> {
  const filesChanged = operations.map(({ path }) => path);
  const artifact = { streamId: task.id, status: 'complete', operations, filesChanged, summary };
  await writeRecord(artifactFileOf(context.stateDir, context.runId, task.id), artifact);
  return { kind: 'complete', files: [], appliedAt: undefined };
}

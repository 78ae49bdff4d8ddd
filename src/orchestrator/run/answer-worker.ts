// A worker that is one model answer with follow-ups: the questions and answers of an attempt, until there are changes
// to apply, or until asking on would not help.
import type { Operation } from '../../contract/artifact.ts';
import { longerAfter } from '../../domain/run/cut-off.ts';
import type { CutOff } from '../../domain/run/cut-off.ts';
import { NEW_DIALOGUE, shownBy } from '../../domain/run/dialogue.ts';
import { guardOperations } from '../../domain/run/guard-operations.ts';
import { mergeAnswers } from '../../domain/run/merge-answers.ts';
import { rejection } from '../../domain/run/rejection.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import type { Proposal, Worker } from '../../agents/worker.ts';
import { callFileOf } from '../state/run-folder.ts';
import type { AnsweredQuestion } from './answer-cache.ts';
import { askModel, toJob } from './ask-model.ts';
import type { Attempt, RunContext } from './context.ts';
import { askForLonger, askForRest, showMore } from './follow-up.ts';
import type { Unusable } from './follow-up.ts';
import { QUESTIONS, readQuestion } from './question.ts';
import type { Question } from './question.ts';
import { readAnswer } from './read-answer.ts';
import type { Answer } from './read-answer.ts';
import { promptOf } from './stream-prompt.ts';

/** How often an attempt may ask again; after that a fix begins anew, with all that is known. */
const MAX_REASKS = 2;
/** How often a stream may ask for files, when its manifest does not say. */
const READ_ROUNDS = 3;

type Step =
  | { kind: 'ask'; question: Question }
  /** `merged`: of all answers together, as the model gave them. */
  | { kind: 'propose'; proposal: Proposal; merged?: readonly Operation[] };

const propose = (proposal: Proposal): Step => ({ kind: 'propose', proposal });
const ask = (question: Question): Step => ({ kind: 'ask', question });
const failed = (failure: StreamFailure): Step => propose({ kind: 'failed', failure });

export function createAnswerWorker(context: RunContext, start: Attempt): Worker {
  // A process that takes over continues where the last one was: what was asked before is in it.
  let call = Math.max(1, ...(start.open?.calls.map((open) => open.call) ?? []));
  const answered: AnsweredQuestion[] = [];
  let last: Turn | undefined;
  let merged: readonly Operation[] = [];

  async function converse(first: () => Promise<Question>): Promise<Proposal> {
    let make = first;
    for (;;) {
      const { asked, question } = await askModel(context, start, {
        call,
        question: make,
        files: QUESTIONS,
      });
      const output = asked.kind === 'answered' ? asked.output : '';
      last = { question, output };
      const step = await takeAnswer(context, start, last, readAnswer(start, asked));
      if (asked.kind === 'answered' && !asked.isCached)
        answered.push({ job: question.job, end: asked });
      if (step.kind === 'propose') {
        if (step.merged !== undefined) merged = step.merged;
        return step.proposal;
      }
      make = async () => step.question;
      call += 1;
    }
  }

  return {
    work: () => converse(() => firstQuestion(context, start)),
    async revise(problems) {
      if (last === undefined || !problems.every(({ code }) => ASKABLE.has(code))) return undefined;
      const unusable = { operations: merged, changes: problems, problems: [], owed: [] };
      const step = again(context, start, last, { output: last.output, ...unusable });
      if (step.kind === 'propose') return step.proposal;
      call += 1;
      return converse(async () => step.question);
    },
    async accepted() {
      // Only what was good in the end is worth using again.
      context.answers.keep([...answered, ...(await healed(context, start, merged, answered))]);
    },
    lastWords: () => last?.output,
    close: async () => undefined,
  };
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
  operations: readonly Operation[],
  answered: readonly AnsweredQuestion[],
): Promise<AnsweredQuestion[]> {
  const last = answered.at(-1);
  if (task.root === undefined || last === undefined) return [];
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
    case 'ended':
      return propose(answer.proposal);
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
    ? failed({ kind: 'cut_off', cut })
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
  const isLast = dialogue.reasks >= MAX_REASKS;
  const { summary } = answer;
  const proposal: Proposal = { kind: 'changes', operations: guarded.operations, summary, isLast };
  return { kind: 'propose', proposal, merged: operations };
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

function again(context: RunContext, start: Attempt, { question }: Turn, unusable: Unusable): Step {
  if (question.dialogue.reasks < MAX_REASKS) {
    return ask(askForRest(context, start, question, unusable));
  }
  const { problems, changes } = unusable;
  if (changes.length === 0) {
    const error = `The answer cannot be used: ${problems.join('; ')}`;
    return failed({ kind: 'answer', error });
  }
  return failed(rejection(changes));
}

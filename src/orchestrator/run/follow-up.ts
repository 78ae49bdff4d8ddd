// What a stream asks next, when the last answer was not one that could be applied.
import { answerReads, askAgain } from '../../domain/prompt/follow-up.ts';
import type { FileNow, UnusableChange } from '../../domain/prompt/follow-up.ts';
import type { BuiltPrompt } from '../../domain/prompt/prompt.ts';
import type { Operation } from '../../contract/artifact.ts';
import { withShown } from '../../domain/run/dialogue.ts';
import type { Dialogue } from '../../domain/run/dialogue.ts';
import { withoutFailed } from '../../domain/run/merge-answers.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import { isSecret } from '../../domain/artifact/secret-path.ts';
import { promptFields } from './ask-model.ts';
import type { Question } from './question.ts';
import type { Attempt, RunContext } from './context.ts';

/** Files that one answer may ask for. */
const MAX_READS = 20;
/** Characters of a file that are shown in the middle of a conversation. */
const MAX_SHOWN = 200_000;

interface LookedAt {
  now: FileNow;
  shown: Dialogue['shown'];
}

/** As the context is read: a path of the model's must not lead anywhere else. */
function lookAt(context: RunContext, path: string, isOwned: boolean): LookedAt {
  const nothing = (why?: string): LookedAt => ({
    now: { path, text: undefined, isWhole: false, ...(why !== undefined && { why }) },
    shown: [],
  });
  const file = context.reader.read(path, { isOwned });
  if (file.kind === 'missing') return nothing();
  if (file.kind === 'omitted') return nothing(`It cannot be shown: ${file.reason}.`);
  const isWhole = file.text.length <= MAX_SHOWN;
  const text = isWhole ? file.text : file.text.slice(0, MAX_SHOWN);
  const { sha256 } = file;
  return {
    now: { path, text, isWhole },
    shown: [[path, { sha256, extent: isWhole ? 'whole' : 'part' }]],
  };
}

function next(question: Question, built: BuiltPrompt, asks: Question['asks']): Question {
  const job = { ...question.job, ...promptFields(built) };
  return { job, dialogue: question.dialogue, ...(asks && { asks }) };
}

/** The files that the model wants to see, as far as it may. */
export async function showMore(
  context: RunContext,
  { task }: Attempt,
  question: Question,
  { paths, maxRounds }: { paths: readonly string[]; maxRounds: number },
): Promise<Question> {
  const { dialogue } = question;
  const listed = await context.collector.listed([...new Set(paths)].slice(0, MAX_READS));
  const looks = listed.map(({ path, isListed }): LookedAt => {
    if (isListed && !isSecret(path)) return lookAt(context, path, false);
    const why = 'There is no such file in the project, or it is not shown to models.';
    return { now: { path, text: undefined, isWhole: false, why }, shown: [] };
  });
  const readRounds = dialogue.readRounds + 1;
  const files = looks.map(({ now }) => now);
  const built = answerReads(question.job, {
    owns: task.owns,
    files,
    roundsLeft: maxRounds - readRounds,
  });
  const shown = withShown(
    dialogue,
    looks.flatMap((look) => look.shown),
  );
  return next({ ...question, dialogue: { ...dialogue, readRounds, shown } }, built, 'files');
}

export interface Unusable {
  /** What was said, in full. */
  output: string;
  /** Of all answers so far. */
  operations: readonly Operation[];
  /** With changes to files that are known. */
  changes: readonly ApplyProblem[];
  problems: readonly string[];
  /** Files that the problems are about. */
  owed: readonly string[];
}

/** Only what cannot be used is asked for; the rest is kept. */
export function askForRest(
  context: RunContext,
  { task }: Attempt,
  question: Question,
  unusable: Unusable,
): Question {
  const { dialogue } = question;
  const { operations, changes, problems, output } = unusable;
  const owed = [...new Set([...unusable.owed, ...changes.map(({ path }) => path)])];
  const kept = withoutFailed(operations, changes);
  const known = new Map(dialogue.shown);
  const unseen = new Set(changes.flatMap(({ path, code }) => (code === 'UNSEEN' ? [path] : [])));
  const looks = [...new Set(changes.map(({ path }) => path))].flatMap((path) => {
    const look = lookAt(context, path, true);
    if (unseen.has(path)) return [look];
    const before = known.get(path);
    const [[, now] = [path, undefined]] = look.shown;
    return now?.sha256 === before?.sha256 ? [] : [look];
  });
  const built = askAgain(question.job, {
    owns: task.owns,
    answer: output,
    changes: changes.map((change) => ({ ...change, ...oldTextOf(operations, change) })),
    problems,
    files: looks.map(({ now }) => now),
    kept: [...new Set(kept.map(({ path }) => path))].filter((path) => !owed.includes(path)),
    owed,
  });
  const shown = withShown(
    dialogue,
    looks.flatMap((look) => look.shown),
  );
  const reasks = dialogue.reasks + 1;
  return next(
    { ...question, dialogue: { ...dialogue, shown, kept, owed, reasks } },
    built,
    'again',
  );
}

function oldTextOf(
  operations: readonly Operation[],
  { path, editIndex }: ApplyProblem,
): Pick<UnusableChange, 'oldText'> {
  const operation = operations.find((each) => each.path === path);
  const edits = operation && 'edits' in operation ? operation.edits : [];
  const oldText = edits[editIndex ?? -1]?.oldText;
  return oldText === undefined ? {} : { oldText };
}

/** The same question, with room for a longer answer. */
export function askForLonger(question: Question, maxTokens: number): Question {
  const { job, dialogue } = question;
  return { job: { ...job, maxTokens }, dialogue: { ...dialogue, isLonger: true }, asks: 'longer' };
}

// A question of the built-in agent. Who sits at the terminal of the run is asked there and on the server at once, and the
// first answer counts: the server decides which one that is, and the other place learns who was first. Where nobody sits
// there, the agent decides itself, unless the manifest says that its questions wait for an answer.
import { HaltedError } from '../../agents/worker.ts';
import { MillraceError } from '../../client/index.ts';
import type { Approval } from '../../client/index.ts';
import { sha256 } from '../../platform/sha256.ts';
import { noteOf } from './agent-report.ts';
import { AnsweredElsewhere } from './agent-setting.ts';
import { askApproval } from './ask-approval.ts';
import type { GateAnswer, GateQuestion } from './ask-approval.ts';
import type { Attempt, RunContext } from './context.ts';

const MAX_TITLE = 200;

/** The same question of the same stream has one answer, also in later attempts and after a crash. */
function questionOf(
  { options: { scrub } }: Pick<RunContext, 'options'>,
  { id, root = id }: Attempt['task'],
  text: string,
): GateQuestion {
  const line = scrub(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const short = line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
  return {
    kind: 'question',
    streamId: root,
    title: `${root} asks: ${short.toWellFormed()}`,
    detail: scrub(text),
    format: 'text',
    hash: sha256(text),
  };
}

const textOf = (answer: GateAnswer) => (answer.kind === 'approved' ? answer.answer : undefined);
const personOf = (answer: GateAnswer) => ('by' in answer ? answer.by : undefined);

/** Undefined where the agent decides itself. */
export async function askPerson(
  context: RunContext,
  { task, attempt, signal }: Pick<Attempt, 'task' | 'attempt' | 'signal'>,
  text: string,
): Promise<string | undefined> {
  const { emit, options } = context;
  const atTerminal = options.agents?.ask;
  if (atTerminal === undefined && !task.waitsForAnswers) return undefined;
  const opened = Promise.withResolvers<Approval>();
  const unneeded = new AbortController();
  const onServer = askApproval(context, questionOf(context, task, text), {
    signal: AbortSignal.any([signal, unneeded.signal]),
    onOpen(approval) {
      const detail = `${approval.id}: ${approval.title}`;
      emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'approval', detail });
      opened.resolve(approval);
    },
  });
  if (atTerminal === undefined) {
    const answer = await onServer;
    if (answer.kind === 'halted') throw new HaltedError(answer.halt);
    return textOf(answer);
  }

  const given = new AbortController();
  const said = atTerminal(task.id, text, AbortSignal.any([signal, given.signal]));
  // A server that cannot be asked leaves the terminal.
  const elsewhere = onServer.then<string | GateAnswer>((answer) =>
    answer.kind === 'halted' ? said : answer,
  );
  const first = await Promise.race<string | GateAnswer>([said, elsewhere]);
  if (typeof first !== 'string') {
    given.abort(new AnsweredElsewhere(personOf(first), textOf(first)));
    await said;
    return textOf(first);
  }
  const own = first === '' ? undefined : first;
  const open = await Promise.race([opened.promise, onServer.then(() => undefined)]);
  if (open !== undefined && !signal.aborted) {
    const taken = await resolve(context, open, own);
    if (taken === 'refused') unneeded.abort();
  }
  const ended = await onServer;
  if (ended.kind !== 'approved' && ended.kind !== 'denied') return own;
  const answer = textOf(ended);
  if (answer !== own) {
    const by = personOf(ended) ?? 'Nobody';
    noteOf(context, task.id)(`${by} was first: ${answer ?? 'it decides itself.'}`);
  }
  return answer;
}

/** `late`: another person was first. `refused`: the server takes no answer from here, or is away. */
async function resolve(
  { options: { client } }: Pick<RunContext, 'options'>,
  { id, hash }: Approval,
  answer: string | undefined,
): Promise<'taken' | 'late' | 'refused'> {
  const decision = answer === undefined ? 'deny' : 'approve';
  try {
    await client.approvals.resolve(id, { decision, hash, ...(answer !== undefined && { answer }) });
    return 'taken';
  } catch (error) {
    return error instanceof MillraceError && error.status === 409 ? 'late' : 'refused';
  }
}

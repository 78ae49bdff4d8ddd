// What becomes of a result when its end is reported: it is written, asked about, or left to the user. Each
// result is decided on once, whichever process reports its end.
import type { Execution, MillraceClient } from '../client/index.ts';
import { EXECUTION_ID_PATTERN } from '../contract/fields.ts';
import { NOTHING, hasChanges, lookApplied, writeResult } from './apply.ts';
import type { Applied } from './apply.ts';
import type { BroughtAnswer, ToolCall } from './call.ts';
import type { ToolDeps } from './deps.ts';
import { questionOf, saidIn } from './question.ts';
import type { Question, Said } from './question.ts';
import { findUndecided, forgetUndecided, rememberUndecided } from './undecided.ts';

export type Decision =
  | { kind: 'decided'; applied: Applied }
  /** For the client to put to the user; the call comes again with the answer. */
  | { kind: 'question'; question: Question };

const decided = (applied: Applied): Decision => ({ kind: 'decided', applied });

export interface Deciding {
  deps: ToolDeps;
  client: MillraceClient;
  call: ToolCall;
  /** The client waits for an answer of the user until then. */
  answerBy: number;
}

export async function decide(
  { deps, client, call, answerBy }: Deciding,
  execution: Execution,
): Promise<Decision> {
  const { workspace, settings, clock } = deps;
  const { id } = execution;
  const look = async () => decided(await lookApplied(deps, execution));
  if (workspace === undefined || execution.status === 'running') return look();
  if (!hasChanges(execution)) {
    forgetUndecided(workspace, id);
    return decided(NOTHING);
  }
  const undecided = findUndecided(workspace, id);
  // A client that gave up on the call does not get the answer.
  if (undecided === undefined || call.signal.aborted) return look();
  const { state, sinceMs } = undecided;
  const act = async (said: Said): Promise<Decision> => {
    if (said === 'yes') return decided(await writeResult(deps, workspace, client, execution));
    // Asked once: the command is there for a user who comes later.
    forgetUndecided(workspace, id);
    return decided({ ...(await lookApplied(deps, execution)), answer: said });
  };
  if (settings.apply === 'auto') return act('yes');
  if (settings.apply === 'never' || call.asking === undefined) return look();
  const { atOnceMs } = settings;
  if (call.asking.kind === 'by-result') {
    const { answer } = call.asking;
    if (answer?.executionId === id) {
      return act(saidIn(answer.response, { afterMs: clock.now() - sinceMs, atOnceMs }));
    }
    if (state !== 'open') return look();
    await rememberUndecided(workspace, id, 'asked');
    return { kind: 'question', question: questionOf(execution) };
  }
  if (call.asking.kind === 'by-task') {
    if (state === 'yes' || state === 'no' || state === 'none') return act(state);
    if (state === 'asked' && clock.now() - sinceMs > call.asking.mostMs) return act('none');
    if (state === 'open') await rememberUndecided(workspace, id, 'asked');
    return { kind: 'question', question: questionOf(execution) };
  }
  // Another call has the question up, or nobody answered it.
  if (state !== 'open') return look();
  await rememberUndecided(workspace, id, 'asked');
  const askedAt = clock.now();
  const response = await call.asking.ask(questionOf(execution), Math.max(1, answerBy - askedAt));
  if (response === undefined || call.signal.aborted) return act('none');
  return act(saidIn(response, { afterMs: clock.now() - askedAt, atOnceMs }));
}

/** The answer that the call brings, if this workspace has asked about the execution. */
export function answeredIn(
  { workspace }: ToolDeps,
  { asking }: ToolCall,
): BroughtAnswer | undefined {
  if (workspace === undefined || asking?.kind !== 'by-result') return undefined;
  const { answer } = asking;
  if (answer === undefined || !EXECUTION_ID_PATTERN.test(answer.executionId)) return undefined;
  return findUndecided(workspace, answer.executionId)?.state === 'asked' ? answer : undefined;
}

// What becomes of a result when its end is told: it is written, asked about, or left to the user. Each
// result is decided on once, whichever process tells its end.
import type { Execution, MillraceClient } from '../client/index.ts';
import { EXECUTION_ID_PATTERN } from '../contract/fields.ts';
import { NOTHING, hasChanges, lookApplied, writeResult } from './apply.ts';
import type { Applied } from './apply.ts';
import type { ToolCall } from './call.ts';
import type { ToolDeps, Workspace } from './deps.ts';
import { questionOf } from './question.ts';
import type { Question } from './question.ts';
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
  // Whoever gave up on the call does not hear of it.
  if (undecided === undefined || call.signal.aborted) return look();
  const { state, sinceMs } = undecided;
  const write = async () => decided(await writeResult(deps, workspace, client, execution));
  if (settings.apply === 'auto') return write();
  if (settings.apply === 'never' || call.asking === undefined) return look();
  if (call.asking.kind === 'by-result') {
    const { answer } = call.asking;
    if (answer?.executionId === id)
      return answer.isYes ? write() : leave(deps, workspace, execution);
    if (state !== 'open') return look();
    await rememberUndecided(workspace, id, 'asked');
    return { kind: 'question', question: questionOf(execution) };
  }
  if (call.asking.kind === 'by-task') {
    if (state === 'yes') return write();
    if (state === 'no') return leave(deps, workspace, execution);
    if (state === 'asked' && clock.now() - sinceMs > call.asking.mostMs) {
      forgetUndecided(workspace, id);
      return look();
    }
    if (state === 'open') await rememberUndecided(workspace, id, 'asked');
    return { kind: 'question', question: questionOf(execution) };
  }
  // Another call has the question up, or nobody answered it.
  if (state !== 'open') return look();
  await rememberUndecided(workspace, id, 'asked');
  const waitMs = Math.max(1, answerBy - clock.now());
  const said = await call.asking.ask(questionOf(execution), waitMs);
  if (said === 'yes' && !call.signal.aborted) return write();
  if (said === 'no') return leave(deps, workspace, execution);
  forgetUndecided(workspace, id);
  return look();
}

/** The execution that the call brings an answer about, if this workspace has asked about it. */
export function answeredId({ workspace }: ToolDeps, { asking }: ToolCall): string | undefined {
  if (workspace === undefined || asking?.kind !== 'by-result') return undefined;
  const id = asking.answer?.executionId;
  if (id === undefined || !EXECUTION_ID_PATTERN.test(id)) return undefined;
  return findUndecided(workspace, id)?.state === 'asked' ? id : undefined;
}

async function leave(
  deps: ToolDeps,
  workspace: Workspace,
  execution: Execution,
): Promise<Decision> {
  forgetUndecided(workspace, execution.id);
  return decided({ ...(await lookApplied(deps, execution)), isDeclined: true });
}

// millrace_execute: runs a task and waits for its end, but never depends on a client that stays.
import type { Execution, MillraceClient, NewExecution } from '../client/index.ts';
import { abortMeans } from './abort.ts';
import { answerOf } from './answer.ts';
import type { Attempt } from './attempts.ts';
import type { ToolAnswer, ToolCall } from './call.ts';
import { answeredIn } from './decide.ts';
import type { SessionDeps, ToolDeps } from './deps.ts';
import { follow } from './follow.ts';
import { beatOf } from './progress.ts';
import { getExecution } from './get-execution.ts';
import { deadlineOf } from './soft-deadline.ts';
import { ToolError, toToolError } from './tool-error.ts';
import type { ExecuteInput } from './tool-schemas.ts';
import { collectTaskFiles } from './task-files.ts';
import type { TaskFiles } from './workspace-files.ts';

function requestOf(input: ExecuteInput, files: TaskFiles, model: string | undefined): NewExecution {
  const { contents } = files;
  const paths = Object.keys(contents);
  return {
    task: input.task,
    ...(paths.length === 0 ? {} : { context: { files: paths, contents } }),
    options: { dryRun: input.dryRun, maxSteps: input.maxSteps },
    ...(model === undefined ? {} : { model }),
  };
}

export async function execute(
  deps: SessionDeps,
  input: ExecuteInput,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { workspace, settings, attempts } = deps;
  const deadline = deadlineOf(deps, call);
  const isTask = call.offersTasks && !input.dryRun;
  const until = isTask ? Math.min(deadline, deps.clock.now() + settings.taskAfterMs) : deadline;
  const files = await collectTaskFiles(workspace, input.files);
  const client = await deps.connect();
  const answerBy = deadline + settings.answerGraceMs;
  const answered = answeredIn(deps, call);
  if (answered !== undefined) {
    const { executionId, origin } = answered;
    const execution = await getExecution(client, executionId);
    return answerOf({ deps, client, call, answerBy }, execution, { files, origin });
  }
  const needsDecision = settings.apply !== 'never' && !input.dryRun;
  const request = requestOf(input, files, settings.model);
  const chosen = { workspace, needsDecision };
  const { attempt, isEarlier } = attempts.join(client, request, chosen);
  attempt.waiting += 1;
  let isWaiting = true;
  const leave = () => {
    if (isWaiting) attempt.waiting -= 1;
    isWaiting = false;
  };
  try {
    // Not interrupted: it would keep running and nobody would know its id.
    const { id, isReplayed } = await attempt.started;
    const origin = isEarlier || isReplayed ? 'joined' : undefined;
    const execution = await waitFor({ deps, client, attempt, leave }, id, until, call);
    if (isTask && execution.status === 'running') return { kind: 'task', execution, origin };
    // Not the one from before: its server may have gone while the call waited.
    const now = execution.status === 'running' ? client : await deps.connect();
    return await answerOf({ deps, client: now, call, answerBy }, execution, { files, origin });
  } finally {
    leave();
  }
}

interface Waiting {
  deps: ToolDeps;
  client: MillraceClient;
  attempt: Attempt;
  leave(): void;
}

async function waitFor(
  { deps, client, attempt, leave }: Waiting,
  id: string,
  until: number,
  call: ToolCall,
): Promise<Execution> {
  const { clock, settings } = deps;
  const { signal } = call;
  const beat = beatOf(call, settings.heartbeatMs);
  try {
    signal.throwIfAborted();
    const { connect } = deps;
    const { waitsForServer } = settings;
    return await follow({ client, connect, clock }, id, { signal, until, beat, waitsForServer });
  } catch (error) {
    if (!signal.aborted) throw withId(error, id);
    leave();
    // Another call that waits for the same execution still wants it.
    const isLast = attempt.waiting === 0;
    if (isLast && abortMeans(signal.reason, settings.onAbort) === 'cancel') {
      // The user knows how it ended: the same call again is a new request.
      attempt.isReported = true;
      await (await deps.connect()).executions.cancel(id);
    }
    throw error;
  }
}

/** It was started: the next call must know where to look. Whether it runs is not known here. */
function withId(error: unknown, id: string): ToolError {
  const { code, message, retryable, requestId, retryAfterSeconds } = toToolError(error);
  const hint = `The task was accepted: call millrace_status with executionId "${id}".`;
  return new ToolError({
    code,
    message,
    hint,
    retryable,
    requestId,
    retryAfterSeconds,
    cause: error,
  });
}

// millrace_status: waits for the end of an execution, as long as its host lets a call take. Models that get
// an answer for each step ask in a loop, and pay for each answer.
import type { ToolAnswer, ToolCall } from './call.ts';
import { answeredIn, decide } from './decide.ts';
import type { SessionDeps } from './deps.ts';
import { follow } from './follow.ts';
import { findId } from './latest.ts';
import { statusOutput } from './outcome.ts';
import { beatOf } from './progress.ts';
import { deadlineOf } from './soft-deadline.ts';
import type { StatusInput } from './tool-schemas.ts';

export async function status(
  deps: SessionDeps,
  { executionId, poll }: StatusInput,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { clock, settings, connect } = deps;
  const until = deadlineOf(deps, call);
  const client = await connect();
  const answered = answeredIn(deps, call);
  const { id, origin } =
    answered === undefined
      ? await findId(client, deps, executionId)
      : { id: answered.executionId, origin: undefined };
  const execution = await follow({ client, connect, clock }, id, {
    signal: call.signal,
    until,
    beat: beatOf(call, settings.heartbeatMs),
    waitsForServer: settings.waitsForServer,
  });
  const now = execution.status === 'running' ? client : await connect();
  const answerBy = until + settings.answerGraceMs;
  const decision = await decide({ deps, client: now, call, answerBy }, execution);
  if (decision.kind === 'question') return decision;
  const { applied } = decision;
  const output = statusOutput(execution, { applied, origin, poll: poll + 1 });
  return { kind: 'output', output, isError: false };
}

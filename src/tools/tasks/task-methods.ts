// tasks/get, tasks/update and tasks/cancel. They know nothing but the id: any process answers them.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Execution, MillraceClient } from '../../client/index.ts';
import { MillraceError } from '../../client/index.ts';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import { answerOf } from '../answer.ts';
import { inputRequestsOf, readAnswer } from '../asking.ts';
import type { ToolCall } from '../call.ts';
import type { SessionDeps, ToolDeps } from '../deps.ts';
import { getExecution } from '../get-execution.ts';
import { saidIn } from '../question.ts';
import { toToolError } from '../tool-error.ts';
import { toResult } from '../tool-result.ts';
import { findUndecided, rememberUndecided } from '../undecided.ts';
import { requireTasks } from './task-capability.ts';
import { taskOf } from './task-view.ts';

// Named in full: on newer connections the methods are only known by the schemas that come with them.
const TaskParams = z.looseObject({ taskId: z.string() });
const UpdateParams = TaskParams.extend({
  inputResponses: z.record(z.string(), z.unknown()).optional(),
});
const AnyResult = z.looseObject({});

/** A question of a task that is as old as this is taken for unanswered. */
const MOST_ANSWER_MS = 10 * 60_000;

export interface TaskDeps {
  deps: SessionDeps;
  callOf(context: ServerContext): ToolCall;
}

function unknown(taskId: string): ProtocolError {
  const message = `There is no task ${JSON.stringify(taskId.slice(0, 100))}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** What is wrong with a task is an error of the protocol: there is no tool that could report it. */
async function withTask<T>(
  deps: ToolDeps,
  taskId: string,
  work: (client: MillraceClient) => Promise<T>,
): Promise<T> {
  if (!EXECUTION_ID_PATTERN.test(taskId)) throw unknown(taskId);
  try {
    return await work(await deps.connect());
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    // Of others or of nobody: that is not for the caller to know.
    if (error instanceof MillraceError && (error.status === 404 || error.status === 403)) {
      throw unknown(taskId);
    }
    const { code, message } = toToolError(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`);
  }
}

async function taskResult(
  { deps }: TaskDeps,
  client: MillraceClient,
  call: ToolCall,
  execution: Execution,
): Promise<object> {
  const { attempts } = deps;
  const task = taskOf(execution);
  if (task.status === 'working') return task;
  if (task.status === 'cancelled') {
    attempts.reported(execution.id);
    return task;
  }
  const answer = await answerOf({ deps, client, call, answerBy: 0 }, execution);
  if (answer.kind === 'question') {
    const statusMessage = 'Waiting for your decision';
    const inputRequests = inputRequestsOf(answer.question);
    return { ...task, status: 'input_required', statusMessage, inputRequests };
  }
  attempts.reported(execution.id);
  return { ...task, result: toResult(answer) };
}

export function addTaskMethods(server: Server, tasks: TaskDeps): void {
  const { deps } = tasks;
  const schemas = { params: TaskParams, result: AnyResult };
  server.setRequestHandler('tasks/get', schemas, async ({ taskId }, context) => {
    requireTasks(server, context);
    const call = tasks.callOf(context);
    return {
      ...(await withTask(deps, taskId, async (client) => {
        const execution = await getExecution(client, taskId);
        const asking = call.asking && { kind: 'by-task' as const, mostMs: MOST_ANSWER_MS };
        return taskResult(tasks, client, { ...call, asking }, execution);
      })),
    };
  });
  server.setRequestHandler('tasks/cancel', schemas, async ({ taskId }, context) => {
    requireTasks(server, context);
    await withTask(deps, taskId, (client) => client.executions.cancel(taskId));
    return {};
  });
  const update = { params: UpdateParams, result: AnyResult };
  server.setRequestHandler('tasks/update', update, async (params, context) => {
    requireTasks(server, context);
    const { taskId } = params;
    await withTask(deps, taskId, (client) => getExecution(client, taskId));
    const { workspace, clock, settings } = deps;
    const response = readAnswer(params.inputResponses ?? context.mcpReq.inputResponses);
    const undecided = workspace && findUndecided(workspace, taskId);
    // Kept, not acted on: the next look at the task has the outcome to tell.
    if (undecided?.state === 'asked' && response !== undefined) {
      const { atOnceMs } = settings;
      const said = saidIn(response, { afterMs: clock.now() - undecided.sinceMs, atOnceMs });
      await rememberUndecided(workspace!, taskId, said);
    }
    return {};
  });
}

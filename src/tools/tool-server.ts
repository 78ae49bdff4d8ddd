// The tools as a server of the Model Context Protocol. One factory for all versions of the protocol and
// all ways to reach it: the caller brings the transport.
import {
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { askingOf, questionResult } from './asking.ts';
import { createAttempts } from './attempts.ts';
import type { Attempts } from './attempts.ts';
import type { ToolAnswer, ToolCall } from './call.ts';
import type { SessionDeps, ToolDeps } from './deps.ts';
import { addPrompts } from './prompts/prompts.ts';
import { addResources } from './resources/resources.ts';
import { TASKS_EXTENSION, offersTasks } from './tasks/task-capability.ts';
import { addTaskMethods } from './tasks/task-methods.ts';
import { taskOf } from './tasks/task-view.ts';
import { ToolError, errorResult, toToolError } from './tool-error.ts';
import { TOOL_NAMES, listTools } from './tool-list.ts';
import type { ToolName, ToolAbilities } from './tool-list.ts';
import { toResult } from './tool-result.ts';
import { AnswerInput, ApprovalsInput } from './approvals/approval-schemas.ts';
import { RunInput } from './runs/run-schemas.ts';
import { CancelInput, ExecuteInput, StatusInput } from './tool-schemas.ts';

/** The list is the same until another version is installed. */
const LIST_TTL_MS = 3_600_000;

/** Some hosts show a model nothing else until it looks for a tool: so it says when to look. */
function instructionsFor({ hasFiles }: ToolAbilities): string {
  return [
    'Millrace runs coding tasks as plans of parallel steps on a server and returns file changes.',
    'Use it for work on several files or parts: a feature with its tests, a migration, the same change ' +
      'in many places; or when the user asks for Millrace. Make small edits and answer questions yourself.',
    `Start with millrace_execute${hasFiles ? ', and name the files that matter' : ''}.`,
    'If it answers "running", call millrace_status, which waits for the end.',
    'A run may ask the user before it acts: millrace_approvals lists that, millrace_answer asks the user.',
    'What should be done in another repository, or on another machine, millrace_run asks a runner for.',
    'Files are written only if the answer says so; otherwise tell the user what next says.',
  ].join(' ');
}

/** Models write null for what they leave out. */
function withoutNulls(input: unknown): object {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== null));
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(withoutNulls(input));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new ToolError({
    code: 'VALIDATION_ERROR',
    message: `Wrong arguments: ${problems.slice(0, 10).join('; ')}`,
    hint: 'Correct them and call again.',
  });
}

/** Each tool is loaded at its first call: most sessions of an assistant never make one. */
async function run(
  name: ToolName,
  deps: SessionDeps,
  input: unknown,
  call: ToolCall,
): Promise<ToolAnswer> {
  switch (name) {
    case 'millrace_execute':
      return (await import('./execute.ts')).execute(deps, parse(ExecuteInput, input), call);
    case 'millrace_status':
      return (await import('./status.ts')).status(deps, parse(StatusInput, input), call);
    case 'millrace_approvals': {
      const { approvals } = await import('./approvals/approvals.ts');
      return approvals(deps, parse(ApprovalsInput, input));
    }
    case 'millrace_answer':
      return (await import('./approvals/answer.ts')).answer(deps, parse(AnswerInput, input), call);
    case 'millrace_run':
      return (await import('./runs/run.ts')).run(deps, parse(RunInput, input), call);
    case 'millrace_cancel':
      return (await import('./cancel.ts')).cancel(deps, parse(CancelInput, input));
  }
}

function callOf(server: Server, context: ServerContext): ToolCall {
  const { mcpReq } = context;
  const { progressToken } = mcpReq._meta ?? {};
  // Newer clients say with each request who they are, older ones once.
  const envelope = mcpReq.envelope as Record<string, { name?: string }> | undefined;
  const client = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return {
    signal: mcpReq.signal,
    clientName: client?.name,
    asking: askingOf(server, context),
    offersTasks: offersTasks(server, context),
    reportProgress:
      progressToken === undefined
        ? undefined
        : async (report) => {
            const params = { progressToken, ...report };
            // A client that is gone is noticed by the signal.
            await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
          },
  };
}

/** The end of an execution was reported: the same call again is about a new one. */
function noteReported(attempts: Attempts, output: object): void {
  const { status: state, executionId } = output as { status?: string; executionId?: string };
  if (executionId !== undefined && state !== 'running') attempts.reported(executionId);
}

type AnyResult = CallToolResult | InputRequiredResult;

export function createToolServer(given: ToolDeps): Server {
  const attempts = given.attempts ?? createAttempts(given.clock);
  const deps: SessionDeps = { ...given, attempts };
  const hasFiles = deps.workspace !== undefined;
  const abilities = { hasFiles, writes: hasFiles && deps.settings.apply === 'auto' };
  const server = new Server(
    { name: 'millrace', title: 'Millrace', version: deps.version },
    {
      capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
      instructions: instructionsFor(abilities),
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' } },
    },
  );
  addResources(server, deps);
  addPrompts(server, deps);
  server.setRequestHandler('tools/list', () => ({ tools: listTools(abilities) }));
  const answer = async (name: ToolName, input: unknown, call: ToolCall): Promise<AnyResult> => {
    const answered = await run(name, deps, input, call);
    switch (answered.kind) {
      case 'question':
        return questionResult(answered.question);
      case 'task':
        return { resultType: 'task', content: [], ...taskOf(answered.execution, answered.origin) };
      case 'output':
        if (!call.signal.aborted) noteReported(attempts, answered.output);
        return toResult(answered);
    }
  };
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<AnyResult> => {
    const name = TOOL_NAMES.find((each) => each === params.name);
    if (name === undefined) {
      const message = `Unknown tool "${params.name}". Tools: ${TOOL_NAMES.join(', ')}.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    const answering = answer(name, params.arguments, callOf(server, context));
    try {
      return await (deps.openCalls?.track(answering) ?? answering);
    } catch (error) {
      return errorResult(toToolError(error));
    }
  });
  addTaskMethods(server, { deps, callOf: (context) => callOf(server, context) });
  return server;
}

// millrace_run: asks a runner for a run, and waits for its end as long as its host lets a call take. The runner is another
// machine: a call that is given up leaves the run as it is, and the same call again finds it.
import { isDeepStrictEqual } from 'node:util';
import { MillraceError } from '../../client/index.ts';
import type { MillraceClient } from '../../client/index.ts';
import { RUN_REQUEST_ID_PATTERN, RunRequestWork } from '../../contract/run-request-api.ts';
import type { NewRunRequest, RunRequest } from '../../contract/run-request-api.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';
import { MOST, clip } from '../bounds.ts';
import type { ToolAnswer, ToolCall } from '../call.ts';
import type { SessionDeps } from '../deps.ts';
import { deadlineOf } from '../soft-deadline.ts';
import { ToolError } from '../tool-error.ts';
import { followRequest } from './follow-request.ts';
import { listProjects } from './list-projects.ts';
import {
  cancelRequest,
  createRequest,
  getRequest,
  listOpen,
  listProjectsOf,
} from './read-answers.ts';
import type { RunInput } from './run-schemas.ts';
import { shownRequest } from './shown-request.ts';

const PAGE = 100;

function checkId(id: string): string {
  if (RUN_REQUEST_ID_PATTERN.test(id)) return id;
  throw new ToolError({
    code: 'NOT_FOUND',
    message: `There is no run request ${JSON.stringify(clip(id, MOST.name))}`,
    hint: 'Use the requestId that millrace_run has answered with.',
  });
}

async function projectOf(
  client: MillraceClient,
  { commandLine = plainCommand }: SessionDeps,
  named: string | undefined,
): Promise<string> {
  const names = (await listProjectsOf(client)).map(({ name }) => name);
  if (named === undefined && names.length === 1) return names[0]!;
  if (named !== undefined && names.includes(named)) return named;
  const command = commandLine('runner', '--project', '.');
  throw new ToolError({
    code: 'NOT_FOUND',
    message:
      named === undefined
        ? 'Say in which project'
        : `No runner has a project ${JSON.stringify(clip(named, MOST.name))}`,
    hint:
      names.length === 0
        ? `Ask the user to start a runner, in the project: ${command}`
        : `Projects: ${clip(names.join(', '), MOST.error)}. For another one the user starts a runner: ${command}`,
  });
}

/** The one that the same call has made, while it has not ended: a host that gave up on a call makes it again. */
async function findOpen(
  client: MillraceClient,
  wanted: NewRunRequest,
): Promise<RunRequest | undefined> {
  const same = RunRequestWork.safeParse(wanted);
  // The server says what is wrong with it.
  if (!same.success) return undefined;
  const { user } = await client.me();
  const items = await listOpen(client, wanted.project, PAGE);
  return items.find(
    ({ requestedBy, origin, work, cancelRequested }) =>
      requestedBy.userId === user.id &&
      origin.kind === 'person' &&
      !cancelRequested &&
      isDeepStrictEqual(work, same.data),
  );
}

async function start(
  client: MillraceClient,
  deps: SessionDeps,
  input: RunInput,
): Promise<{ request: RunRequest; joined: boolean }> {
  const { task, manifest, maxCostUsd, openRequest } = input;
  const wanted: NewRunRequest = {
    project: await projectOf(client, deps, input.project),
    ...(task === undefined ? {} : { task }),
    ...(manifest === undefined ? {} : { manifest: { path: manifest } }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    openRequest,
  };
  const open = await findOpen(client, wanted);
  if (open !== undefined) return { request: open, joined: true };
  return { request: await createRequest(client, wanted), joined: false };
}

/** Questions of the run that this user could answer. */
async function openQuestions(client: MillraceClient, { runId }: RunRequest): Promise<number> {
  if (runId === null) return 0;
  const { items } = await client.approvals.list({ status: 'open', runId, limit: PAGE });
  return items.filter(({ mayAnswer }) => mayAnswer).length;
}

async function withQuestions(client: MillraceClient, request: RunRequest): Promise<number> {
  if (request.endedAt !== null) return 0;
  try {
    return await openQuestions(client, request);
  } catch (error) {
    // A key for runs alone may not read what they ask.
    if (error instanceof MillraceError && error.code === 'FORBIDDEN') return 0;
    throw error;
  }
}

export async function run(deps: SessionDeps, input: RunInput, call: ToolCall): Promise<ToolAnswer> {
  const { requestId, task, manifest, cancel, poll } = input;
  const until = deadlineOf(deps, call);
  const client = await deps.connect();
  const answered = async (request: RunRequest, joined?: boolean): Promise<ToolAnswer> => {
    const output = await shownRequest(deps, request, {
      waiting: await withQuestions(client, request),
      poll,
      joined,
    });
    return { kind: 'output', output, isError: request.status === 'failed' };
  };
  const follow = (first: RunRequest) =>
    followRequest({ deps, client, call }, first, {
      until,
      // The user can answer at once; the next call waits on, whatever the answer was.
      isEnough: async (request) => poll === 1 && (await withQuestions(client, request)) > 0,
    });

  if (requestId !== undefined) {
    const id = checkId(requestId);
    if (cancel) return answered(await cancelRequest(client, id));
    return answered(await follow(await getRequest(client, id)));
  }
  if (cancel) {
    throw new ToolError({
      code: 'VALIDATION_ERROR',
      message: 'Say which requestId to stop',
      hint: 'Nothing was stopped.',
    });
  }
  if (task === undefined && manifest === undefined) {
    return { kind: 'output', output: await listProjects(deps, client), isError: false };
  }
  if (task !== undefined && manifest !== undefined) {
    throw new ToolError({
      code: 'VALIDATION_ERROR',
      message: 'Give a task or a manifest, not both',
      hint: 'Nothing was started.',
    });
  }
  const { request, joined } = await start(client, deps, input);
  return answered(await follow(request), joined);
}

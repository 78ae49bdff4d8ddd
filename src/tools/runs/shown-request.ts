// A run request as the tool reports it: the first words say what became of it, and `next` what can be done.
import type { RunRequest } from '../../contract/run-request-api.ts';
import { MOST, clip } from '../bounds.ts';
import { dashboardPage } from '../dashboard-page.ts';
import type { ToolDeps } from '../deps.ts';

import type { RunOutput } from './run-schemas.ts';

const MOST_PRINTED = 4000;

/** What it is at, without the time. */
export function stateText({ status, runner, waitsFor, cancelRequested }: RunRequest): string {
  const on = runner === null ? '' : ` on ${runner.name}`;
  if (status === 'queued') return `Waiting${waitsFor === null ? '.' : `: ${waitsFor}`}`;
  if (status !== 'running') return `${status[0]!.toUpperCase()}${status.slice(1)}${on}.`;
  return cancelRequested ? `Being stopped${on}.` : `Running${on}.`;
}

function resultText({ status, outcome }: RunRequest): string {
  if (outcome === null) return '';
  if (outcome.requestUrl !== undefined) return ` Pull request: ${outcome.requestUrl}`;
  if (outcome.branch !== undefined)
    return ` The changes are on the branch ${outcome.branch} there.`;
  return status === 'completed' ? ' It changed nothing.' : '';
}

function nextOf(request: RunRequest, { waiting, poll }: { waiting: number; poll: number }): string {
  const { id, status, outcome } = request;
  const again = `Call millrace_run with requestId "${id}" and poll ${poll + 1}. It waits for the end.`;
  if (status === 'queued' || status === 'running') {
    return waiting === 0
      ? again
      : `It asks the user something first: see millrace_approvals, and call millrace_answer. Then: ${again}`;
  }
  if (outcome?.remedy !== undefined) {
    return `Ask the user to run this on the machine of the runner: ${outcome.remedy}`;
  }
  if (status !== 'completed') return 'Report to the user what printed says.';
  return 'The workspace here has not changed. Report to the user where the result is.';
}

export async function shownRequest(
  deps: ToolDeps,
  request: RunRequest,
  { waiting = 0, poll, joined }: { waiting?: number; poll: number; joined?: boolean | undefined },
): Promise<RunOutput> {
  const { id, status, project, runId, runner, outcome, createdAt } = request;
  const page = await dashboardPage(deps, `/requests/${id}`);
  const asks =
    waiting === 0 ? '' : ` ${waiting} of its questions ${waiting === 1 ? 'is' : 'are'} open.`;
  const earlier =
    joined === true ? ` Joined the request of the same call, made at ${createdAt}.` : '';
  const printed = clip(outcome?.message ?? '', MOST_PRINTED);
  return {
    message: stateText(request) + resultText(request) + asks + earlier,
    status,
    requestId: id,
    next: nextOf(request, { waiting, poll }),
    project,
    ...(joined === true ? { joined } : {}),
    ...(runId === null ? {} : { runId }),
    ...(runner === null ? {} : { runner: clip(runner.name, MOST.name) }),
    ...(outcome?.branch === undefined ? {} : { branch: outcome.branch }),
    ...(outcome?.requestUrl === undefined ? {} : { requestUrl: outcome.requestUrl }),
    ...(page === undefined ? {} : { page }),
    ...(printed === '' ? {} : { printed }),
  };
}

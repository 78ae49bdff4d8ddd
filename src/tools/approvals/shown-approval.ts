// An approval as the tools report it.
import type { Approval, ListedApproval, MillraceClient } from '../../client/index.ts';
import { APPROVAL_ID_PATTERN } from '../../contract/approval-api.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';
import { MOST, clip } from '../bounds.ts';
import { dashboardPage } from '../dashboard-page.ts';
import type { ToolDeps } from '../deps.ts';
import { ToolError } from '../tool-error.ts';
import type { ShownApproval } from './approval-schemas.ts';

export async function getApproval(client: MillraceClient, id: string): Promise<Approval> {
  if (!APPROVAL_ID_PATTERN.test(id)) {
    throw new ToolError({
      code: 'NOT_FOUND',
      message: `There is no approval ${JSON.stringify(clip(id, MOST.name))}`,
      hint: 'Call millrace_approvals for those that are open.',
    });
  }
  return client.approvals.get(id);
}

export async function shownOf(deps: ToolDeps, approval: ListedApproval): Promise<ShownApproval> {
  const { id, kind, title, status, runId, streamId, requestedBy, expiresAt, mayAnswer } = approval;
  const page = await dashboardPage(deps, approval.path);
  return {
    approvalId: id,
    kind,
    title: clip(title, MOST.stepSummary),
    status,
    runId,
    ...(streamId === null ? {} : { streamId }),
    requestedBy: requestedBy.email,
    expiresAt,
    mayAnswer,
    ...(page === undefined ? {} : { page }),
  };
}

const ENDED = { approved: 'Approved', denied: 'Denied', withdrawn: 'Withdrawn' } as const;

/** How it ended; undefined while it is open. */
export function outcomeOf({ status, kind, resolution }: ListedApproval): string | undefined {
  if (status === 'open' || resolution === null) return undefined;
  const { by, comment, answer, expired } = resolution;
  if (expired) return 'Denied: nobody answered in time.';
  const what = kind === 'question' && status === 'approved' ? 'Answered' : ENDED[status];
  const said = [comment, answer].filter((text) => text !== null).join(' ');
  return `${what} by ${by?.email ?? 'nobody'}.${said === '' ? '' : ` ${clip(said, MOST.error)}`}`;
}

/** Where the user answers without this assistant. */
export function elsewhere(
  { commandLine = plainCommand }: Pick<ToolDeps, 'commandLine'>,
  { id, kind, hasReview }: ListedApproval,
  page: string | undefined,
): string {
  const at = page === undefined ? 'in the dashboard' : `at ${page}`;
  if (hasReview) return `Ask the user to look through the changes ${at}.`;
  const command =
    kind === 'question'
      ? commandLine('approvals', 'answer', id, 'TEXT')
      : `${commandLine('approvals', 'approve', id)}, or ${commandLine('approvals', 'deny', id)}`;
  return `Ask the user to answer ${at}, or to run: ${command}. Do not run it yourself.`;
}

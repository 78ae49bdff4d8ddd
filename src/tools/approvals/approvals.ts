// millrace_approvals: what runs ask the user before they act.
import { within, MOST, clip } from '../bounds.ts';
import type { ToolAnswer } from '../call.ts';
import type { SessionDeps } from '../deps.ts';
import type { ApprovalsOutput } from './approval-schemas.ts';
import { getApproval, outcomeOf, shownOf } from './shown-approval.ts';

const MOST_LISTED = 100;
const MOST_DETAIL = 6000;
const ANSWER = 'Call millrace_answer, which asks the user. You cannot answer for them.';

const outputOf = (output: ApprovalsOutput): ToolAnswer => ({
  kind: 'output',
  output,
  isError: false,
});

export async function approvals(
  deps: SessionDeps,
  { approvalId }: { approvalId?: string | undefined },
): Promise<ToolAnswer> {
  const client = await deps.connect();
  if (approvalId !== undefined) {
    const approval = await getApproval(client, approvalId);
    const outcome = outcomeOf(approval);
    return outputOf({
      message: outcome ?? 'It waits for an answer.',
      ...(approval.mayAnswer ? { next: ANSWER } : {}),
      approvals: [await shownOf(deps, approval)],
      ...(approval.detail === '' ? {} : { detail: clip(approval.detail, MOST_DETAIL) }),
      ...(outcome === undefined ? {} : { outcome }),
    });
  }
  const { items, hasMore } = await client.approvals.list({ status: 'open', limit: MOST_LISTED });
  const { shown, omitted } = within(
    await Promise.all(items.map((item) => shownOf(deps, item))),
    MOST.plannedSteps,
  );
  const count = `${items.length}${hasMore ? ' or more' : ''}`;
  return outputOf({
    message:
      items.length === 0
        ? 'Nothing waits for an answer.'
        : `${count} ${items.length === 1 ? 'approval waits' : 'approvals wait'} for an answer.`,
    ...(items.some(({ mayAnswer }) => mayAnswer) ? { next: ANSWER } : {}),
    approvals: shown,
    ...(omitted === 0 ? {} : { omitted }),
  });
}

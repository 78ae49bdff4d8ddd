// millrace_answer: asks the user what a run asks, and sends what the user said. The assistant has no say in it: where the
// user cannot be asked through its host, the user answers elsewhere.
import type { Approval, MillraceClient } from '../../client/index.ts';
import { MillraceError } from '../../client/index.ts';
import { dashboardPage } from '../dashboard-page.ts';
import type { ToolAnswer, ToolCall } from '../call.ts';
import type { SessionDeps } from '../deps.ts';
import type { Response } from '../question.ts';
import { deadlineOf } from '../soft-deadline.ts';
import { formOf, saidOfApproval } from './approval-form.ts';
import type { AnswerOutput } from './approval-schemas.ts';
import { elsewhere, getApproval, outcomeOf, shownOf } from './shown-approval.ts';

type Answered =
  | { kind: 'form'; form: ReturnType<typeof formOf> & { state: string } }
  | { kind: 'said'; response: Response; afterMs: number }
  | { kind: 'silent' };

export async function answer(
  deps: SessionDeps,
  { approvalId }: { approvalId: string },
  call: ToolCall,
): Promise<ToolAnswer> {
  const client = await deps.connect();
  const approval = await getApproval(client, approvalId);
  const page = await dashboardPage(deps, approval.path);
  const report = async (
    about: Approval,
    output: Pick<AnswerOutput, 'message' | 'next'> & { answered?: boolean },
  ): Promise<ToolAnswer> => {
    const approvalNow = await shownOf(deps, about);
    return {
      kind: 'output',
      output: { answered: false, ...output, approval: approvalNow },
      isError: false,
    };
  };
  const ended = outcomeOf(approval);
  if (ended !== undefined) return report(approval, { message: ended });
  if (!approval.mayAnswer) {
    const who =
      approval.byOther === 'required'
        ? 'another person of the team'
        : `a person with the role ${approval.role} or above`;
    return report(approval, {
      message: `This needs the answer of ${who}. This user may not answer it.`,
    });
  }
  const next = elsewhere(deps, approval, page);
  if (approval.hasReview) {
    return report(approval, { message: 'The changes are looked through hunk by hunk.', next });
  }
  const asked = await ask(deps, call, approval, formOf(approval, page));
  if (asked.kind === 'form') return { kind: 'question', question: asked.form };
  const said =
    asked.kind === 'silent' || call.signal.aborted
      ? undefined
      : saidOfApproval(approval, asked.response, {
          afterMs: asked.afterMs,
          atOnceMs: deps.settings.atOnceMs,
        });
  if (said === undefined) {
    const message =
      call.asking === undefined
        ? 'This assistant has no way to ask the user. Nothing is answered.'
        : 'The user did not answer. Nothing is answered.';
    return report(approval, { message, next });
  }
  const { now, isTaken } = await resolve(client, approval, said);
  const message = outcomeOf(now) ?? 'What is asked has changed. Nothing is answered.';
  return report(now, { message, answered: isTaken });
}

/** The state comes back from the client: it says which question the user has seen, and when. */
async function ask(
  { clock, settings, ...deps }: SessionDeps,
  call: ToolCall,
  { id, hash }: Approval,
  form: ReturnType<typeof formOf>,
): Promise<Answered> {
  const { asking } = call;
  if (asking?.kind === 'by-request') {
    const askedAt = clock.now();
    const until = deadlineOf({ clock, settings, ...deps }, call) + settings.answerGraceMs;
    const response = await asking.ask(form, Math.max(1, until - askedAt));
    if (response === undefined) return { kind: 'silent' };
    return { kind: 'said', response, afterMs: clock.now() - askedAt };
  }
  if (asking?.kind !== 'by-result') return { kind: 'silent' };
  const { brought } = asking;
  if (brought === undefined) {
    return { kind: 'form', form: { ...form, state: `${id} ${hash} ${clock.now()}` } };
  }
  const [seenId, seenHash, askedAt] = brought.state.split(' ');
  if (seenId !== id || seenHash !== hash) return { kind: 'silent' };
  return { kind: 'said', response: brought.response, afterMs: clock.now() - Number(askedAt) };
}

async function resolve(
  client: MillraceClient,
  { id, hash }: Approval,
  said: NonNullable<ReturnType<typeof saidOfApproval>>,
): Promise<{ now: Approval; isTaken: boolean }> {
  try {
    return { now: await client.approvals.resolve(id, { ...said, hash }), isTaken: true };
  } catch (error) {
    // Another person was first, or its time is over: the approval says so.
    if (!(error instanceof MillraceError) || error.status !== 409) throw error;
    return { now: await client.approvals.get(id), isTaken: false };
  }
}

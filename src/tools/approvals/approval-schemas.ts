// What goes into the tools about approvals, and what comes out.
import { z } from 'zod';
import type { ApprovalStatus } from '../../contract/approval-api.ts';

const approvalId = z.string().min(1).max(100);

export const ApprovalsInput = z.object({
  approvalId: approvalId.optional().describe('Shows this one; without it, all that are open'),
});
export const AnswerInput = z.object({
  approvalId: approvalId.describe('As millrace_approvals has it'),
});

// Of the output there is no schema: hosts that put it into the context of a model would pay for it in every session.

export interface ShownApproval {
  approvalId: string;
  kind: string;
  title: string;
  status: ApprovalStatus;
  runId: string;
  streamId?: string;
  requestedBy: string;
  expiresAt: string;
  /** Whether this user may answer it. */
  mayAnswer: boolean;
  /** For the user: its page in the dashboard. */
  page?: string;
}

export interface ApprovalsOutput {
  message: string;
  next?: string;
  approvals: ShownApproval[];
  /** Approvals not listed. */
  omitted?: number;
  /** What is shown with one: data, not instructions. */
  detail?: string;
  /** Who answered it, and how. */
  outcome?: string;
}

export interface AnswerOutput {
  message: string;
  next?: string;
  /** Whether the user has answered now. */
  answered: boolean;
  approval: ShownApproval;
}
